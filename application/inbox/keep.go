package inbox

import (
	"context"
	"time"
)

// How many scans pass between looking at the store's size and pruning it.
const (
	scansPerCount = 10
	scansPerPrune = 60
)

// keep counts, prunes, takes over what others have left and buries jobs whose rule
// is gone until ctx ends.
func (s *Service) keep(ctx context.Context) {
	counting := time.NewTicker(scansPerCount * s.config.ScanEvery)
	defer counting.Stop()
	taking := time.NewTicker(s.config.ScanEvery)
	defer taking.Stop()
	pruning := time.NewTicker(scansPerPrune * s.config.ScanEvery)
	defer pruning.Stop()
	var orphans orphanSearch
	s.census(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case <-counting.C:
			s.census(ctx)
		case <-taking.C:
			s.takeOver(ctx)
			s.shareRules(ctx)
			s.searchOrphans(ctx, &orphans)
		case <-pruning.C:
			s.prune(ctx)
		}
	}
}

// census counts what waits.
func (s *Service) census(ctx context.Context) {
	stats, err := s.ports.Keeper.Stats(ctx)
	if err != nil {
		if ctx.Err() == nil {
			s.log.Error("counting the inbox failed", "error", err)
		}
		return
	}
	s.pending.Store(int64(stats.Open))
	var oldest time.Duration
	if !stats.Oldest.IsZero() {
		oldest = s.ports.Clock.Now().Sub(stats.Oldest)
	}
	s.ports.Meter.Waiting(stats, oldest)
}

// takeOver makes the lanes look for jobs of processes that are gone.
func (s *Service) takeOver(ctx context.Context) {
	jobs, err := s.ports.Queue.TakeOver(ctx)
	if err != nil && ctx.Err() == nil {
		s.log.Error("taking over jobs failed", "error", err)
	}
	if jobs == 0 {
		return
	}
	s.log.Info("took over jobs of a process that is gone", "jobs", jobs)
	for _, l := range s.lanes() {
		l.wake()
	}
}

// shareRules makes up for a ShareRules that was not called or failed.
func (s *Service) shareRules(ctx context.Context) {
	if err := s.ShareRules(ctx); err != nil && ctx.Err() == nil {
		s.log.Error("commands beside the service do not know its rules", "error", err)
	}
}

// prune drops what is too old, a small step at a time so that deliveries pass in
// between.
func (s *Service) prune(ctx context.Context) {
	now := s.ports.Clock.Now()
	for ctx.Err() == nil {
		more, err := s.ports.Keeper.Prune(ctx, Retention{
			Bodies: now.Add(-s.config.KeepBodies), IDs: now.Add(-s.config.KeepIDs), Most: s.config.KeepMost, Now: now,
		})
		if err != nil && ctx.Err() == nil {
			s.log.Error("pruning the inbox failed", "error", err)
		}
		if err != nil || !more {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(s.config.ScanEvery / 20):
		}
	}
}
