package limit

import (
	"time"

	"github.com/octavo-books/octavo/domain/fault"
)

// ErrQuota rejects what would exceed a quota; RetryAfter says when the period ends.
var ErrQuota = fault.New(fault.Limited, "rate_limited", "You have done this too often. Please wait.")

// Quota allows Max uses in each Period. A period begins with the first use after the one
// before it has ended.
type Quota struct {
	Name   string
	Max    int
	Period time.Duration
}

// Use is what was used of a quota in a period. The zero Use is a quota never used.
type Use struct {
	Since time.Time
	Count int
}

// Take counts n uses at now. If they are too many, the error is ErrQuota and nothing is
// counted. Uses at the same time are counted in any order, and clocks differ: a use shortly
// before the period begins counts in it. A period that begins more than MaxClockSkew later was
// stored before a clock was set back, and counts as ended.
func (q Quota) Take(u Use, n int, now time.Time) (Use, error) {
	ends := u.Since.Add(q.Period)
	if !now.Before(ends) || u.Since.After(now.Add(MaxClockSkew)) {
		u, ends = Use{Since: now}, now.Add(q.Period)
	}
	if n > q.Max-u.Count {
		return u, ErrQuota.After(ends.Sub(now))
	}
	u.Count += n
	return u, nil
}
