// Package fake stands in for what a machine has, so that tests are the same
// every time.
package fake

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// Clock stands still until it is moved. It is safe for many goroutines.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock starts on a Monday morning of the autumn term.
func NewClock() *Clock {
	return &Clock{now: time.Date(2026, time.September, 7, 9, 0, 0, 0, time.UTC)}
}

// Now is where the clock stands.
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

// Next is one more than the last.
func (i *IDs) Next() int64 { return i.last.Add(1) }

// Random reads the same bytes for the same seed. It is safe for many goroutines.
type Random struct {
	mu     sync.Mutex
	source *rand.ChaCha8
}

// NewRandom starts a stream of bytes.
func NewRandom(seed byte) *Random {
	return &Random{source: rand.NewChaCha8([32]byte{seed})}
}

// Read fills p and never fails.
func (r *Random) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.source.Read(p)
}
