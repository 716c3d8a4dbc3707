package inbox

import (
	"context"
	"errors"
	"time"

	"github.com/octavo-books/octavo/domain/fault"
)

// FeedDelivery is a delivery at its position.
type FeedDelivery struct {
	Position int64
	Delivery
}

// The limits of FollowDeliveries.
const (
	maxFollowers      = 32
	feedPage          = 100 // deliveries that a follower reads at once, without payloads
	heartbeatInterval = 15 * time.Second
)

// Follow chooses the deliveries to follow.
type Follow struct {
	After  int64  // the position after which to begin; negative for the end
	Source string // "" for all
	Match  string // the patterns of Rule.Match, one a line; "" for all
}

// rule returns the filter, or ErrQuery.
func (f Follow) rule() (Rule, error) {
	if f.Match == "" {
		f.Match = anyEvent
	}
	r := Rule{Source: f.Source, Match: f.Match}
	if err := checkName(f.Source); err != nil {
		return r, ErrQuery.WithField("source", "must be the name of a source")
	}
	if err := r.checkMatch(); err != nil {
		return r, ErrQuery.WithField("event", fault.As(err).Fields["match"])
	}
	return r, nil
}

// Follower receives what FollowDeliveries finds. An error of a method ends FollowDeliveries.
type Follower interface {
	// Deliver receives the next delivery, whose payload is nil if it is damaged.
	Deliver(d FeedDelivery) error
	// Progress receives, at the beginning and then every 15 seconds, the position up to which
	// everything has been delivered.
	Progress(position int64) error
}

// FollowDeliveries passes every delivery that is stored after f.After and matches to the
// follower, once and in the order of storing, until ctx ends or the follower fails. Up to
// 32 callers follow at the same time; the others get ErrTooManyFollowers. Another error is
// ErrQuery. A slow follower delays nobody, because it reads from the store. Deliveries whose
// payload has been pruned meanwhile are left out.
func (s *Service) FollowDeliveries(ctx context.Context, f Follow, to Follower) error {
	rule, err := f.rule()
	if err != nil {
		return err
	}
	grown, stop, ok := s.feed.subscribe()
	if !ok {
		return ErrTooManyFollowers
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
func (s *Service) deliverRange(ctx context.Context, rule Rule, at, end int64, to Follower) (int64, error) {
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

func (s *Service) deliverOne(ctx context.Context, rule Rule, d FeedDelivery, to Follower) (err error) {
	if !rule.matches(d.subject()) {
		return nil
	}
	d.Payload, err = s.ports.Store.ReadPayload(ctx, d.Seq)
	switch {
	case err != nil && !errors.Is(err, ErrPayloadDamaged):
		return err
	case err == nil && d.Payload == nil: // pruned a moment ago
		return nil
	}
	return to.Deliver(d)
}
