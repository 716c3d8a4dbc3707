package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/octavo-books/octavo/application/mailer"
)

// ConsumerConfig sets how a Consumer works.
type ConsumerConfig struct {
	Workers       int           // messages in flight at the same time
	ShutdownGrace time.Duration // how long messages in flight may go on after a shutdown began
}

// DefaultConsumerConfig suits a mail server.
func DefaultConsumerConfig() ConsumerConfig {
	return ConsumerConfig{Workers: 8, ShutdownGrace: 7 * time.Second}
}

// While the broker or mail server is unreachable, a worker retries after 1 s, doubling to 30 s.
const firstPause, longestPause = time.Second, 30 * time.Second

// Consumer takes messages from a Queue and gives each to the mailer at least once. It
// sends a message again only if it does not know whether the mail server took it. Any
// number of consumers, in any number of processes, may share a queue.
type Consumer struct {
	broker broker
	timing timing
	mailer mailer.Publisher
	clock  mailer.Clock
	meter  mailer.Meter
	log    *slog.Logger
	config ConsumerConfig

	queueOutage, mailOutage outage
}

// NewConsumer makes a consumer; Run starts it.
func NewConsumer(
	q *Queue, mailer mailer.Publisher, clock mailer.Clock, m mailer.Meter, log *slog.Logger, config ConsumerConfig,
) (*Consumer, error) {
	if config.Workers < 1 || config.ShutdownGrace < 0 {
		return nil, fmt.Errorf("queue: workers and shutdown grace must be positive: %+v", config)
	}
	return &Consumer{
		broker: q.broker, timing: q.timing, mailer: mailer, clock: clock, meter: m, log: log, config: config,
		queueOutage: outage{what: "the queue is unreachable", log: log},
		mailOutage:  outage{what: "the mail server is unreachable", log: log},
	}, nil
}

// Run consumes messages until ctx ends, and then finishes those in flight.
func (c *Consumer) Run(ctx context.Context) {
	var all sync.WaitGroup
	for range c.config.Workers {
		all.Go(func() { c.work(ctx) })
	}
	all.Go(func() { c.broker.maintain(ctx) })
	all.Wait()
}

// Check returns why mails cannot be sent at present, or nil.
func (c *Consumer) Check(context.Context) error {
	return errors.Join(c.queueOutage.current(), c.mailOutage.current())
}

// work subscribes, and subscribes again whenever the broker fails: after a restart the
// broker may have lost the subscription.
func (c *Consumer) work(ctx context.Context) {
	for ctx.Err() == nil {
		s, err := c.broker.subscribe(ctx)
		if err == nil {
			err = c.serve(ctx, s)
			s.close()
		}
		if err != nil && ctx.Err() == nil {
			c.queueOutage.report(err)
			sleep(ctx, pauseAfter(0))
		}
	}
}

// serve handles one message after another until the broker fails or ctx ends.
func (c *Consumer) serve(ctx context.Context, s subscription) error {
	failures := 0 // of the mail server, in a row
	for ctx.Err() == nil {
		d, err := s.next(ctx)
		if err != nil {
			return err
		}
		c.queueOutage.report(nil)
		if d == nil {
			continue
		}
		unreachable, err := c.handle(ctx, d, pauseAfter(failures))
		if err != nil {
			return err
		}
		if !unreachable {
			failures = 0
			continue
		}
		sleep(ctx, pauseAfter(failures))
		failures++
	}
	return nil
}

func pauseAfter(failures int) time.Duration {
	d := min(firstPause<<min(failures, 5), longestPause)
	return time.Duration(float64(d) * (0.8 + 0.4*rand.Float64()))
}

func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// outage logs its beginning and its end, but not the failures in between.
type outage struct {
	what  string
	log   *slog.Logger
	cause atomic.Pointer[error]
}

func (o *outage) report(err error) {
	if err == nil {
		if o.cause.Swap(nil) != nil {
			o.log.Info("mails can be sent again", "after", o.what)
		}
		return
	}
	if o.cause.Swap(&err) == nil {
		o.log.Warn("mails cannot be sent and wait", "because", o.what, "error", err)
	}
}

func (o *outage) current() error {
	if p := o.cause.Load(); p != nil {
		return *p
	}
	return nil
}
