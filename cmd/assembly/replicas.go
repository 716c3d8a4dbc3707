package assembly

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/octavo-books/octavo/adapters/pgsignals"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/cmd/config"
	"go.uber.org/fx"
)

// connectReplicas tells replicas of each other's notifications. An embedded database has no
// replicas.
func connectReplicas(s config.Settings, parts config.Components) fx.Option {
	if s.SQLite() || !parts.Identity() {
		return fx.Options()
	}
	return fx.Invoke(func(b background, n *market.Notifier, s *config.Settings, log *slog.Logger) error {
		signals, err := pgsignals.New(s.MainDatabase().SessionURL(), log)
		if err != nil {
			return fmt.Errorf("DATABASE_DIRECT_URL or DATABASE_URL: %w", err)
		}
		b.Run("signals between replicas", func(ctx context.Context) { n.Connect(ctx, signals) })
		return nil
	})
}
