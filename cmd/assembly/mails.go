package assembly

import (
	"crypto/ecdsa"
	"log/slog"
	"math/rand/v2"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/mail"
	"github.com/octavo-books/octavo/adapters/metrics"
	"github.com/octavo-books/octavo/adapters/operations"
	"github.com/octavo-books/octavo/adapters/seal"
	"github.com/octavo-books/octavo/adapters/telemetry"
	"github.com/octavo-books/octavo/application/courier"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/fx"
)

// mails is the outbox that other stores write to.
func mails(s config.Settings, parts config.Components) fx.Option {
	if !parts.Identity() {
		return mailboxOf(s, parts)
	}
	return fx.Provide(
		func(key *ecdsa.PrivateKey) (outboxstore.Sealer, error) { return seal.New(key, "outbox") },
		outboxstore.NewOutbox,
		outboxstore.NewMailbox,
		func(db *gormstore.DB, key *ecdsa.PrivateKey, clock courier.Clock, s *config.Settings) (*courier.Unsubscribing, error) {
			sealer, err := seal.New(key, "unsubscribe")
			if err != nil {
				return nil, err
			}
			return courier.NewUnsubscribing(outboxstore.NewOptouts(db), sealer, clock, s.Server.BaseURL+"/unsubscribe"), nil
		},
	)
}

// mailboxOf is where a mailer that runs alone keeps mails in development.
func mailboxOf(s config.Settings, parts config.Components) fx.Option {
	if !parts.Mailer || !s.DevMailbox() {
		return fx.Options()
	}
	return fx.Provide(outboxstore.NewMailbox)
}

// courierAtWork empties the outbox while the program serves: onto the queue where
// there is one, else to the people.
func courierAtWork(s config.Settings, parts config.Components) fx.Option {
	if !parts.Identity() && !parts.Mailer {
		return fx.Options()
	}
	options := []fx.Option{fx.Provide(newMailMeter), queued(s, parts)}
	if s.Storage.QueueURL == "" || parts.Mailer {
		options = append(options, posting(s))
	}
	if parts.Identity() {
		options = append(options,
			fx.Provide(newRelay),
			fx.Invoke(func(b background, r *courier.Relay) { b.Run("sending mails", r.Run) }, watchOutbox),
			check(func(r *courier.Relay) operations.Check { return operations.Check{Name: "mail", Probe: r.Check} }),
		)
	}
	return fx.Options(options...)
}

// posting is how mails get to people: over SMTP, and in development into the
// mailbox, too.
func posting(s config.Settings) fx.Option {
	switch {
	case !s.DevMailbox():
		return fx.Provide(func(smtp *mail.Sender, t *telemetry.Tracing) courier.Sender { return t.Sender(smtp) }, newSMTP)
	case s.Mail.SMTPURL == "":
		return fx.Provide(func(box *outboxstore.Mailbox) courier.Sender { return box })
	}
	return fx.Provide(func(box *outboxstore.Mailbox, smtp *mail.Sender, t *telemetry.Tracing) courier.Sender {
		return courier.Both(box, t.Sender(smtp))
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

func newRelay(s *config.Settings, parts config.Components, o *outboxstore.Outbox, c courier.Carrier, u *courier.Unsubscribing, clock courier.Clock, m courier.Meter, log *slog.Logger) (*courier.Relay, error) {
	cfg := courier.DefaultConfig()
	if s.Storage.QueueURL != "" || s.Mail.SMTPURL == "" {
		cfg = courier.BulkConfig()
	}
	return courier.NewRelay(courier.Kit{Clock: clock, Meter: m, Luck: rand.Float64, Log: log, Pages: mailPages(s, parts)}, o, c, u, cfg)
}

// mailPages are the pages that show what mails about trades tell of.
func mailPages(s *config.Settings, parts config.Components) map[message.Kind]string {
	if !parts.Market {
		return nil
	}
	base := s.Server.BaseURL
	return map[message.Kind]string{
		message.MatchFound: base + "/wanted", message.BookUnlisted: base + "/mine", message.OrderCancelled: base + "/notifications",
		message.BookSold: base + "/sales", message.PaymentSent: base + "/sales",
		message.PurchasePlaced: base + "/purchases", message.ConditionVerified: base + "/purchases", message.BookDelivered: base + "/purchases",
	}
}

// mailMeter counts what becomes of messages.
type mailMeter struct{ settled *prometheus.CounterVec }

func newMailMeter(m *metrics.Metrics) courier.Meter {
	settled := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "octavo_mail_settled_total", Help: "Messages by kind and what became of them: sent, wait, dead or declined.",
	}, []string{"kind", "verdict"})
	m.Registry().MustRegister(settled)
	for _, k := range message.Kinds() { // a rise from nothing is no rise for Prometheus
		settled.WithLabelValues(string(k), string(courier.Dead))
	}
	return mailMeter{settled}
}

// Settled implements courier.Meter.
func (m mailMeter) Settled(kind message.Kind, v courier.Verdict) {
	m.settled.WithLabelValues(string(kind), string(v)).Inc()
}
