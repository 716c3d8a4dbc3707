package config

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/octavo-books/octavo/adapters/filelock"
)

// LockForServing prevents a second `serve` on the same embedded databases until release
// is called: two would send each delivery and each mail twice. Other commands do not
// take the lock, and neither does a mailer alone, whose queue divides the mails.
func (s *Settings) LockForServing(parts Components) (release func() error, err error) {
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
	for _, f := range s.lockedPaths(parts) {
		l, err := filelock.Acquire(f.lock)
		if err != nil {
			return nil, errors.Join(f.lockError(err), release())
		}
		locks = append(locks, l)
	}
	return release, nil
}

// lockedPath is a path that only one process may serve from.
type lockedPath struct{ setting, path, lock string }

// lockedPaths returns DATA_DIR and the database, which may be in another folder and shared by
// two DATA_DIRs.
func (s *Settings) lockedPaths(parts Components) []lockedPath {
	dir := s.Storage.DataDir
	all := []lockedPath{{"DATA_DIR", dir, filepath.Join(dir, "serve.lock")}}
	if parts.Identity() {
		path := s.MainDatabase().Path()
		if target, err := filepath.EvalSymlinks(path); err == nil {
			path = target
		}
		all = append(all, lockedPath{"DATABASE_URL", path, path + ".lock"})
	}
	return all
}

// lockError is no error of a setting if the path is held: that passes when the other process ends.
func (f lockedPath) lockError(err error) error {
	var held *filelock.HeldError
	if !errors.As(err, &held) {
		return FileError(f.setting, err)
	}
	return fmt.Errorf("%s: %s is already being served (%w); stop that process, or use another folder", f.setting, f.path, held)
}
