package inbox

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// attemptLog aggregates the attempts of each rule until they are stored, so that many
// attempts cost one write.
type attemptLog struct {
	mu     sync.Mutex
	byRule map[string]AttemptReport
}

// add adds a report about attempts that are later than those of the log.
func (l *attemptLog) add(r AttemptReport) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byRule == nil {
		l.byRule = map[string]AttemptReport{}
	}
	merged := l.byRule[r.Rule].Merge(r)
	merged.Rule = r.Rule
	l.byRule[r.Rule] = merged
}

// take empties the log and returns its reports in the order of their rules.
func (l *attemptLog) take() []AttemptReport {
	l.mu.Lock()
	defer l.mu.Unlock()
	reports := slices.SortedFunc(maps.Values(l.byRule), func(a, b AttemptReport) int { return strings.Compare(a.Rule, b.Rule) })
	clear(l.byRule)
	return reports
}

// restore puts reports back that could not be stored.
func (l *attemptLog) restore(reports []AttemptReport) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range reports {
		l.byRule[r.Rule] = r.Merge(l.byRule[r.Rule])
	}
}

// reportOf reports one attempt.
func (p *workerPool) reportOf(o Outcome, delivered, answered bool) AttemptReport {
	r := AttemptReport{
		Rule: p.rule.Key(), Attempts: 1, Last: AttemptResult{At: o.At, Status: o.Status, Error: o.Error}, CircuitOpen: p.circuit.isOpen(),
	}
	if !delivered {
		r.Failures = 1
	}
	if answered {
		r.AnsweredAt = o.At
	} else {
		r.FailingSince = o.At
	}
	if o.State == Dead {
		r.DiedAt = o.At
	}
	return r
}

// storeAttempts stores the results of attempts for other processes and restarts. After a
// failure it keeps them for the next call.
func (s *Service) storeAttempts(ctx context.Context) {
	reports := s.attempts.take()
	if len(reports) == 0 {
		return
	}
	if err := s.ports.Store.RecordAttempts(ctx, reports); err != nil {
		s.attempts.restore(reports)
		if ctx.Err() == nil {
			s.log.Error("storing the states of the rules failed", "error", err)
		}
	}
}

// lastStoreTimeout bounds how long the shutdown waits for the statistics to be stored.
const lastStoreTimeout = 2 * time.Second

// storeAttemptsAtTheEnd stores the results of the last attempts at the shutdown.
func (s *Service) storeAttemptsAtTheEnd() {
	ctx, cancel := context.WithTimeout(context.Background(), lastStoreTimeout)
	defer cancel()
	s.storeAttempts(ctx)
}

// ListRules is Admin.ListRules with the attempts of this process until now.
func (s *Service) ListRules(ctx context.Context) ([]RuleStatus, error) {
	s.storeAttempts(ctx)
	return s.Admin.ListRules(ctx)
}
