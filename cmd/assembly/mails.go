package assembly

import (
	"context"
	"crypto/ecdsa"
	"log/slog"
	"math/rand/v2"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/mail"
	"github.com/octavo-books/octavo/adapters/operations"
	"github.com/octavo-books/octavo/adapters/seal"
	"github.com/octavo-books/octavo/application/courier"
	"go.uber.org/fx"
)

// mails is the outbox that other stores write to.
func mails(parts Components) fx.Option {
	if !parts.Identity() {
		return fx.Options()
	}
	return fx.Provide(
		func(key *ecdsa.PrivateKey) (outboxstore.Sealer, error) { return seal.New(key, "outbox") },
		outboxstore.NewOutbox,
		outboxstore.NewMailbox,
		func(db *gormstore.DB, key *ecdsa.PrivateKey, clock courier.Clock, s *Settings) (*courier.Unsubscribing, error) {
			sealer, err := seal.New(key, "unsubscribe")
			if err != nil {
				return nil, err
			}
			return courier.NewUnsubscribing(outboxstore.NewOptouts(db), sealer, clock, s.Server.BaseURL+"/unsubscribe"), nil
		},
	)
}

// courierAtWork empties the outbox while the program serves.
func courierAtWork(parts Components) fx.Option {
	if !parts.Identity() {
		return fx.Options()
	}
	return fx.Options(
		fx.Provide(newCarrier, newRelay, newMailMeter),
		check(func(r *courier.Relay) operations.Check { return operations.Check{Name: "mail", Probe: r.Check} }),
		fx.Invoke(func(lc fx.Lifecycle, r *courier.Relay) { lc.Append(inBackground(r.Run)) }),
	)
}

// newCarrier sends over SMTP where there is a server, and otherwise keeps mails
// in the development mailbox.
func newCarrier(lc fx.Lifecycle, s *Settings, box *outboxstore.Mailbox, clock courier.Clock) (courier.Carrier, error) {
	if s.keepsMails() {
		return courier.NewMailer(box, clock), nil
	}
	config, err := mail.ParseConfig(s.Mail.SMTPURL, s.Mail.MailFrom)
	if err != nil {
		return nil, refused("SMTP_URL, MAIL_FROM", "%v", err)
	}
	sender, err := mail.New(config)
	if err != nil {
		return nil, err
	}
	lc.Append(fx.StopHook(sender.Close))
	return courier.NewMailer(sender, clock), nil
}

func newRelay(o *outboxstore.Outbox, c courier.Carrier, u *courier.Unsubscribing, clock courier.Clock, m courier.Meter, log *slog.Logger) (*courier.Relay, error) {
	return courier.NewRelay(o, c, u, clock, m, rand.Float64, log, courier.DefaultConfig())
}

// inBackground runs from start to stop, and has the stop wait for it to return.
func inBackground(run func(context.Context)) fx.Hook {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	return fx.Hook{
		OnStart: func(context.Context) error {
			go func() {
				defer close(done)
				run(ctx)
			}()
			return nil
		},
		OnStop: func(stopping context.Context) error {
			cancel()
			select {
			case <-done:
				return nil
			case <-stopping.Done():
				return stopping.Err()
			}
		},
	}
}
