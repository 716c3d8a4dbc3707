// Package limit says how often something may be done. The rule is a leaky
// bucket kept as one instant (GCRA), with a wait that may grow for those who
// come back the moment they can.
package limit

import (
	"net/netip"
	"time"

	"github.com/octavo-books/octavo/domain/fault"
)

// ErrExceeded refuses what was done too often; RetryAfter says when to come back.
var ErrExceeded = fault.New(fault.Limited, "rate_limited", "Too many attempts. Please wait a moment.")

// Rule allows Burst at once and Burst in each Period from then on. With a
// MaxWait the wait doubles each time the burst is used up again, up to it,
// until nothing was tried for long enough to have the whole burst back.
type Rule struct {
	Burst   int
	Period  time.Duration
	MaxWait time.Duration
}

// State is what is known of one thing that is limited; the zero State is one
// that was never done.
type State struct {
	// FullAt is when the whole burst is there again (the theoretical arrival time).
	FullAt time.Time
	// Violations counts how often in a row the burst was used up.
	Violations int
}

// MaxClockSkew is how far the clocks of those who count may be apart. What was counted
// further ahead than that and the longest wait was counted under a clock that has
// been set back since: once may be done at once, and then the rate holds.
const MaxClockSkew = 5 * time.Minute

// Allow tries to do it once at now. With a wait of 0 it may be done and the new
// state counts it; otherwise the state is as it was and it may be done after
// the wait.
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

// penalty is what the last of a burst costs: twice as much each time.
func (r Rule) penalty(step time.Duration, strikes int) time.Duration {
	for range strikes {
		if step >= r.MaxWait {
			break
		}
		step *= 2
	}
	return max(min(step, r.MaxWait), r.Period/time.Duration(r.Burst))
}

// Request is one thing that is asked for: a rule and what it counts.
type Request struct {
	Name string
	Rule Rule
}

// ClientKey is what counts as one client: an IPv4 address, or an IPv6 network of
// 64 bits, of which one client has all addresses.
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
