package serving

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
)

// jobsGap is the time between two looks for due jobs, so that many changes cost few looks.
const jobsGap = 100 * time.Millisecond

// watchJobs wakes the workers of the rules that have due jobs, when jobs change and when one is
// due, until ctx ends.
func (s *Service) watchJobs(ctx context.Context) {
	for ctx.Err() == nil {
		next := s.wakeDuePools(ctx)
		pause(ctx, jobsGap)
		s.ports.Store.WaitFor(ctx, inbox.JobsChanged, next)
	}
}

// wakeDuePools wakes the workers of the rules that have due jobs and returns when to look again.
// It asks the store once for all rules. While a rule has due jobs, that is after the interval:
// workers here have no free slot, or another process has leased the jobs and may fail.
func (s *Service) wakeDuePools(ctx context.Context) (next time.Time) {
	now := s.ports.Clock.Now()
	soon := now.Add(s.config.PollInterval)
	keys, next, err := s.ports.Store.DueRules(ctx, now)
	if err != nil {
		if ctx.Err() == nil {
			s.log.Error("looking for due jobs failed", "error", err)
		}
		return soon
	}
	for _, key := range keys {
		pool := s.ruleSet.Load().byKey[key]
		if pool == nil || pool.IsPaused() {
			continue
		}
		pool.Wake()
		if next.IsZero() || next.After(soon) {
			next = soon
		}
	}
	return next
}

// watchPauses follows pauses that other processes, such as the command line, have stored, until
// ctx ends.
func (s *Service) watchPauses(ctx context.Context) {
	for ctx.Err() == nil {
		s.ports.Store.WaitFor(ctx, inbox.PausesChanged, time.Time{})
		s.refreshPauses(ctx)
	}
}

// watchLeases reclaims the leases of dead processes, until ctx ends: every second while any
// process has some. After a notification it looks twice, because a process that leases jobs
// notifies once a second.
func (s *Service) watchLeases(ctx context.Context) {
	for ctx.Err() == nil {
		for looks := 1; (s.reclaimLeases(ctx) || looks < 2) && ctx.Err() == nil; looks++ {
			pause(ctx, s.config.PollInterval)
		}
		s.ports.Store.WaitFor(ctx, inbox.LeasesTaken, time.Time{})
	}
}
