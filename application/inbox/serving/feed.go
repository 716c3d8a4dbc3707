package serving

import (
	"context"
	"errors"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
)

// The limits of FollowDeliveries.
const (
	maxFollowers      = 32
	feedPage          = 100 // deliveries that a follower reads at once, without payloads
	heartbeatInterval = 15 * time.Second
)

// FollowDeliveries passes every delivery that is stored after f.After and matches to the
// follower, once and in the order of storing, until ctx ends or the follower fails. Up to
// 32 callers follow at the same time; the others get ErrTooManyFollowers. Another error is
// ErrQuery. A slow follower delays nobody, because it reads from the store. Deliveries whose
// payload has been pruned meanwhile are left out.
func (s *Service) FollowDeliveries(ctx context.Context, f inbox.Follow, to inbox.Follower) error {
	rule, err := f.Filter()
	if err != nil {
		return err
	}
	grown, stop, ok := s.feed.subscribe()
	if !ok {
		return inbox.ErrTooManyFollowers
	}
	defer stop()
	end, err := s.ports.Store.FeedEnd(ctx)
	if err != nil {
		return err
	}
	// After a restore from a backup, f.After may be beyond the end.
	at := min(f.After, end)
	if f.After < 0 {
		at = end
	}
	if err := to.Progress(at); err != nil {
		return err
	}
	heartbeat := time.NewTicker(heartbeatInterval)
	defer heartbeat.Stop()
	for {
		if at, err = s.deliverRange(ctx, rule, at, max(end, s.feed.end.Load()), to); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-grown:
		case <-heartbeat.C:
			if err := to.Progress(at); err != nil {
				return err
			}
		}
	}
}

// deliverRange passes on the deliveries after a position up to end, and returns the new
// position.
func (s *Service) deliverRange(ctx context.Context, rule inbox.Rule, at, end int64, to inbox.Follower) (int64, error) {
	for at < end {
		page, err := s.ports.Store.ReadFeed(ctx, at, end, feedPage)
		if err != nil {
			return at, err
		}
		for _, d := range page {
			if err := s.deliverOne(ctx, rule, d, to); err != nil {
				return at, err
			}
			at = d.Position
		}
		if len(page) < feedPage {
			at = end
		}
	}
	return at, nil
}

func (s *Service) deliverOne(ctx context.Context, rule inbox.Rule, d inbox.FeedDelivery, to inbox.Follower) (err error) {
	if !rule.Matches(d.Subject()) {
		return nil
	}
	d.Payload, err = s.ports.Store.ReadPayload(ctx, d.Seq)
	switch {
	case err != nil && !errors.Is(err, inbox.ErrPayloadDamaged):
		return err
	case err == nil && d.Payload == nil: // pruned a moment ago
		return nil
	}
	return to.Deliver(d)
}
