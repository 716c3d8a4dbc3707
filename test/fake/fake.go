// Package fake replaces clock, IDs and randomness, so that tests are deterministic.
package fake

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// Clock advances only when a test says so. It is safe for concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock makes a clock that shows a Monday morning of the autumn term.
func NewClock() *Clock { return &Clock{now: time.Date(2026, time.September, 7, 9, 0, 0, 0, time.UTC)} }

// Now returns the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock by d.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Set moves the clock to t.
func (c *Clock) Set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = t
}

// IDs counts from 1.
type IDs struct{ last atomic.Int64 }

// Next returns one more than the last ID.
func (i *IDs) Next() int64 { return i.last.Add(1) }

// Random reads the same bytes for the same seed. It is safe for concurrent use.
type Random struct {
	mu     sync.Mutex
	source *rand.ChaCha8
}

// NewRandom makes a stream of bytes.
func NewRandom(seed byte) *Random { return &Random{source: rand.NewChaCha8([32]byte{seed})} }

// Read fills p and never fails.
func (r *Random) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.source.Read(p)
}
