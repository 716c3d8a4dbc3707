package assembly

import (
	"context"
	"log/slog"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/metrics"
	"github.com/octavo-books/octavo/adapters/operations"
	"github.com/octavo-books/octavo/application/eventrelay"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/cmd/config"
	"go.uber.org/fx"
)

// events provides the outbox of events, which other stores write to.
func events(s config.Settings, parts config.Components) fx.Option {
	if !parts.Identity() && !relaysEvents(s, parts) {
		return fx.Options()
	}
	return fx.Provide(outboxstore.NewEvents)
}

func relaysEvents(s config.Settings, parts config.Components) bool { return s.RelayEvents(parts) }

// eventRelay hands the events to the inbox while the program serves.
func eventRelay(s config.Settings, parts config.Components) fx.Option {
	if !relaysEvents(s, parts) {
		return fx.Options()
	}
	return fx.Options(
		fx.Provide(func(o *outboxstore.Events, i *inbox.Service, log *slog.Logger) *eventrelay.Relay {
			return eventrelay.New(o, i.AcceptAll, log)
		}),
		fx.Invoke(func(b background, r *eventrelay.Relay) { b.Run("handing over events", r.Run) }, watchEvents),
		check(func(r *eventrelay.Relay) operations.Check { return operations.Check{Name: "events", Probe: r.Check} }),
	)
}

// eventSweeper deletes events that no webhook service takes, and logs that.
type eventSweeper struct {
	events *outboxstore.Events
	log    *slog.Logger
}

// DeleteExpired is an account.Sweep.
func (e eventSweeper) DeleteExpired(ctx context.Context, now time.Time, n int) (int, error) {
	deleted, err := e.events.DeleteExpired(ctx, now, n)
	if deleted > 0 {
		e.log.Warn("events that no webhook service took were deleted; serve webhooks, or set WEBHOOK_EVENTS=off", "events", deleted)
	}
	return deleted, err
}

// watchEvents measures the outbox of events.
func watchEvents(o *outboxstore.Events, clock mailer.Clock, log *slog.Logger, m *metrics.Metrics) error {
	return m.Registry().Register(queriedGauges{"the events", log, func(ctx context.Context) ([]gauge, error) {
		n, oldest, err := o.CountEvents(ctx)
		return []gauge{
			{name: "octavo_events_waiting", help: "Octavo's own events that the webhook service has not stored yet.", value: float64(n)},
			{name: "octavo_events_oldest_seconds", help: "Age of the oldest of them, 0 if none waits.", value: age(clock, oldest)},
		}, err
	}})
}
