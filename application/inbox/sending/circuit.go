package sending

import (
	"encoding/binary"
	"io"
	"sync"
	"time"
)

const (
	minBackoff    = time.Second
	maxBackoff    = time.Hour
	maxRetryAfter = 24 * time.Hour // a longer Retry-After counts as this
)

// Backoff is the wait after a job's failed attempt: about a second, doubling up to
// an hour, with 20 % jitter either way (jitter is from 0 up to 1), and at least the
// target's Retry-After.
func Backoff(attempt int, jitter float64, retryAfter time.Duration) time.Duration {
	wait := maxBackoff
	if doublings := attempt - 1; doublings < 12 {
		wait = min(maxBackoff, minBackoff<<max(doublings, 0))
	}
	wait = time.Duration(float64(wait) * (0.8 + 0.4*jitter))
	return max(wait, min(retryAfter, maxRetryAfter))
}

const (
	failureThreshold = 10               // failures in a row that open a circuit
	probeInterval    = 30 * time.Second // how often an open circuit lets one try through
)

// circuit is a circuit breaker: while its target is down, only one probe at a time
// goes there instead of every waiting job. All rules with the same URL share one.
type circuit struct {
	mu       sync.Mutex
	failures int
	probeAt  time.Time
}

// tryAfter returns how long the caller must wait before an attempt. 0 permits it;
// on an open circuit that makes the caller the only probe of the next probeInterval.
func (c *circuit) tryAfter(now time.Time) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failures < failureThreshold {
		return 0
	}
	if wait := c.waitAt(now); wait > 0 {
		return wait
	}
	c.probeAt = now.Add(probeInterval)
	return 0
}

// waitAt returns how long it is until the next probe, which is never longer than probeInterval
// unless the clock was set back.
func (c *circuit) waitAt(now time.Time) time.Duration {
	if wait := c.probeAt.Sub(now); wait <= probeInterval {
		return wait
	}
	return 0
}

// claimLimit returns how many of up to n jobs may be claimed.
func (c *circuit) claimLimit(n int, now time.Time) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.failures < failureThreshold:
		return n
	case c.waitAt(now) > 0:
		return 0
	}
	return min(n, 1)
}

// transition is the effect of an attempt on a circuit.
type transition int

const (
	unchanged transition = iota
	opened
	closed
)

// record records whether an attempt was answered.
func (c *circuit) record(answered bool, now time.Time) transition {
	c.mu.Lock()
	defer c.mu.Unlock()
	if answered {
		wasOpen := c.failures >= failureThreshold
		c.failures = 0
		if wasOpen {
			return closed
		}
		return unchanged
	}
	if c.failures++; c.failures == failureThreshold {
		c.probeAt = now.Add(probeInterval)
		return opened
	}
	return unchanged
}

// isOpen reports whether only probes are let through.
func (c *circuit) isOpen() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failures >= failureThreshold
}

// Jitter returns a random number from 0 up to 1.
func Jitter(random io.Reader) float64 {
	var b [8]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return 0.5
	}
	return float64(binary.BigEndian.Uint64(b[:])>>11) / (1 << 53)
}
