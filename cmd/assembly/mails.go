package assembly

import (
	"crypto/ecdsa"
	"log/slog"
	"math/rand/v2"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/mail"
	"github.com/octavo-books/octavo/adapters/metrics"
	"github.com/octavo-books/octavo/adapters/queue"
	"github.com/octavo-books/octavo/adapters/seal"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/adapters/telemetry"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/cmd/config"
	"go.uber.org/fx"
)

// mails provides the outbox that other stores write to.
func mails(s config.Settings, parts config.Components) fx.Option {
	switch {
	case parts.Identity():
		return fx.Provide(
			func(key *ecdsa.PrivateKey) (outboxstore.Sealer, error) { return seal.New(key, "outbox") },
			outboxstore.NewOutbox, outboxstore.NewMailbox, newUnsubscriber,
		)
	case parts.Mailer && s.DevMailbox(): // a mailer that runs alone in development
		return fx.Provide(outboxstore.NewMailbox)
	}
	return fx.Options()
}

// newUnsubscriber makes an unsubscriber that also ends the mails about saved searches, if the
// database has a market.
func newUnsubscriber(
	db *gormstore.DB, books storedMarket, key *ecdsa.PrivateKey, clock mailer.Clock, s *config.Settings,
) (*mailer.Unsubscriber, error) {
	sealer, err := seal.New(key, "unsubscribe")
	if err != nil {
		return nil, err
	}
	var subscriptions mailer.EndSubscription
	if store := books.Store; store != nil {
		deps := market.Deps{Store: store, Clock: market.Clock(clock), Notifier: market.NewNotifier()}
		subscriptions = rooms.New(deps, store, rooms.Config{}).SavedSearches.EndSubscription
	}
	return mailer.NewUnsubscriber(outboxstore.NewOptOuts(db), subscriptions, sealer, clock, s.Server.BaseURL+"/unsubscribe"), nil
}

// mailRelay empties the outbox while the program serves: into the queue if there is one,
// else by sending mails.
func mailRelay(s config.Settings, parts config.Components) fx.Option {
	if !parts.Identity() && !parts.Mailer {
		return fx.Options()
	}
	options := []fx.Option{fx.Provide(metrics.NewMailMeter), mailQueue(s, parts)}
	if s.Storage.QueueURL == "" || parts.Mailer {
		options = append(options, mailSender(s))
	}
	if parts.Identity() {
		options = append(options,
			fx.Provide(newRelay), run("sending mails", (*mailer.Relay).Run), check("mail", (*mailer.Relay).Check),
			fx.Invoke(func(m *metrics.Metrics, o *outboxstore.Outbox, c system.Clock) { m.WatchOutbox(c.Now, o.ReadStats) }),
		)
	}
	return fx.Options(options...)
}

// mailSender provides the sender of mails: SMTP, and in development the mailbox too.
func mailSender(s config.Settings) fx.Option {
	smtp := closed((*config.Settings).NewSMTP, (*mail.Sender).Close)
	switch {
	case !s.DevMailbox():
		return fx.Provide(func(smtp *mail.Sender, t *telemetry.Tracing) mailer.Sender { return t.Sender(smtp) }, smtp)
	case s.Mail.SMTPURL == "":
		return fx.Provide(func(box *outboxstore.Mailbox) mailer.Sender { return box })
	}
	return fx.Provide(func(box *outboxstore.Mailbox, smtp *mail.Sender, t *telemetry.Tracing) mailer.Sender {
		return mailer.ChainSenders(box, t.Sender(smtp))
	}, smtp)
}

func newRelay(s *config.Settings, parts config.Components, o *outboxstore.Outbox, p mailer.Publisher, u *mailer.Unsubscriber, clock mailer.Clock, m mailer.Meter, log *slog.Logger) (*mailer.Relay, error) {
	links, order, conversation := s.MailLinks(parts)
	return mailer.NewRelay(mailer.Deps{
		Clock: clock, Meter: m, Jitter: rand.Float64, Log: log, DefaultLinks: links, OrderLink: order, ConversationLink: conversation,
	}, o, p, u, s.RelayConfig())
}

// mailQueue provides the publisher that takes messages out of the outbox. If it is a
// queue, the mailer consumes that queue.
func mailQueue(s config.Settings, parts config.Components) fx.Option {
	if s.Storage.QueueURL == "" {
		return fx.Provide(newMailer)
	}
	options := []fx.Option{
		fx.Provide(closed(newQueue, (*queue.Queue).Close), func(q *queue.Queue, t *telemetry.Tracing) mailer.Publisher { return t.Publisher(q) }),
		fx.Invoke(func(m *metrics.Metrics, q *queue.Queue, c system.Clock) { m.WatchQueue(c.Now, q.CountMessages) }),
		check("queue", (*queue.Queue).Check),
	}
	if !parts.Mailer {
		options = append(options, check("mailer", (*queue.Queue).CheckMailers))
	} else {
		options = append(options, fx.Provide(newConsumer), run("sending mails from the queue", (*queue.Consumer).Run), check("mailer", (*queue.Consumer).Check))
	}
	return fx.Options(options...)
}

func newQueue(s *config.Settings, log *slog.Logger) (*queue.Queue, error) {
	q, err := s.ConnectQueue(log)
	if err != nil {
		return nil, config.Errorf("QUEUE_URL", "%v", err)
	}
	return q, nil
}

// mailerParts are what composes and sends mails. A mailer without the market has no photos.
type mailerParts struct {
	fx.In
	Settings *config.Settings
	Sender   mailer.Sender
	Clock    mailer.Clock
	Tracing  *telemetry.Tracing
	Log      *slog.Logger
	Market   *rooms.Market `optional:"true"`
}

// newMailer makes the publisher that composes and sends mails.
func newMailer(p mailerParts) (mailer.Publisher, error) {
	templates, err := p.Settings.MailTemplates()
	if err != nil {
		return nil, err
	}
	m := mailer.NewMailer(p.Sender, p.Clock, templates)
	if p.Market != nil {
		m = m.WithPictures(p.Market.Photos.ReadCovers, p.Log)
	}
	return p.Tracing.Processor(m), nil
}

func newConsumer(p mailerParts, q *queue.Queue, m mailer.Meter) (*queue.Consumer, error) {
	publisher, err := newMailer(p)
	if err != nil {
		return nil, err
	}
	return queue.NewConsumer(q, publisher, p.Clock, m, p.Log, queue.DefaultConsumerConfig())
}
