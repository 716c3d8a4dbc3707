package inbox

import (
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/webhook"
)

// Label identifies a rule in logs and metrics: its name or, because a URL may hold
// a secret, its match and its number among the rules, from 1.
func (r Rule) Label(number int) string {
	if r.Name != "" {
		return r.Name
	}
	return r.matchText() + "#" + strconv.Itoa(number)
}

// Host is the host of the rule's URL.
func (r Rule) Host() string {
	target, err := url.Parse(r.URL)
	if err != nil {
		return ""
	}
	return target.Host
}

func (p *workerPool) label() string { return p.rule.Label(int(p.ruleNumber.Load())) }

// warnIfUnknownEvent warns that the rule matches a name outside the table of
// events: an event newer than this program, or a typing error.
func (p *workerPool) warnIfUnknownEvent() {
	if p.rule.otherSource() {
		return
	}
	for match := range strings.SplitSeq(p.rule.Match, "\n") {
		if name := webhook.EventName(match); name.IsWellFormed() && !name.Known() && !event.Type(match).Known() {
			p.log.Warn("a forwarding rule matches an event outside the table",
				"rule", p.label(), "match", match, "nearest", string(webhook.Nearest(name)))
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
func (p *workerPool) logAttempt(t Task, o Outcome, change transition, warn bool) {
	if o.State != Dead && !warn && change == unchanged {
		return
	}
	log := p.log.With("rule", p.label(), "target", p.rule.Host())
	about := []any{"source", t.Source, "id", t.DeliveryID, "attempts", t.Attempts, "error", o.Error}
	switch {
	case o.State == Dead:
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
