package assembly

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/cmd/config"
)

// mismatches tells, before anything is made, that what Octavo generated lies beside no
// database or a database beside no keys: a half of a restore, or a mistyped path. Nothing
// is refused, for both can be meant, and keys for a new start are made.
func mismatches(ctx context.Context, s *config.Settings, parts config.Components) (all []finding, err error) {
	if parts.Identity() && s.Identity.PrivateKey == "" {
		f, err := keysWithoutPeople(ctx, s)
		if err != nil {
			return nil, err
		}
		all = append(all, f...)
	}
	if parts.Webhooks && s.Webhooks.Secret == "" {
		f, err := lostBeside(ctx, s, config.WebhookSecretFile, s.InboxDatabase())
		if err != nil {
			return nil, err
		}
		all = append(all, f...)
	}
	return all, nil
}

func keysWithoutPeople(ctx context.Context, s *config.Settings) ([]finding, error) {
	p, path := s.MainDatabase(), filepath.Join(s.Storage.DataDir, config.KeysFile)
	if !config.FileMissing(path) {
		return lostBeside(ctx, s, config.KeysFile, p)
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
func lostBeside(ctx context.Context, s *config.Settings, name string, p config.Database) ([]finding, error) {
	path := filepath.Join(s.Storage.DataDir, name)
	if config.FileMissing(path) || !p.Embedded() {
		return nil, nil
	}
	if made, err := p.Exists(ctx); err != nil || made {
		return nil, err
	}
	return []finding{doubtful(p.Name, path+" was used before, but there is no database at "+p.Path()+": an empty one is made",
		"put the database back from a backup before serving, or look at DATA_DIR and DATABASE_URL")}, nil
}

// hasPeople reports whether somebody has an account in a database that was made.
func hasPeople(ctx context.Context, p config.Database) (bool, error) {
	if p.Embedded() {
		if made, err := p.Exists(ctx); err != nil || !made {
			return false, err
		}
	}
	db, err := gormstore.Open(ctx, p.URL, slog.New(slog.DiscardHandler))
	if err != nil {
		return false, err
	}
	people, err := authstore.HasPeople(ctx, db)
	return people, errors.Join(err, db.Close())
}

// warnOfMismatches says in the log what the doctor would.
func warnOfMismatches(ctx context.Context, s *config.Settings, parts config.Components, log *slog.Logger) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	all, err := mismatches(ctx, s, parts)
	if err != nil {
		return fmt.Errorf("DATABASE_URL: %w", err)
	}
	for _, f := range all {
		log.WarnContext(ctx, "keys and database do not belong together", "what", f.says, "advice", f.advice)
	}
	return nil
}
