package inbox

import (
	"sync"
	"time"
)

const (
	firstWait  = time.Second
	longWait   = time.Hour
	maxRespect = 24 * time.Hour // the longest Retry-After that is believed
)

// backoff is how long to wait after a job's attempt has failed: about a second,
// doubling to an hour, 20 % more or less by chance (from 0 up to 1), and not less
// than the target asked for.
func backoff(attempt int, chance float64, asked time.Duration) time.Duration {
	wait := longWait
	if doublings := attempt - 1; doublings < 12 {
		wait = min(longWait, firstWait<<max(doublings, 0))
	}
	wait = time.Duration(float64(wait) * (0.8 + 0.4*chance))
	return max(wait, min(asked, maxRespect))
}

const (
	patience   = 10               // failures in a row that open a circuit
	probeEvery = 30 * time.Second // how often an open circuit lets one try through
)

// circuit keeps a dead target from being tried by everything that waits for it.
// All rules with the same URL share one.
type circuit struct {
	mu       sync.Mutex
	failures int
	probeAt  time.Time
}

// wait is how long no try may begin; 0 lets the caller try, and where the circuit
// is open lets nobody else for the next 30 seconds.
func (c *circuit) wait(now time.Time) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failures < patience {
		return 0
	}
	if wait := c.probeAt.Sub(now); wait > 0 {
		return wait
	}
	c.probeAt = now.Add(probeEvery)
	return 0
}

// limit is how many of up to n jobs are worth claiming.
func (c *circuit) limit(n int, now time.Time) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.failures < patience:
		return n
	case now.Before(c.probeAt):
		return 0
	}
	return min(n, 1)
}

// turn is what a try does to a circuit.
type turn int

const (
	unturned turn = iota
	opened
	closed
)

// note records how a try ended.
func (c *circuit) note(answered bool, now time.Time) turn {
	c.mu.Lock()
	defer c.mu.Unlock()
	if answered {
		was := c.failures
		c.failures = 0
		if was >= patience {
			return closed
		}
		return unturned
	}
	if c.failures++; c.failures == patience {
		c.probeAt = now.Add(probeEvery)
		return opened
	}
	return unturned
}
