package assembly

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
)

// mismatches tells, before anything is made, that what Octavo generated lies beside no
// database or a database beside no keys: a half of a restore, or a mistyped path. Nothing
// is refused, for both can be meant, and keys for a new start are made.
func (s *Settings) mismatches(ctx context.Context, parts Components) (all []finding, err error) {
	if parts.Identity() && s.Identity.PrivateKey == "" {
		f, err := s.keysWithoutPeople(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, f...)
	}
	if parts.Webhooks && s.Webhooks.Secret == "" {
		f, err := s.lostBeside(ctx, webhookSecretFile, s.inboxPlace())
		if err != nil {
			return nil, err
		}
		all = append(all, f...)
	}
	return all, nil
}

func (s *Settings) keysWithoutPeople(ctx context.Context) ([]finding, error) {
	p, path := s.mainPlace(), filepath.Join(s.Storage.DataDir, keysFile)
	if !missing(path) {
		return s.lostBeside(ctx, keysFile, p)
	}
	people, err := hasPeople(ctx, p)
	if err != nil || !people {
		return nil, err
	}
	return []finding{doubtful("signing key",
		"there are people in the database, but no keys at "+path+": new ones are made, and everybody is signed out; mails that wait are lost",
		"put the file back from a backup before serving, or look at DATA_DIR")}, nil
}

// lostBeside tells of a generated file whose database is not there.
func (s *Settings) lostBeside(ctx context.Context, name string, p place) ([]finding, error) {
	path := filepath.Join(s.Storage.DataDir, name)
	if missing(path) || !p.embedded() {
		return nil, nil
	}
	if made, err := p.made(ctx); err != nil || made {
		return nil, err
	}
	return []finding{doubtful(p.name, path+" was used before, but there is no database at "+p.path()+": an empty one is made",
		"put the database back from a backup before serving, or look at DATA_DIR and DATABASE_URL")}, nil
}

// hasPeople reports whether somebody has an account in a database that was made.
func hasPeople(ctx context.Context, p place) (bool, error) {
	if p.embedded() {
		if made, err := p.made(ctx); err != nil || !made {
			return false, err
		}
	}
	db, err := gormstore.Open(ctx, p.url, slog.New(slog.DiscardHandler))
	if err != nil {
		return false, err
	}
	people, err := authstore.HasPeople(ctx, db)
	return people, errors.Join(err, db.Close())
}

// warnOfMismatches says in the log what the doctor would.
func (s *Settings) warnOfMismatches(ctx context.Context, parts Components, log *slog.Logger) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	all, err := s.mismatches(ctx, parts)
	if err != nil {
		return fmt.Errorf("DATABASE_URL: %w", err)
	}
	for _, f := range all {
		log.WarnContext(ctx, "keys and database do not belong together", "what", f.says, "advice", f.advice)
	}
	return nil
}
