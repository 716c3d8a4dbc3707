package assembly

import (
	"errors"
	"path/filepath"

	"github.com/octavo-books/octavo/adapters/filelock"
	"github.com/octavo-books/octavo/cmd/config"
)

// serveAlone keeps a second `serve` from the embedded store until release is called:
// two of them would send each delivery and each mail twice. Commands beside it
// do not ask. A mailer alone may run as often as one likes: the queue tells its mails
// from those of others.
func serveAlone(s *config.Settings, parts config.Components) (release func() error, err error) {
	var locks []*filelock.Lock
	release = func() error {
		var errs []error
		for _, l := range locks {
			errs = append(errs, l.Release())
		}
		return errors.Join(errs...)
	}
	if !s.SQLite() || !parts.Identity() && !parts.Webhooks {
		return release, nil
	}
	for _, f := range shared(s, parts) {
		l, err := filelock.Take(f.lock)
		if err != nil {
			return nil, errors.Join(f.refusal(err), release())
		}
		locks = append(locks, l)
	}
	return release, nil
}

// sharedFile is what only one process may serve from.
type sharedFile struct{ setting, path, lock string }

// shared is DATA_DIR, and the database, which may lie elsewhere and be another
// folder's too.
func shared(s *config.Settings, parts config.Components) []sharedFile {
	dir := s.Storage.DataDir
	all := []sharedFile{{"DATA_DIR", dir, filepath.Join(dir, "serve.lock")}}
	if parts.Identity() {
		path := s.MainDatabase().Path()
		if target, err := filepath.EvalSymlinks(path); err == nil {
			path = target
		}
		all = append(all, sharedFile{"DATABASE_URL", path, path + ".lock"})
	}
	return all
}

func (f sharedFile) refusal(err error) error {
	var held *filelock.HeldError
	if !errors.As(err, &held) {
		return config.Errorf(f.setting, "%v", err)
	}
	return config.Errorf(f.setting, "%s is served already (%v); stop that one, or give this one a folder of its own", f.path, held)
}
