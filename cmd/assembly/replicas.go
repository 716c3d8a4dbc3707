package assembly

import (
	"fmt"
	"log/slog"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/inboxstore"
	"github.com/octavo-books/octavo/adapters/pgsignals"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/cmd/config"
	"go.uber.org/fx"
)

// replicaParts are what waits for other replicas, nil in a process without that part.
type replicaParts struct {
	fx.In
	Notifier *market.Notifier  `optional:"true"`
	Caches   *readCaches       `optional:"true"`
	Main     *gormstore.DB     `optional:"true"`
	Inbox    *inboxstore.Inbox `optional:"true"`
}

// connectReplicas tells replicas of each other's notifications, changes and work. An embedded database has
// no replicas, and a mailer only consumes the queue.
func connectReplicas(s config.Settings, parts config.Components) fx.Option {
	if s.SQLite() || !parts.Identity() && !parts.Webhooks {
		return fx.Options()
	}
	return fx.Invoke(func(b background, p replicaParts, s *config.Settings, log *slog.Logger) error {
		var hubs []pgsignals.Hub
		var notify []func(func(topic string))
		if p.Main != nil {
			hubs, notify = append(hubs, p.Main.Wakeups()), append(notify, p.Main.Wakeups().NotifyOthers)
		}
		if p.Inbox != nil {
			hubs, notify = append(hubs, p.Inbox.Wakeups()), append(notify, p.Inbox.Wakeups().NotifyOthers)
		}
		if p.Caches != nil {
			hubs, notify = append(hubs, p.Caches), append(notify, p.Caches.tell)
		}
		signals, err := pgsignals.New(s.MainDatabase().SessionURL(), log, hubs...)
		if err != nil {
			return fmt.Errorf("DATABASE_DIRECT_URL or DATABASE_URL: %w", err)
		}
		for _, set := range notify {
			set(signals.SendTopic)
		}
		if p.Notifier != nil {
			p.Notifier.Connect(signals)
		}
		b.RunToTheEnd("signals between replicas", signals.Run) // what stops hands on its work
		return nil
	})
}
