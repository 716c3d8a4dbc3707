package sending

import (
	"strings"
	"sync"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/webhook"
)

// Label names the rule in logs and metrics.
func (p *Pool) Label() string { return p.Rule.Label(int(p.ruleNumber.Load())) }

// WarnIfUnknownEvent warns that the rule matches a name outside the table of
// events: an event newer than this program, or a typing error.
func (p *Pool) WarnIfUnknownEvent() {
	if p.Rule.OtherSource() {
		return
	}
	for match := range strings.SplitSeq(p.Rule.Match, "\n") {
		if name := webhook.EventName(match); name.IsWellFormed() && !name.Known() && !event.Type(match).Known() {
			p.Log.Warn("a forwarding rule matches an event outside the table",
				"rule", p.Label(), "match", match, "nearest", string(webhook.Nearest(name)))
		}
	}
}

// warnInterval is the minimum time between two warnings about a rule that fails
// intermittently.
const warnInterval = time.Hour

// failureLog detects when a rule begins to fail.
type failureLog struct {
	mu       sync.Mutex
	failing  bool
	warnedAt time.Time
}

// record records whether an attempt was answered and reports whether to warn: on
// the first failure in a row, unless the last warning is less than warnInterval old.
func (f *failureLog) record(answered bool, now time.Time) (warn bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	wasFailing := f.failing
	f.failing = !answered
	if answered || wasFailing || !f.warnedAt.IsZero() && now.Sub(f.warnedAt) < warnInterval {
		return false
	}
	f.warnedAt = now
	return true
}

// logAttempt logs what an operator should know about an attempt.
func (p *Pool) logAttempt(t inbox.Task, o inbox.Outcome, change transition, warn bool) {
	if o.State != inbox.Dead && !warn && change == unchanged {
		return
	}
	log := p.Log.With("rule", p.Label(), "target", p.Rule.Host())
	about := []any{"source", t.Source, "id", t.DeliveryID, "attempts", t.Attempts, "error", o.Error}
	switch {
	case o.State == inbox.Dead:
		log.Warn("gave up on a delivery", about...)
	case warn:
		log.Warn("forwarding failed; will retry", append(about, "due", o.DueAt.Format(time.RFC3339))...)
	}
	switch change {
	case opened:
		log.Warn("the target keeps failing; retrying less often", "failures", failureThreshold, "every", probeInterval, "error", o.Error)
	case closed:
		log.Warn("the target answers again")
	}
}
