package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/event"
)

// eventsLate is how long an event may wait while the webhook service restarts.
const eventsLate = 10 * time.Minute

// checkEvents warns if events wait for a webhook service that does not take them.
func checkEvents(ctx context.Context, s *config.Settings, _ config.Components) []finding {
	return inspect(ctx, s.MainDatabase(), func(ctx context.Context, db *gormstore.DB) ([]finding, error) {
		n, oldest, err := outboxstore.NewEvents(db).CountEvents(ctx)
		age := time.Since(oldest)
		if err != nil || n == 0 || age < eventsLate {
			return nil, err
		}
		return []finding{warn("events", fmt.Sprintf("%d of Octavo's own events wait for a webhook service, the oldest for %s", n, age.Truncate(time.Second)),
			fmt.Sprintf("serve webhooks on this database with WEBHOOK_EVENTS=%s, or set WEBHOOK_EVENTS=off; after %d days they are deleted", onOrAuto(s), event.MaxAge/(24*time.Hour)))}, nil
	})
}

// onOrAuto returns the value of WEBHOOK_EVENTS with which a webhook service takes the events.
func onOrAuto(s *config.Settings) string {
	if s.SQLite() {
		return "auto"
	}
	return "on"
}
