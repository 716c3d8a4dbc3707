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
	// Full is when the whole burst is there again (the theoretical arrival time).
	Full time.Time
	// Strikes counts how often in a row the burst was used up.
	Strikes int
}

// Skew is how far the clocks of those who count may be apart. What was counted
// further ahead than that and the longest wait was counted under a clock that has
// been set back since: once may be done at once, and then the rate holds.
const Skew = 5 * time.Minute

// Take tries to do it once at now. With a wait of 0 it may be done and the new
// state counts it; otherwise the state is as it was and it may be done after
// the wait.
func (r Rule) Take(s State, now time.Time) (State, time.Duration) {
	step := r.Period / time.Duration(r.Burst)
	if !s.Full.After(now) {
		s = State{Full: now}
	}
	room := step * time.Duration(r.Burst-1)
	if s.Full.Sub(now) > r.Period+r.MaxWait+Skew {
		s.Full = now.Add(room.Truncate(time.Microsecond))
	}
	if wait := s.Full.Sub(now) - room; wait > 0 {
		return s, wait
	}
	next := State{Full: s.Full.Add(step), Strikes: s.Strikes}
	if r.MaxWait > 0 && next.Full.Sub(now) > room {
		next.Full = s.Full.Add(r.penalty(step, s.Strikes))
		next.Strikes++
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

// Ask is one thing that is asked for: a rule and what it counts.
type Ask struct {
	Name string
	Rule Rule
}

// Source is what counts as one client: an IPv4 address, or an IPv6 network of
// 64 bits, of which one client has all addresses.
func Source(ip string) string {
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
