package assembly

import (
	"context"
	"log/slog"
	"net"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/fx"
)

func settings(t *testing.T) Settings {
	t.Helper()
	s := Settings{
		Server:   ServerSettings{Env: "development", Host: "127.0.0.1", CookieSameSite: "lax", DrainTimeout: 5e9},
		Storage:  StorageSettings{DataDir: filepath.Join(t.TempDir(), "data")},
		Identity: IdentitySettings{JWTAudience: "octavo", AccessTokenTTL: 20 * 60e9, BcryptCost: 10, MaxSessions: 10, AllowRegistration: true},
		Limits:   LimitSettings{"10/15m", "600/1m", "1000/1h", "300/1h", "300/1m", []string{"1/1m", "5/5h"}, "10/1h", 64, 8},
		Market:   MarketSettings{FeeBPS: 500},
		Webhooks: WebhookSettings{Path: "/api/host/webhooks", KeepBodies: 168 * time.Hour, KeepIDs: 720 * time.Hour, MaxPending: 1000},
		Watching: WatchingSettings{LogLevel: "info"},
	}
	if err := s.prepare(); err != nil {
		t.Fatal(err)
	}
	return s
}

// every is each choice of components that can be served without a broker.
func every() []Components {
	var all []Components
	for mask := 1; mask < 8; mask++ {
		all = append(all, Components{Auth: mask&1 != 0, Market: mask&2 != 0, Webhooks: mask&4 != 0})
	}
	return all
}

func TestEveryChoiceOfComponentsStartsAndStops(t *testing.T) {
	for _, parts := range every() {
		t.Run(parts.String(), func(t *testing.T) {
			s := settings(t)
			l, err := listen(t.Context(), &s)
			if err != nil {
				t.Fatal(err)
			}
			app := fx.New(graphOf(s, parts, l, slog.New(slog.DiscardHandler), nil))
			if err := app.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := app.Stop(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestTheGraphIsWholeForEveryChoiceOfComponents(t *testing.T) {
	for _, parts := range every() {
		if err := fx.ValidateApp(graphOf(settings(t), parts, dead{}, slog.New(slog.DiscardHandler), nil)); err != nil {
			t.Errorf("%s: %v", parts, err)
		}
	}
}

// dead stands in where nothing is served.
type dead struct{ net.Listener }
