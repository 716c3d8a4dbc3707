package sending

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/text"
)

// AttemptLog aggregates the attempts of each rule until they are stored, so that many
// attempts cost one write.
type AttemptLog struct {
	mu     sync.Mutex
	byRule map[string]inbox.AttemptReport
}

// add adds a report about attempts that are later than those of the log.
func (l *AttemptLog) add(r inbox.AttemptReport) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byRule == nil {
		l.byRule = map[string]inbox.AttemptReport{}
	}
	merged := l.byRule[r.Rule].Merge(r)
	merged.Rule = r.Rule
	l.byRule[r.Rule] = merged
}

// Take empties the log and returns its reports in the order of their rules.
func (l *AttemptLog) Take() []inbox.AttemptReport {
	l.mu.Lock()
	defer l.mu.Unlock()
	reports := slices.SortedFunc(maps.Values(l.byRule), func(a, b inbox.AttemptReport) int { return strings.Compare(a.Rule, b.Rule) })
	clear(l.byRule)
	return reports
}

// Restore puts reports back that could not be stored.
func (l *AttemptLog) Restore(reports []inbox.AttemptReport) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range reports {
		l.byRule[r.Rule] = r.Merge(l.byRule[r.Rule])
	}
}

// reportOf reports one attempt.
func (p *Pool) reportOf(o inbox.Outcome, delivered, answered bool) inbox.AttemptReport {
	r := inbox.AttemptReport{
		Rule: p.Rule.Key(), Attempts: 1, Last: inbox.AttemptResult{At: o.At, Status: o.Status, Error: o.Error},
		CircuitOpen: p.circuit.isOpen(),
	}
	if !delivered {
		r.Failures = 1
	}
	if answered {
		r.AnsweredAt = o.At
	} else {
		r.FailingSince = o.At
	}
	if o.State == inbox.Dead {
		r.DiedAt = o.At
	}
	return r
}

// newAttempt describes a request that began at begin and ended with o.
func newAttempt(t inbox.Task, target string, begin time.Time, response inbox.ForwardResponse, o inbox.Outcome) *inbox.Attempt {
	return &inbox.Attempt{
		Job: t.ID, Number: t.Attempts, At: begin, Rule: t.Rule, Target: target, Status: o.Status, Error: o.Error,
		Duration: o.At.Sub(begin), Answer: text.Block(response.Answer, inbox.MaxAnswer),
	}
}
