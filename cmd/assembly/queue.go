package assembly

import (
	"log/slog"

	"github.com/octavo-books/octavo/adapters/operations"
	"github.com/octavo-books/octavo/adapters/queue"
	"github.com/octavo-books/octavo/adapters/telemetry"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/cmd/config"
	"go.uber.org/fx"
)

// mailQueue provides the publisher that takes messages out of the outbox. If it is a
// queue, the mailer consumes that queue.
func mailQueue(s config.Settings, parts config.Components) fx.Option {
	if s.Storage.QueueURL == "" {
		return fx.Provide(newMailer)
	}
	options := []fx.Option{
		fx.Provide(newQueue, func(q *queue.Queue, t *telemetry.Tracing) mailer.Publisher { return t.Publisher(q) }),
		fx.Invoke(watchQueue),
		check(func(q *queue.Queue) operations.Check { return operations.Check{Name: "queue", Probe: q.Check} }),
	}
	if !parts.Mailer {
		options = append(options, check(func(q *queue.Queue) operations.Check { return operations.Check{Name: "mailer", Probe: q.CheckMailers} }))
	}
	if parts.Mailer {
		options = append(options,
			fx.Provide(newConsumer),
			fx.Invoke(func(b background, c *queue.Consumer) { b.Run("sending mails from the queue", c.Run) }),
			check(func(c *queue.Consumer) operations.Check { return operations.Check{Name: "mailer", Probe: c.Check} }),
		)
	}
	return fx.Options(options...)
}

func newQueue(lc fx.Lifecycle, s *config.Settings, log *slog.Logger) (*queue.Queue, error) {
	q, err := s.ConnectQueue(log)
	if err != nil {
		return nil, config.Errorf("QUEUE_URL", "%v", err)
	}
	lc.Append(fx.StopHook(q.Close))
	return q, nil
}

// newMailer makes the publisher that composes and sends mails.
func newMailer(s *config.Settings, sender mailer.Sender, clock mailer.Clock, t *telemetry.Tracing) (mailer.Publisher, error) {
	templates, err := s.MailTemplates()
	if err != nil {
		return nil, err
	}
	return t.Processor(mailer.NewMailer(sender, clock, templates)), nil
}

func newConsumer(s *config.Settings, q *queue.Queue, sender mailer.Sender, clock mailer.Clock, t *telemetry.Tracing, m mailer.Meter, log *slog.Logger) (*queue.Consumer, error) {
	publisher, err := newMailer(s, sender, clock, t)
	if err != nil {
		return nil, err
	}
	return queue.NewConsumer(q, publisher, clock, m, log, queue.DefaultConsumerConfig())
}
