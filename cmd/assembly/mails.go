package assembly

import (
	"context"
	"crypto/ecdsa"
	"log/slog"
	"math/rand/v2"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/mail"
	"github.com/octavo-books/octavo/adapters/metrics"
	"github.com/octavo-books/octavo/adapters/operations"
	"github.com/octavo-books/octavo/adapters/seal"
	"github.com/octavo-books/octavo/adapters/telemetry"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/fx"
)

// mails provides the outbox that other stores write to.
func mails(s config.Settings, parts config.Components) fx.Option {
	if !parts.Identity() {
		return mailboxOf(s, parts)
	}
	return fx.Provide(
		func(key *ecdsa.PrivateKey) (outboxstore.Sealer, error) { return seal.New(key, "outbox") },
		outboxstore.NewOutbox,
		outboxstore.NewMailbox,
		newUnsubscriber,
	)
}

// newUnsubscriber makes an unsubscriber that also ends the mails about saved searches, if the
// database has a market, in this process or in another one.
func newUnsubscriber(db *gormstore.DB, outbox outboxstore.Sealer, key *ecdsa.PrivateKey, clock mailer.Clock, s *config.Settings) (*mailer.Unsubscriber, error) {
	sealer, err := seal.New(key, "unsubscribe")
	if err != nil {
		return nil, err
	}
	states, err := db.Schema(context.Background(), marketstore.Migrations)
	if err != nil {
		return nil, err
	}
	var subscriptions mailer.EndSubscription
	if states[0].Current > 0 {
		store := marketstore.New(db, outbox)
		deps := market.Deps{Store: store, Clock: clock, Notifier: market.NewNotifier()}
		subscriptions = rooms.New(deps, store, rooms.Config{}).SavedSearches.EndSubscription
	}
	return mailer.NewUnsubscriber(outboxstore.NewOptOuts(db), subscriptions, sealer, clock, s.Server.BaseURL+"/unsubscribe"), nil
}

// mailboxOf provides the mailbox for a mailer that runs alone in development.
func mailboxOf(s config.Settings, parts config.Components) fx.Option {
	if !parts.Mailer || !s.DevMailbox() {
		return fx.Options()
	}
	return fx.Provide(outboxstore.NewMailbox)
}

// mailRelay empties the outbox while the program serves: into the queue if there is one,
// else by sending mails.
func mailRelay(s config.Settings, parts config.Components) fx.Option {
	if !parts.Identity() && !parts.Mailer {
		return fx.Options()
	}
	options := []fx.Option{fx.Provide(newMailMeter), mailQueue(s, parts)}
	if s.Storage.QueueURL == "" || parts.Mailer {
		options = append(options, mailSender(s))
	}
	if parts.Identity() {
		options = append(options,
			fx.Provide(newRelay),
			fx.Invoke(func(b background, r *mailer.Relay) { b.Run("sending mails", r.Run) }, watchOutbox),
			check(func(r *mailer.Relay) operations.Check { return operations.Check{Name: "mail", Probe: r.Check} }),
		)
	}
	return fx.Options(options...)
}

// mailSender provides the sender of mails: SMTP, and in development the mailbox too.
func mailSender(s config.Settings) fx.Option {
	switch {
	case !s.DevMailbox():
		return fx.Provide(func(smtp *mail.Sender, t *telemetry.Tracing) mailer.Sender { return t.Sender(smtp) }, newSMTP)
	case s.Mail.SMTPURL == "":
		return fx.Provide(func(box *outboxstore.Mailbox) mailer.Sender { return box })
	}
	return fx.Provide(func(box *outboxstore.Mailbox, smtp *mail.Sender, t *telemetry.Tracing) mailer.Sender {
		return mailer.ChainSenders(box, t.Sender(smtp))
	}, newSMTP)
}

func newSMTP(lc fx.Lifecycle, s *config.Settings) (*mail.Sender, error) {
	cfg, err := mail.ParseConfig(s.Mail.SMTPURL, s.Mail.MailFrom)
	if err != nil {
		return nil, config.Errorf("SMTP_URL, MAIL_FROM", "%v", err)
	}
	sender, err := mail.New(cfg)
	if err != nil {
		return nil, err
	}
	lc.Append(fx.StopHook(sender.Close))
	return sender, nil
}

func newRelay(s *config.Settings, parts config.Components, o *outboxstore.Outbox, c mailer.Publisher, u *mailer.Unsubscriber, clock mailer.Clock, m mailer.Meter, log *slog.Logger) (*mailer.Relay, error) {
	cfg := mailer.DefaultConfig()
	if s.Storage.QueueURL != "" || s.Mail.SMTPURL == "" {
		cfg = mailer.BulkConfig()
	}
	return mailer.NewRelay(mailer.Deps{Clock: clock, Meter: m, Jitter: rand.Float64, Log: log, DefaultLinks: mailLinks(s, parts), OrderLink: orderLink(s, parts), ConversationLink: conversationLink(s, parts)}, o, c, u, cfg)
}

// mailLinks returns the pages that mails without a link of their own point to.
func mailLinks(s *config.Settings, parts config.Components) map[message.Kind]string {
	links := map[message.Kind]string{}
	for _, k := range message.Kinds() {
		if served := !k.Urgent() && parts.Market || k.Urgent() && parts.Identity(); served && k.Page() != "" {
			links[k] = s.Server.BaseURL + k.Page()
		}
	}
	return links
}

// conversationLink returns what precedes the ID of a conversation in the address of its page.
func conversationLink(s *config.Settings, parts config.Components) string {
	if !parts.Market {
		return ""
	}
	return s.Server.BaseURL + "/conversation?id="
}

// orderLink returns what precedes the ID of an order in the address of its page.
func orderLink(s *config.Settings, parts config.Components) string {
	if !parts.Market {
		return ""
	}
	return s.Server.BaseURL + "/order?id="
}

// mailMeter counts the outcomes of messages.
type mailMeter struct{ settled *prometheus.CounterVec }

func newMailMeter(m *metrics.Metrics) mailer.Meter {
	settled := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "octavo_mail_settled_total", Help: "Messages by kind and outcome: sent, wait (to be retried), dead or declined (opted out).",
	}, []string{"kind", "verdict"})
	m.Registry().MustRegister(settled)
	for _, k := range message.Kinds() { // Prometheus sees no increase in a series that begins at 1
		settled.WithLabelValues(string(k), string(mailer.Dead))
	}
	return mailMeter{settled}
}

// CountOutcome implements mailer.Meter.
func (m mailMeter) CountOutcome(kind message.Kind, o mailer.Outcome) {
	m.settled.WithLabelValues(string(kind), string(o)).Inc()
}
