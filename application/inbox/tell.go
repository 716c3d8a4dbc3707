package inbox

import (
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
)

// Label names a rule in logs and metrics: by its name or, since a URL may hold a
// secret, by its match and its number among the rules, from 1.
func (r Rule) Label(number int) string {
	if r.Name != "" {
		return r.Name
	}
	return r.Match + "#" + strconv.Itoa(number)
}

// Host is where the rule leads, without the path and the query.
func (r Rule) Host() string {
	target, err := url.Parse(r.URL)
	if err != nil {
		return ""
	}
	return target.Host
}

func (l *lane) label() string { return l.rule.Label(int(l.number.Load())) }

// warnOfMatch logs that the rule is for a name outside the table: an event newer
// than this program, or a mistake in typing.
func (l *lane) warnOfMatch() {
	if name := webhook.EventName(l.rule.Match); l.rule.Match != anyEvent && !name.Known() {
		l.log.Warn("a forwarding rule is for an event outside the table",
			"rule", l.label(), "match", l.rule.Match, "nearest", string(webhook.Nearest(name)))
	}
}

// quietTime is how long a rule that fails now and then is not warned of again.
const quietTime = time.Hour

// trouble notices when a rule begins to fail.
type trouble struct {
	mu      sync.Mutex
	failing bool
	toldAt  time.Time
}

// note records how a try ended and reports whether it is a failure to warn of: the
// first one in a row, unless there was a warning not long ago.
func (t *trouble) note(answered bool, now time.Time) (begins bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	was := t.failing
	t.failing = !answered
	if answered || was || !t.toldAt.IsZero() && now.Sub(t.toldAt) < quietTime {
		return false
	}
	t.toldAt = now
	return true
}

// tell logs what an operator should know of a try.
func (l *lane) tell(t Task, o Outcome, turned turn, begins bool) {
	if o.State != Dead && !begins && turned == unturned {
		return
	}
	log := l.log.With("rule", l.label(), "target", l.rule.Host())
	about := []any{"id", t.DeliveryID, "attempts", t.Attempts, "error", o.Error}
	switch {
	case o.State == Dead:
		log.Warn("delivery given up", about...)
	case begins:
		log.Warn("forwarding fails; it is tried again", append(about, "due", o.DueAt.Format(time.RFC3339))...)
	}
	switch turned {
	case opened:
		log.Warn("the target keeps failing and is tried less often", "failures", patience, "every", probeEvery, "error", o.Error)
	case closed:
		log.Warn("the target answers again")
	}
}
