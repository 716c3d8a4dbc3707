package serving

import (
	"context"
	"errors"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
)

// pruneRegularly prunes until ctx ends.
func (s *Service) pruneRegularly(ctx context.Context) {
	tick := time.NewTicker(pollsPerPrune * s.config.PollInterval)
	defer tick.Stop()
	var p pruner
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := p.run(ctx, s); err != nil && ctx.Err() == nil {
				s.log.Error("pruning the inbox failed", "error", err)
			}
		}
	}
}

// pruner bounds the time that counting deliveries takes.
type pruner struct{ countAfter time.Time }

// How long attempts are kept.
const (
	attemptRetention    = 30 * 24 * time.Hour // or until the delivery is deleted, if that is earlier
	attemptsPerDelivery = 2                   // times Config.MaxDeliveries are stored at most
)

// countShare limits counting to one part in so many of the time.
const countShare = 50

// run deletes what exceeds the retention in small steps. It pauses after each for as long as
// the step took, so that deliveries can be stored in between.
func (p *pruner) run(ctx context.Context, s *Service) error {
	now := s.ports.Clock.Now()
	r := inbox.Retention{
		PayloadsBefore: now.Add(-s.config.PayloadRetention), DeliveriesBefore: now.Add(-s.config.DeliveryRetention), Now: now,
		AttemptsBefore: now.Add(-attemptRetention), MaxAttempts: attemptsPerDelivery * s.config.MaxDeliveries,
	}
	var uncounted, err error
	r.UpTo, uncounted = p.findExcess(ctx, s, now)
	for more := true; more && ctx.Err() == nil; {
		began := time.Now()
		if r, more, err = s.ports.Store.PruneDeliveries(ctx, r); err != nil {
			return errors.Join(uncounted, err)
		}
		if more {
			pause(ctx, max(time.Since(began), s.config.PollInterval/200))
		}
	}
	return uncounted
}

// findExcess counts deliveries, unless the last count was slow and recent.
func (p *pruner) findExcess(ctx context.Context, s *Service, now time.Time) (int64, error) {
	if now.Before(p.countAfter) {
		return 0, nil
	}
	seq, err := s.ports.Store.FindExcess(ctx, s.config.MaxDeliveries)
	p.countAfter = now.Add(countShare * s.ports.Clock.Now().Sub(now))
	return seq, err
}

// pause waits until ctx ends or the time has passed.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// prepareStorage makes room for deliveries. After a failure they are stored nevertheless.
func (s *Service) prepareStorage(ctx context.Context) {
	err := s.ports.Store.PrepareStorage(ctx, s.config.MaxDeliveries)
	if failed := err != nil && ctx.Err() == nil; failed != s.unprepared {
		if s.unprepared = failed; failed {
			s.log.Error("preparing the storage of deliveries failed, which makes pruning slower", "error", err)
		}
	}
}
