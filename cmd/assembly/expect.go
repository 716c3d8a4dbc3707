package assembly

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/adapters/gormstore"
)

// expect validates the settings for a command that looks at a database or mends
// it. Where none of the places has one it is an error and makes nothing: whoever
// mistyped DATA_DIR is not told that nobody is there.
func (s *Settings) expect(ctx context.Context, any ...place) error {
	if err := s.Validate(); err != nil {
		return err
	}
	for _, p := range any {
		if made, err := p.made(ctx); err != nil || made {
			return err
		}
	}
	return fmt.Errorf("there is no database at %s: look at DATA_DIR and DATABASE_URL; `octavo serve` and `octavo migrate up` make one", any[0].path())
}

// made reports whether a program has made a database in the place. On Postgres that
// is the operator's, and an empty one is told apart by its schema.
func (p place) made(ctx context.Context) (bool, error) {
	if !p.embedded() {
		return true, nil
	}
	if info, err := os.Stat(p.path()); missing(p.path()) || err == nil && info.Size() == 0 {
		return false, nil
	}
	db, err := gormstore.Open(ctx, p.url, slog.New(slog.DiscardHandler))
	if err != nil {
		return false, fmt.Errorf("%s: %w", p.path(), err)
	}
	defer func() { _ = db.Close() }()
	states, err := db.Schema(ctx, p.schema...)
	return slices.ContainsFunc(states, func(s gormstore.State) bool { return s.Current > 0 }), err
}

func (p place) embedded() bool { return strings.HasPrefix(p.url, "sqlite:") }

// path is the file of an embedded database.
func (p place) path() string { return strings.TrimPrefix(p.url, "sqlite:") }

// keptSecret is the webhook secret of the settings, or the one that development
// has made; it makes none.
func (s *Settings) keptSecret() (string, error) {
	if path := filepath.Join(s.Storage.DataDir, webhookSecretFile); s.Webhooks.Secret == "" && missing(path) {
		return "", fmt.Errorf("there is no secret at %s: look at DATA_DIR, or set WEBHOOK_SECRET", path)
	}
	return s.webhookSecret()
}
