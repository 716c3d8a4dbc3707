package serving

import (
	"context"
	"time"
)

// The numbers of polls between two rounds of counting and pruning. They are so small that
// deliveries beyond a limit are deleted within a minute.
const (
	pollsPerCount = 10
	pollsPerPrune = 20
)

// maintain counts jobs, stores attempts, dead-letters jobs whose rule is gone and makes room for
// deliveries, until ctx ends. It asks the store at every poll only if there is something to do.
func (s *Service) maintain(ctx context.Context) {
	counting := time.NewTicker(pollsPerCount * s.config.PollInterval)
	defer counting.Stop()
	polling := time.NewTicker(s.config.PollInterval)
	defer polling.Stop()
	var orphans orphanSearch
	for {
		select {
		case <-ctx.Done():
			return
		case <-counting.C:
			s.refreshStats(ctx)
			s.raiseAlerts(ctx)
		case <-polling.C:
			s.storeAttempts(ctx)
			s.publishRules(ctx)
			s.searchOrphans(ctx, &orphans)
			s.prepareStorage(ctx)
		}
	}
}

// refreshStats counts the jobs for the pending limit and the metrics.
func (s *Service) refreshStats(ctx context.Context) {
	stats, err := s.ports.Store.CountJobs(ctx)
	if err != nil {
		if ctx.Err() == nil {
			s.log.Error("counting the inbox's jobs failed", "error", err)
		}
		return
	}
	s.openJobs.Store(int64(stats.Open))
	var oldest time.Duration
	if !stats.Oldest.IsZero() {
		oldest = s.ports.Clock.Now().Sub(stats.Oldest)
	}
	s.ports.Meter.ObserveBacklog(stats, oldest)
	s.ports.Meter.ObservePausedRules(s.countPaused())
}

// reclaimLeases frees the jobs of dead processes and wakes the workers to claim them. It reports
// whether leases are left, or that it has failed.
func (s *Service) reclaimLeases(ctx context.Context) (left bool) {
	jobs, left, err := s.ports.Store.ReclaimLeases(ctx)
	if err != nil && ctx.Err() == nil {
		s.log.Error("reclaiming leases failed", "error", err)
	}
	if jobs > 0 {
		s.log.Info("reclaimed the leases of a dead process", "jobs", jobs)
		for _, pool := range s.pools() {
			pool.Wake()
		}
	}
	return left || err != nil
}

// publishRules publishes the rules if PublishRules was not called or failed.
func (s *Service) publishRules(ctx context.Context) {
	if err := s.PublishRules(ctx); err != nil && ctx.Err() == nil {
		s.log.Error("publishing the forwarding rules to other processes failed", "error", err)
	}
}
