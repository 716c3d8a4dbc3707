// Package limit holds the rule of a rate limit: a leaky bucket that is stored as one
// instant (GCRA), with an optional wait that doubles for a client that keeps trying.
package limit

import (
	"net/netip"
	"time"

	"github.com/octavo-books/octavo/domain/fault"
)

// ErrExceeded rejects a request that exceeds a limit; RetryAfter says how long to wait.
var ErrExceeded = fault.New(fault.Limited, "rate_limited", "Too many attempts. Please wait a moment.")

// Rule allows Burst requests at once, and then Burst in each Period. With a MaxWait the
// wait doubles each time the burst is used up again, up to MaxWait, until enough time
// has passed without a request to restore the whole burst.
type Rule struct {
	Burst   int
	Period  time.Duration
	MaxWait time.Duration
}

// State is the count of one name. The zero State is a name that was never counted.
type State struct {
	// FullAt is when the whole burst is available again. GCRA calls it the theoretical
	// arrival time.
	FullAt time.Time
	// Violations is how many times in a row the burst was used up.
	Violations int
}

// MaxClockSkew is how far the clocks of replicas may differ. A FullAt further ahead
// than that and the longest wait was stored before a clock was set back: it then allows
// one request at once and applies the rate from there.
const MaxClockSkew = 5 * time.Minute

// Allow counts one request at now. With a wait of 0 the request is allowed and the
// returned state counts it. Otherwise the state is unchanged and the request is allowed
// after the wait.
func (r Rule) Allow(s State, now time.Time) (State, time.Duration) {
	step := r.Period / time.Duration(r.Burst)
	if !s.FullAt.After(now) {
		s = State{FullAt: now}
	}
	room := step * time.Duration(r.Burst-1)
	if s.FullAt.Sub(now) > r.Period+r.MaxWait+MaxClockSkew {
		s.FullAt = now.Add(room.Truncate(time.Microsecond))
	}
	if wait := s.FullAt.Sub(now) - room; wait > 0 {
		return s, wait
	}
	next := State{FullAt: s.FullAt.Add(step), Violations: s.Violations}
	if r.MaxWait > 0 && next.FullAt.Sub(now) > room {
		next.FullAt = s.FullAt.Add(r.penalty(step, s.Violations))
		next.Violations++
	}
	return next, 0
}

// penalty returns how far the last request of a burst moves FullAt: twice as far after
// each violation.
func (r Rule) penalty(step time.Duration, violations int) time.Duration {
	for range violations {
		if step >= r.MaxWait {
			break
		}
		step *= 2
	}
	return max(min(step, r.MaxWait), r.Period/time.Duration(r.Burst))
}

// Request asks to count one event under a name.
type Request struct {
	Name string
	Rule Rule
}

// ClientKey returns what counts as one client: an IPv4 address, or an IPv6 /64 network,
// because one client usually has all its addresses.
func ClientKey(ip string) string {
	a, err := netip.ParseAddr(ip)
	if err != nil {
		return "unknown"
	}
	a = a.Unmap().WithZone("")
	if a.Is4() {
		return a.String()
	}
	p, err := a.Prefix(64)
	if err != nil {
		return "unknown"
	}
	return p.String()
}
