package assembly

import (
	"context"
	"log/slog"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/telemetry"
	"github.com/octavo-books/octavo/cmd/config"
	"go.uber.org/fx"
)

// storage opens the database of accounts, marketplace and mails where one of
// them is served, or a mailer that keeps mails there.
func storage(s config.Settings, parts config.Components) fx.Option {
	if !parts.Identity() && (!parts.Mailer || !s.DevMailbox()) {
		return fx.Options()
	}
	return fx.Provide(func(lc fx.Lifecycle, s *config.Settings, log *slog.Logger, t *telemetry.Tracing) (*gormstore.DB, error) {
		return openFor(lc, s.Storage.DatabaseURL, log, parts.Schema(), followed(t)...)
	})
}

// openFor opens a database that is closed after all that uses it has stopped.
func openFor(lc fx.Lifecycle, url string, log *slog.Logger, schema []gormstore.Migrations, options ...gormstore.Option) (*gormstore.DB, error) {
	db, err := openDatabase(context.Background(), url, log, schema, options...)
	if err != nil {
		return nil, err
	}
	lc.Append(fx.StopHook(db.Close))
	return db, nil
}
