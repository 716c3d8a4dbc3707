package mailer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/octavo-books/octavo/domain/message"
)

// Config sets how a Relay works.
type Config struct {
	Workers       int           // batches in flight at the same time; a slow receiver blocks only one
	BatchSize     int           // messages in a batch
	Lease         time.Duration // after a crash, claimed messages become due again within this time
	ShutdownGrace time.Duration // how long a batch in flight may go on after a shutdown began
}

// DefaultConfig suits a mail server: batches are small, so that a code does not wait
// behind a hundred other mails.
func DefaultConfig() Config {
	return Config{Workers: 4, BatchSize: 4, Lease: 10 * time.Second, ShutdownGrace: 7 * time.Second}
}

// BulkConfig suits a publisher that takes many messages at once, such as a queue or a
// mailbox in the database.
func BulkConfig() Config {
	return Config{Workers: 1, BatchSize: 256, Lease: 10 * time.Second, ShutdownGrace: 7 * time.Second}
}

// Validate returns an error for a configuration that cannot work.
func (c Config) Validate() error {
	if c.Workers < 1 || c.BatchSize < 1 || c.Lease < time.Second || c.ShutdownGrace < 0 {
		return fmt.Errorf("mailer: workers, batch size, lease (at least 1s) and shutdown grace must be positive: %+v", c)
	}
	return nil
}

const (
	// batchDelay follows each batch that was not full, but not the first empty one. On a busy
	// day messages then gather and are claimed by the dozen instead of one in each transaction.
	batchDelay = 50 * time.Millisecond
	// batchTimeout ends a batch that hangs.
	batchTimeout = time.Minute
	// While nothing can be sent, a worker tries again after 1 s, doubling to 30 s.
	firstPause, longestPause = time.Second, 30 * time.Second
)

// Deps are the dependencies of a Relay.
type Deps struct {
	Clock  Clock
	Meter  Meter
	Jitter func() float64 // returns 0 to 1, so that messages that failed together are not retried together
	Log    *slog.Logger
	// DefaultLinks are the links of messages that have none of their own. A kind may be
	// missing: its mails then have no link.
	DefaultLinks map[message.Kind]string
	// OrderLink precedes the ID of the order in the link of a mail about an order.
	OrderLink string
	// ConversationLink precedes the ID of the conversation in the link of a mail about messages.
	ConversationLink string
}

// Relay empties an outbox. Any number of relays, in any number of processes, may work
// on the same outbox.
type Relay struct {
	Deps
	outbox       Outbox
	publisher    Publisher
	unsubscriber *Unsubscriber
	config       Config
	failure      atomic.Pointer[error]
}

// NewRelay makes a relay from an outbox to a publisher. Run starts it.
func NewRelay(d Deps, o Outbox, p Publisher, u *Unsubscriber, config Config) (*Relay, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	return &Relay{Deps: d, outbox: o, publisher: p, unsubscriber: u, config: config}, nil
}

// Run relays messages until ctx ends, and then finishes the batches in flight.
func (r *Relay) Run(ctx context.Context) {
	var workers sync.WaitGroup
	for range r.config.Workers {
		workers.Go(func() { r.work(ctx) })
	}
	workers.Wait()
}

// Check returns why waiting messages could not be sent the last time. It returns nil
// if they could, or if no message waits.
func (r *Relay) Check(ctx context.Context) error {
	p := r.failure.Load()
	if p == nil {
		return nil
	}
	if stats, err := r.outbox.ReadStats(ctx); err == nil && stats.Waiting == 0 {
		return nil
	}
	return *p
}

func (r *Relay) work(ctx context.Context) {
	failures, empty := 0, 0
	for ctx.Err() == nil {
		n, next, err := r.relayBatch(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			r.setFailure(err)
			sleep(ctx, r.pauseAfter(failures))
			failures++
		default:
			// An empty batch shows that the outbox answers, but not that the
			// publisher can be reached.
			if p := r.failure.Load(); n > 0 || p != nil && !errors.Is(*p, ErrUnreachable) {
				failures = 0
				r.setFailure(nil)
			}
			if empty++; n > 0 {
				empty = 0
			}
			r.waitForMessages(ctx, n, empty, next)
		}
	}
}

// setFailure logs the first failure and the recovery, but not the failures in between.
func (r *Relay) setFailure(err error) {
	if err == nil {
		if r.failure.Swap(nil) != nil {
			r.Log.Info("messages can be sent again")
		}
		return
	}
	if r.failure.Swap(&err) == nil {
		r.Log.Warn("messages cannot be sent and wait", "error", err)
	}
}

// waitForMessages returns when the next batch may be claimed: at once after a full one of n
// messages, and soon after another one, which may have been in the way of a message. empty is how
// many batches in a row were: where other processes send the messages, notifications are for
// nothing, and batchDelay bounds what they cost.
func (r *Relay) waitForMessages(ctx context.Context, n, empty int, next time.Time) {
	if n == r.config.BatchSize {
		return
	}
	if empty != 1 {
		sleep(ctx, batchDelay)
	}
	if n == 0 {
		r.outbox.WaitForMessages(ctx, next)
	}
}

func (r *Relay) pauseAfter(failures int) time.Duration {
	d := min(firstPause<<min(failures, 5), longestPause)
	return time.Duration(float64(d) * (0.8 + 0.4*r.Jitter()))
}

func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

const (
	keepSent    = 7 * 24 * time.Hour
	keepDead    = 90 * 24 * time.Hour
	deleteLimit = 500
)

// DeleteOldMessages deletes settled messages in small transactions, so that none blocks other
// writers for long.
func (r *Relay) DeleteOldMessages(ctx context.Context) error {
	for {
		now := r.Clock.Now()
		n, err := r.outbox.DeleteSettledMessages(ctx, now.Add(-keepSent), now.Add(-keepDead), deleteLimit)
		if err != nil || n < deleteLimit {
			return err
		}
	}
}
