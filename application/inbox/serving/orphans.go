package serving

import (
	"context"
	"fmt"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/inbox/sending"
)

// orphanWindow is how long after a change of the rules open jobs of a removed rule
// may still appear: a delivery prepared before the change is stored, a running send
// fails, or the lease of a dead process expires.
const orphanWindow = sending.MaxQueueTime + inbox.MaxTimeout + 2*commitTimeout

// orphanSearch schedules the search for such jobs. A search reads every open job,
// so the intervals double.
type orphanSearch struct {
	rulesChangedAt time.Time // the change that the searches follow
	searchedAt     time.Time
}

// due reports whether to search now.
func (o *orphanSearch) due(changed, now time.Time) bool {
	if !o.rulesChangedAt.Equal(changed) {
		*o = orphanSearch{rulesChangedAt: changed}
	}
	if o.searchedAt.IsZero() {
		return true
	}
	age := o.searchedAt.Sub(o.rulesChangedAt)
	return age < orphanWindow && now.Sub(o.rulesChangedAt) >= 2*age
}

// searchOrphans dead-letters jobs without a rule if a search is due. A failed
// search is repeated at the next poll.
func (s *Service) searchOrphans(ctx context.Context, o *orphanSearch) {
	now := s.ports.Clock.Now()
	if !o.due(time.UnixMicro(s.rulesChangedAt.Load()), now) {
		return
	}
	if err := s.deadLetterOrphans(ctx); err != nil {
		if ctx.Err() == nil {
			s.log.Error("searching for jobs without a rule failed", "error", err)
		}
		return
	}
	o.searchedAt = now
}

// deadLetterOrphans dead-letters the open jobs whose rule no longer exists, except
// those under a live lease.
func (s *Service) deadLetterOrphans(ctx context.Context) error {
	keys := []string{}
	for _, rule := range s.Rules() {
		keys = append(keys, rule.Key())
	}
	n, err := s.ports.Store.DeadLetterJobs(ctx, keys, "the rule no longer exists", s.ports.Clock.Now())
	if err != nil {
		return fmt.Errorf("dead-letter jobs without a rule: %w", err)
	}
	if n > 0 {
		s.log.Warn("jobs without a rule became dead letters", "jobs", n)
	}
	return nil
}
