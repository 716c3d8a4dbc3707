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

// ConsumerConfig says how a Consumer works.
type ConsumerConfig struct {
	Workers int           // messages in hand at the same time
	Grace   time.Duration // how long what is in hand may go on after the stop
}

// DefaultConsumerConfig suits a mail server.
func DefaultConsumerConfig() ConsumerConfig {
	return ConsumerConfig{Workers: 8, Grace: 7 * time.Second}
}

// While broker or mail server are away, a worker looks again after 1 s, doubling to 30 s.
const firstPause, longestPause = time.Second, 30 * time.Second

// Consumer takes messages from a Queue and gives each to the mailer, at least
// once and, as far as a mail server's word can be had, not twice. Any number may
// work on one queue, in any number of processes.
type Consumer struct {
	broker broker
	timing timing
	mailer mailer.Publisher
	clock  mailer.Clock
	meter  mailer.Meter
	log    *slog.Logger
	config ConsumerConfig

	queueAway, mailAway trouble
}

// NewConsumer makes a consumer; Run starts it.
func NewConsumer(q *Queue, mailer mailer.Publisher, clock mailer.Clock, m mailer.Meter, log *slog.Logger, config ConsumerConfig) (*Consumer, error) {
	if config.Workers < 1 || config.Grace < 0 {
		return nil, fmt.Errorf("queue: workers and grace must be positive: %+v", config)
	}
	return &Consumer{
		broker: q.broker, timing: q.timing, mailer: mailer, clock: clock, meter: m, log: log, config: config,
		queueAway: trouble{what: "the queue is away", log: log},
		mailAway:  trouble{what: "the mail server is away", log: log},
	}, nil
}

// Run works until ctx ends, and then finishes what is in hand.
func (c *Consumer) Run(ctx context.Context) {
	var all sync.WaitGroup
	for range c.config.Workers {
		all.Go(func() { c.work(ctx) })
	}
	all.Go(func() { c.broker.tend(ctx) })
	all.Wait()
}

// Check is nil, or says why mails are not getting out at present.
func (c *Consumer) Check(context.Context) error {
	return errors.Join(c.queueAway.now(), c.mailAway.now())
}

// work subscribes, and does so again whenever the broker fails: it may have been
// restarted, and have lost what it knew of us.
func (c *Consumer) work(ctx context.Context) {
	for ctx.Err() == nil {
		s, err := c.broker.subscribe(ctx)
		if err == nil {
			err = c.serve(ctx, s)
			s.close()
		}
		if err != nil && ctx.Err() == nil {
			c.queueAway.note(err)
			sleep(ctx, pause(0))
		}
	}
}

// serve handles one message after another until the broker fails or ctx ends.
func (c *Consumer) serve(ctx context.Context, s subscription) error {
	away := 0 // how often in a row the mail server was
	for ctx.Err() == nil {
		d, err := s.next(ctx)
		if err != nil {
			return err
		}
		c.queueAway.note(nil)
		if d == nil {
			continue
		}
		unreachable, err := c.handle(ctx, d, pause(away))
		if err != nil {
			return err
		}
		if !unreachable {
			away = 0
			continue
		}
		sleep(ctx, pause(away))
		away++
	}
	return nil
}

func pause(failures int) time.Duration {
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

// trouble logs its beginning and its end, not every failure between.
type trouble struct {
	what  string
	log   *slog.Logger
	cause atomic.Pointer[error]
}

func (t *trouble) note(err error) {
	if err == nil {
		if t.cause.Swap(nil) != nil {
			t.log.Info("mails are getting out again", "after", t.what)
		}
		return
	}
	if t.cause.Swap(&err) == nil {
		t.log.Warn("mails wait", "because", t.what, "error", err)
	}
}

func (t *trouble) now() error {
	if p := t.cause.Load(); p != nil {
		return *p
	}
	return nil
}
