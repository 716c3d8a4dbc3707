package inbox

import (
	"context"
	"fmt"
	"time"
)

// orphanTime is how long after a change of the rules open jobs of a rule that is
// gone may come to light: a delivery that was prepared before is stored, a send
// that had begun fails, or the lease of a process that is gone runs out.
const orphanTime = laneWait + maxTimeout + 2*commitTimeout

// orphanSearch times the search for such jobs. A search reads every open job, so
// each comes after twice the time of the one before.
type orphanSearch struct {
	changed  time.Time // when the rules were changed, as far as this has noticed
	searched time.Time
}

// due reports whether to search now.
func (o *orphanSearch) due(changed, now time.Time) bool {
	if !o.changed.Equal(changed) {
		*o = orphanSearch{changed: changed}
	}
	if o.searched.IsZero() {
		return true
	}
	age := o.searched.Sub(o.changed)
	return age < orphanTime && now.Sub(o.changed) >= 2*age
}

// searchOrphans buries jobs without a rule if a search is due. A search that fails
// is due again.
func (s *Service) searchOrphans(ctx context.Context, o *orphanSearch) {
	now := s.ports.Clock.Now()
	if !o.due(time.UnixMicro(s.changed.Load()), now) {
		return
	}
	if err := s.buryOrphans(ctx); err != nil {
		if ctx.Err() == nil {
			s.log.Error("searching for jobs without a rule failed", "error", err)
		}
		return
	}
	o.searched = now
}

// buryOrphans makes dead letters of the open jobs whose rule is no longer there,
// but of those that somebody is sending.
func (s *Service) buryOrphans(ctx context.Context) error {
	keys := []string{}
	for _, rule := range s.Rules() {
		keys = append(keys, rule.Key())
	}
	n, err := s.ports.Queue.Bury(ctx, keys, "the rule is no longer there", s.ports.Clock.Now())
	if err != nil {
		return fmt.Errorf("bury jobs without a rule: %w", err)
	}
	if n > 0 {
		s.log.Warn("jobs without a rule are dead letters", "jobs", n)
	}
	return nil
}
