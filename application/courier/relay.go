package courier

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

// Config says how a Relay works.
type Config struct {
	Workers int           // rounds at the same time; a slow receiver holds up only one
	Batch   int           // messages a round
	Lease   time.Duration // how long after a crash messages in flight are anybody's again
	Grace   time.Duration // how long what is in flight may go on after the stop
}

// DefaultConfig suits a mail server: small rounds, so that nobody’s code waits
// behind a hundred other mails.
func DefaultConfig() Config {
	return Config{Workers: 4, Batch: 4, Lease: 10 * time.Second, Grace: 7 * time.Second}
}

// BulkConfig suits a carrier that takes many messages in one go, as a queue or
// a mailbox in the database does.
func BulkConfig() Config {
	return Config{Workers: 1, Batch: 256, Lease: 10 * time.Second, Grace: 7 * time.Second}
}

// Validate refuses what could not work.
func (c Config) Validate() error {
	if c.Workers < 1 || c.Batch < 1 || c.Lease < time.Second || c.Grace < 0 {
		return fmt.Errorf("courier: workers, batch, lease (at least 1s) and grace must be positive: %+v", c)
	}
	return nil
}

const (
	poll = time.Second
	// breath is left between rounds that did not fill their batch, so that on a
	// busy day messages are taken by the dozen and not each in its own transaction.
	breath = 50 * time.Millisecond
	// longestFlight ends a round that hangs.
	longestFlight = time.Minute
	// While nobody can be reached, a worker looks again after 1 s, doubling to 30 s.
	firstPause, longestPause = time.Second, 30 * time.Second
)

// Kit is what a relay needs of its surroundings.
type Kit struct {
	Clock Clock
	Meter Meter
	Luck  func() float64 // draws from 0 to 1: what failed together is not tried again together
	Log   *slog.Logger
	Pages map[message.Kind]string // where mails lead that bring no link of their own; none: nowhere
}

// Relay empties an outbox. Any number may work on one, in any number of processes.
type Relay struct {
	Kit
	outbox  Outbox
	upkeep  Upkeep
	carrier Carrier
	optouts *Unsubscribing
	config  Config
	trouble atomic.Pointer[error]
}

// NewRelay makes a relay from an outbox, both of whose sides it needs, to a
// carrier; Run starts it.
func NewRelay(k Kit, o interface {
	Outbox
	Upkeep
}, c Carrier, u *Unsubscribing, config Config) (*Relay, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	return &Relay{Kit: k, outbox: o, upkeep: o, carrier: c, optouts: u, config: config}, nil
}

// Run works until ctx ends, and then finishes what is in flight.
func (r *Relay) Run(ctx context.Context) {
	var workers sync.WaitGroup
	for range r.config.Workers {
		workers.Go(func() { r.work(ctx) })
	}
	workers.Go(func() { r.sweepHourly(ctx) })
	workers.Wait()
}

// Check is nil, or says why the messages that wait did not get out when it was
// tried last.
func (r *Relay) Check(ctx context.Context) error {
	p := r.trouble.Load()
	if p == nil {
		return nil
	}
	if c, err := r.upkeep.Census(ctx); err == nil && c.Waiting == 0 {
		return nil
	}
	return *p
}

func (r *Relay) work(ctx context.Context) {
	failures := 0
	for ctx.Err() == nil {
		n, err := r.round(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			r.setTrouble(err)
			sleep(ctx, r.pause(failures))
			failures++
		default:
			// A round without messages shows that the outbox answers, not that
			// anybody is there to take them.
			if p := r.trouble.Load(); n > 0 || p != nil && !errors.Is(*p, ErrUnreachable) {
				failures = 0
				r.setTrouble(nil)
			}
			r.rest(ctx, n)
		}
	}
}

// setTrouble logs the beginning and the end, not every failure between.
func (r *Relay) setTrouble(err error) {
	if err == nil {
		if r.trouble.Swap(nil) != nil {
			r.Log.Info("messages are getting out again")
		}
		return
	}
	if r.trouble.Swap(&err) == nil {
		r.Log.Warn("messages wait", "error", err)
	}
}

// rest waits for the next message, for the next poll, or not at all when the
// last round was full.
func (r *Relay) rest(ctx context.Context, n int) {
	if n == r.config.Batch {
		return
	}
	if n > 0 {
		sleep(ctx, breath)
	}
	next := time.NewTimer(poll)
	defer next.Stop()
	select {
	case <-ctx.Done():
	case <-r.outbox.Added():
	case <-next.C:
	}
}

func (r *Relay) pause(failures int) time.Duration {
	d := min(firstPause<<min(failures, 5), longestPause)
	return time.Duration(float64(d) * (0.8 + 0.4*r.Luck()))
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
	keepSent  = 7 * 24 * time.Hour
	keepDead  = 90 * 24 * time.Hour
	sweepStep = 500
)

// sweepHourly drops what nobody will ask about any more, in small steps.
func (r *Relay) sweepHourly(ctx context.Context) {
	for ctx.Err() == nil {
		now := r.Clock.Now()
		n, err := r.upkeep.Sweep(ctx, now.Add(-keepSent), now.Add(-keepDead), sweepStep)
		if err != nil && !errors.Is(err, context.Canceled) {
			r.Log.Warn("sweep the outbox", "error", err)
		}
		if n < sweepStep {
			sleep(ctx, time.Hour)
		}
	}
}
