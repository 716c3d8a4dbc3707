package guarding

import (
	"sync"
	"time"

	"github.com/octavo-books/octavo/domain/user"
)

// MaxOpenMatches bounds how many matches UserStatistics counts.
const MaxOpenMatches = 1_000

// To count what somebody with thousands of books has done takes a while, so it is remembered. Fewer books
// are counted anew each time.
const (
	manyCounted    = 500
	countsKept     = time.Minute
	mostRemembered = 1_000 // people
)

// countedLately remembers the statistics of those who have done much.
type countedLately struct {
	mu sync.Mutex
	of map[user.ID]countedOnce
}

type countedOnce struct {
	UserStatistics
	at time.Time
}

func (c *countedLately) find(of user.ID, now time.Time) (UserStatistics, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.of[of]
	age := now.Sub(found.at)
	return found.UserStatistics, ok && age >= 0 && age < countsKept
}

func (c *countedLately) keep(of user.ID, s UserStatistics, now time.Time) {
	if s.Posted+s.Sold+s.Bought+s.OpenMatch < manyCounted {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil || len(c.of) >= mostRemembered {
		c.of = make(map[user.ID]countedOnce)
	}
	c.of[of] = countedOnce{s, now}
}
