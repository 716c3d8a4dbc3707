package doctor

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

// checkMismatches ignores the error of a database that cannot be opened:
// checkDatabases reports it.
func checkMismatches(ctx context.Context, s *config.Settings, parts config.Components) []finding {
	all, _ := findMismatches(ctx, s, parts)
	return all
}

// findMismatches finds generated keys without their database, and a database without its keys:
// an incomplete restore, or a mistyped path. Both are warnings, because both can be intended;
// photos without their folder are a failure.
// It must run before anything is created.
func findMismatches(ctx context.Context, s *config.Settings, parts config.Components) (all []finding, err error) {
	if parts.Identity() && s.Identity.PrivateKey == "" {
		f, err := missingKeys(ctx, s)
		if err != nil {
			return nil, err
		}
		all = append(all, f...)
	}
	if parts.Webhooks && s.Webhooks.Secret == "" {
		f, err := missingDatabase(ctx, s, config.WebhookSecretFile, s.InboxDatabase())
		if err != nil {
			return nil, err
		}
		all = append(all, f...)
	}
	if parts.Market {
		f, err := missingPhotos(ctx, s)
		if err != nil {
			return nil, err
		}
		all = append(all, f...)
	}
	return all, nil
}

func missingKeys(ctx context.Context, s *config.Settings) ([]finding, error) {
	d, path := s.MainDatabase(), filepath.Join(s.Storage.DataDir, config.KeysFile)
	if !config.FileMissing(path) {
		return missingDatabase(ctx, s, config.KeysFile, d)
	}
	people, err := hasUsers(ctx, d)
	if err != nil || !people {
		return nil, err
	}
	return []finding{warn("signing key",
		"the database has accounts, but there are no keys at "+path+": new ones are generated, everyone is signed out, second factors cannot be checked, and waiting mails are lost",
		"restore the file from a backup before serving, or check DATA_DIR")}, nil
}

// missingDatabase warns if the generated file exists and its database does not.
func missingDatabase(ctx context.Context, s *config.Settings, name string, d config.Database) ([]finding, error) {
	path := filepath.Join(s.Storage.DataDir, name)
	if config.FileMissing(path) || !d.Embedded() {
		return nil, nil
	}
	if made, err := d.Exists(ctx); err != nil || made {
		return nil, err
	}
	return []finding{warn(d.Name, path+" was used before, but there is no database at "+d.Path()+": an empty one is created",
		"restore the database from a backup before serving, or check DATA_DIR and DATABASE_URL")}, nil
}

// hasUsers reports whether the database has accounts; it creates none.
func hasUsers(ctx context.Context, d config.Database) (bool, error) {
	return ask(ctx, d, authstore.HasUsers)
}

// needsRSAKey is authstore.NeedsRSAKey for a database that may not exist.
func needsRSAKey(ctx context.Context, d config.Database) (bool, error) {
	return ask(ctx, d, authstore.NeedsRSAKey)
}

// ask runs a query against a database; the answer is false if the database does not exist.
func ask(ctx context.Context, d config.Database, question func(context.Context, *gormstore.DB) (bool, error)) (bool, error) {
	if d.Embedded() {
		if made, err := d.Exists(ctx); err != nil || !made {
			return false, err
		}
	}
	db, err := gormstore.Open(ctx, d.URL, slog.New(slog.DiscardHandler))
	if err != nil {
		return false, err
	}
	yes, err := question(ctx, db)
	return yes, errors.Join(err, db.Close())
}

// inspect returns what a check finds in a database, if that exists. It ignores errors of the
// database, because checkDatabases reports them.
func inspect(ctx context.Context, d config.Database, check func(context.Context, *gormstore.DB) ([]finding, error)) (all []finding) {
	_, err := ask(ctx, d, func(ctx context.Context, db *gormstore.DB) (_ bool, err error) {
		all, err = check(ctx, db)
		return true, err
	})
	if err != nil {
		return nil
	}
	return all
}

// LogMismatches logs what Examine would print about keys, photos and databases
// that do not belong together.
func LogMismatches(ctx context.Context, s *config.Settings, parts config.Components, log *slog.Logger) error {
	all, err := findMismatches(ctx, s, parts)
	if err != nil {
		return fmt.Errorf("DATABASE_URL: %w", err)
	}
	for _, f := range all {
		log.WarnContext(ctx, "keys, photos and database do not belong together", "what", f.text, "advice", f.advice)
	}
	return nil
}
