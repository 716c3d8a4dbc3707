package assembly

import (
	"context"
	"log/slog"
	"net"
	"testing"

	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/settings"
	"go.uber.org/fx"
)

// every has all choices of components that can be served without a broker.
func every() []config.Components {
	var all []config.Components
	for mask := 1; mask < 8; mask++ {
		all = append(all, config.Components{Auth: mask&1 != 0, Market: mask&2 != 0, Webhooks: mask&4 != 0})
	}
	return all
}

func TestEveryChoiceOfComponentsStartsAndStops(t *testing.T) {
	for _, parts := range every() {
		t.Run(parts.String(), func(t *testing.T) {
			s := settings.Default(t)
			l := must.Get(s.Listen(t.Context()))(t)
			app := fx.New(appGraph(newLifetime(t.Context()), s, parts, l, slog.New(slog.DiscardHandler), nil))
			must.Do(t, app.Start(t.Context()))
			if err := app.Stop(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestTheGraphIsWholeForEveryChoiceOfComponents(t *testing.T) {
	for _, parts := range every() {
		if err := fx.ValidateApp(appGraph(newLifetime(t.Context()), settings.Default(t), parts, dead{}, slog.New(slog.DiscardHandler), nil)); err != nil {
			t.Errorf("%s: %v", parts, err)
		}
	}
}

// dead replaces handlers that are not served.
type dead struct{ net.Listener }
