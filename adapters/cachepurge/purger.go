package cachepurge

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/octavo-books/octavo/application/market"
)

const (
	// pause is between two rounds of requests: what changes meanwhile is purged together.
	pause = 200 * time.Millisecond
	// The time before a failed round is repeated doubles from minRetry to maxRetry.
	minRetry, maxRetry = time.Second, 30 * time.Second
	// maxRetryAfter bounds what a cache may ask for.
	maxRetryAfter = 2 * time.Minute
	// lastRound bounds the requests when the program stops.
	lastRound = time.Second
)

// Purger implements market.Purger. At most one request is in flight. Keys of a failed request are
// kept and sent again.
type Purger struct {
	client *client
	log    *slog.Logger
	again  time.Duration
	pause  time.Duration
	retry  time.Duration

	mu      sync.Mutex
	pending keySet  // to purge as soon as possible
	later   []delay // to purge for the second time, in the order of their times
	sending int     // keys in the requests of this round
	failure error   // of the last round

	wake         chan struct{}
	sent, failed atomic.Uint64 // rounds
}

// delay is a set of keys to purge at a time.
type delay struct {
	at   time.Time
	keys keySet
}

// slots is how many delays the time until the second purge is divided into, so that their
// number is bounded.
const slots = 8

// New returns a purger, which sends nothing before Run. It purges all keys a second time after
// again: a response that was being made while the change was committed may reach the cache after the
// first purge, and a standby may serve the old state for a while.
func New(cfg Config, again time.Duration, log *slog.Logger) (*Purger, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &Purger{
		client: newClient(cfg), log: log, again: again, pause: pause, retry: minRetry,
		wake: make(chan struct{}, 1),
	}, nil
}

// Purge implements market.Purger.
func (p *Purger) Purge(keys ...market.SurrogateKey) {
	p.mu.Lock()
	p.pending.add(keys...)
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Check returns the error of the last round of purges; nil if it succeeded.
func (p *Purger) Check(context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failure
}

// Count returns how many rounds of purges have succeeded and failed.
func (p *Purger) Count() (sent, failed uint64) { return p.sent.Load(), p.failed.Load() }

// CountWaiting returns how many keys are still to be purged, for the first or for the second time.
func (p *Purger) CountWaiting() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.sending + len(p.pending.keys)
	for _, d := range p.later {
		n += len(d.keys.keys)
	}
	return n
}

// Run sends the purges until ctx ends, and then what is left.
func (p *Purger) Run(ctx context.Context) {
	defer p.client.http.CloseIdleConnections()
	for failures := 0; ctx.Err() == nil; {
		keys, fresh, next := p.take(time.Now())
		if len(keys) == 0 {
			p.sleep(ctx, next)
			continue
		}
		err := p.round(ctx, keys, fresh)
		wait := p.pause
		if failures++; err == nil {
			failures = 0
		} else {
			wait = p.retryAfter(err, failures)
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
	p.sendRest(ctx)
}

// sleep waits for keys to purge, or for the time of the next delay if there is one.
func (p *Purger) sleep(ctx context.Context, next time.Duration) {
	var due <-chan time.Time
	if next > 0 {
		due = time.After(next)
	}
	select {
	case <-ctx.Done():
	case <-p.wake:
	case <-due:
	}
}

// take removes the keys to purge now. Those in fresh are purged for the first time. If there are
// none, next is the time until there are some, or 0.
func (p *Purger) take(now time.Time) (keys, fresh []market.SurrogateKey, next time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fresh, p.pending = p.pending.list(), keySet{}
	var all keySet
	all.add(fresh...)
	for len(p.later) > 0 && !p.later[0].at.After(now) {
		all.add(p.later[0].keys.list()...)
		p.later = p.later[1:]
	}
	if len(p.later) > 0 {
		next = p.later[0].at.Sub(now)
	}
	keys = all.list()
	p.sending = len(keys)
	return keys, fresh, next
}

func (p *Purger) round(ctx context.Context, keys, fresh []market.SurrogateKey) error {
	err := p.client.purge(ctx, keys)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sending = 0
	if err != nil {
		p.pending.add(keys...)
		p.failed.Add(1)
	} else {
		p.delay(fresh, time.Now())
		p.sent.Add(1)
	}
	switch before := p.failure; {
	case err != nil && before == nil && ctx.Err() == nil:
		p.log.Warn("the cache in front is not purged; its copies may be old until they expire", "error", err)
	case err == nil && before != nil:
		p.log.Info("the cache in front is purged again")
	}
	p.failure = err
	return err
}

// delay notes the keys to be purged again. It rounds the time up to that of a slot.
func (p *Purger) delay(fresh []market.SurrogateKey, now time.Time) {
	if len(fresh) == 0 {
		return
	}
	slot := max(p.again/slots, time.Millisecond)
	at := now.Add(p.again + slot).Truncate(slot)
	if last := len(p.later) - 1; last < 0 || p.later[last].at.Before(at) {
		p.later = append(p.later, delay{at: at})
	}
	p.later[len(p.later)-1].keys.add(fresh...)
}

// retryAfter returns when to repeat a round after so many failed ones.
func (p *Purger) retryAfter(err error, failures int) time.Duration {
	wait := min(p.retry<<min(failures-1, 10), maxRetry)
	if r := (refusal{}); errors.As(err, &r) {
		wait = max(wait, min(r.retryAfter, maxRetryAfter))
	}
	return wait
}

// sendRest purges what is left, for the second time as well, without waiting for its time.
func (p *Purger) sendRest(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastRound)
	defer cancel()
	if keys, _, _ := p.take(time.Now().Add(p.again + time.Hour)); len(keys) > 0 {
		_ = p.round(ctx, keys, nil)
	}
}

// maxKeys bounds a keySet.
const maxKeys = 1000

// keySet is a set of keys. If they would be too many, it is market.Everything alone.
type keySet struct{ keys map[market.SurrogateKey]bool }

func (s *keySet) add(keys ...market.SurrogateKey) {
	if len(keys) > 0 && s.keys == nil {
		s.keys = make(map[market.SurrogateKey]bool, len(keys))
	}
	for _, k := range keys {
		switch {
		case s.keys[market.Everything]:
			return
		case k == market.Everything || len(s.keys) == maxKeys && !s.keys[k]:
			clear(s.keys)
			k = market.Everything
		}
		s.keys[k] = true
	}
}

// list returns the keys in order.
func (s *keySet) list() []market.SurrogateKey {
	all := make([]market.SurrogateKey, 0, len(s.keys))
	for k := range s.keys {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}
