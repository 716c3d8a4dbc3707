package sending

import (
	"sync"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
)

// limiter allows at most a number of sends in any period of a given length. A send is
// reserved before its job is claimed, so that no job waits with a lease, and counts from
// the moment it begins. A nil limiter allows every send.
type limiter struct {
	mu       sync.Mutex
	most     int
	per      time.Duration
	reserved int
	sent     []time.Time // of the last period, oldest first
}

// set changes the rate. What was sent before still counts.
func (l *limiter) set(most int, per time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.most, l.per = most, per
}

// reserve reserves up to n sends and returns how many.
func (l *limiter) reserve(n int, now time.Time) int {
	if l == nil {
		return n
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	old := 0
	for old < len(l.sent) && (!l.sent[old].Add(l.per).After(now) || l.sent[old].After(now)) { // the clock may have been set back
		old++
	}
	l.sent = l.sent[old:]
	n = max(0, min(n, l.most-l.reserved-len(l.sent)))
	l.reserved += n
	return n
}

// begin counts a reserved send.
func (l *limiter) begin(now time.Time) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reserved--
	l.sent = append(l.sent, now)
}

// cancel frees a reserved send that did not begin.
func (l *limiter) cancel() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reserved--
}

// wait returns how long until a send of the last period no longer counts.
func (l *limiter) wait(now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.sent) == 0 {
		return l.per // all are reserved: the end of any of them wakes the pool
	}
	return l.sent[0].Add(l.per).Sub(now)
}

// minRateWait is the minimum time between two claims of a rule that has reached its rate.
const minRateWait = 10 * time.Millisecond

// claimLater claims again once the rate lets another send begin.
func (p *Pool) claimLater(now time.Time) {
	wait := max(p.rate.wait(now), minRateWait)
	if p.rateTimer == nil {
		p.rateTimer = time.AfterFunc(wait, p.Wake)
		return
	}
	p.rateTimer.Reset(wait)
}

// limiterOf returns the limiter of a rule, which outlives changes of the rule, nil
// without a rate.
func (s *Shared) limiterOf(r inbox.Rule) *limiter {
	most, per, err := inbox.ParseRate(r.Rate)
	if err != nil || most == 0 {
		return nil
	}
	l := s.limiters[r.Key()]
	if l == nil {
		l = &limiter{}
		s.limiters[r.Key()] = l
	}
	l.set(most, per)
	return l
}
