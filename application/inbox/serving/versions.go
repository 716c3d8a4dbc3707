package serving

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/webhook"
)

// The limits of looking for earlier deliveries with the same id.
const (
	maxVersions     = 8 // that a body is compared with, the newest
	maxVersionRaces = 5 // lost to other requests with the same id
)

// acceptAgain accepts a delivery whose id, or whose hash, is stored already.
func (s *Service) acceptAgain(ctx context.Context, source string, e webhook.Event, action string) (inbox.Receipt, error) {
	end, err := s.versionTurns.take(ctx, source, e.ID)
	if err != nil {
		return "", err
	}
	defer end()
	last := 0
	for range maxVersionRaces {
		versions, err := s.ports.Store.FindVersions(ctx, source, e.ID, maxVersions)
		if err != nil {
			s.log.Error("looking for an earlier delivery failed", "source", source, "id", e.ID, "error", err)
			return "", inbox.ErrNotStored
		}
		if len(versions) == 0 { // the same event and body came under another id
			s.ports.Meter.CountDelivery(source, string(inbox.SeenBefore))
			return inbox.SeenBefore, nil
		}
		if seen, ok := s.sameDelivery(source, e, versions); ok {
			return s.repeat(ctx, seen)
		}
		last = nextVersion(versions, last)
		receipt, err := s.acceptBeside(ctx, source, e, action, versions, last)
		if err != nil || receipt != inbox.SeenBefore {
			return receipt, err
		}
	}
	return "", inbox.ErrNotStored
}

// nextVersion is the number after those of all versions, and after the last one that was tried:
// a sender may have the id ID~2 of its own.
func nextVersion(versions []inbox.Delivery, tried int) int {
	for _, v := range versions {
		tried = max(tried, v.Version())
	}
	return tried + 1
}

// sameDelivery returns the version that the delivery repeats. Without its body, a version that
// needs no sending counts as the same.
func (s *Service) sameDelivery(source string, e webhook.Event, versions []inbox.Delivery) (seen inbox.Delivery, ok bool) {
	for _, v := range versions {
		if v.Payload != nil && !bytes.Equal(v.Payload, e.Payload) {
			continue
		}
		if window := s.dedupe(source, e.ID); window != 0 && (window == inbox.NoDedupe || s.ports.Clock.Now().Sub(v.ReceivedAt) >= window) {
			return inbox.Delivery{}, false
		}
		state := v.State()
		return v, v.Payload != nil || state == inbox.Open.String() || state == inbox.Delivered.String()
	}
	return inbox.Delivery{}, false
}

// dedupe is how long an id of a source is remembered: 0 as long as it is stored.
func (s *Service) dedupe(source, id string) time.Duration {
	if window := s.sourceNamed(source).Dedupe; window != 0 {
		return window
	}
	if webhook.IsBodyHash(id) {
		return inbox.BodyDedupe
	}
	return 0
}

// repeat sends a delivery again if no rule has accepted it and none still tries.
func (s *Service) repeat(ctx context.Context, d inbox.Delivery) (inbox.Receipt, error) {
	added, err := s.addRepeat(ctx, d)
	if err != nil {
		s.log.Error("sending a repeated delivery again failed", "source", d.Source, "id", d.ID, "error", err)
		return "", inbox.ErrNotStored
	}
	receipt := inbox.SeenBefore
	if len(added) > 0 {
		receipt = inbox.Redelivered
	}
	s.ports.Meter.CountDelivery(d.Source, string(receipt))
	s.log.Info(
		"a delivery was seen before", "source", d.Source, "id", d.ID, "event", string(d.Event), "state", d.State(), "sent_again_to",
		len(added),
	)
	return receipt, nil
}

func (s *Service) addRepeat(ctx context.Context, d inbox.Delivery) (added []inbox.Job, err error) {
	if len(d.Jobs) > 0 && d.State() != inbox.Dead.String() {
		return nil, nil
	}
	jobs, err := s.JobsFor(d, s.Rules())
	if err != nil {
		return nil, noTarget(err)
	}
	if added, err = s.ports.Store.AddRepeat(ctx, d.Seq, jobs); err != nil {
		return nil, err
	}
	s.openJobs.Add(int64(len(added)))
	for _, job := range added {
		s.wakePool(job.Rule)
	}
	return added, nil
}

// acceptBeside stores a version of a delivery beside others. SeenBefore means that there is a
// delivery with that id.
func (s *Service) acceptBeside(
	ctx context.Context, source string, e webhook.Event, action string, versions []inbox.Delivery, number int,
) (inbox.Receipt, error) {
	conflict := !slices.ContainsFunc(versions, func(v inbox.Delivery) bool { return v.Payload == nil || bytes.Equal(v.Payload, e.Payload) })
	original := e.ID
	e.ID += "~" + strconv.Itoa(number)
	one, err := s.newEntry(source, e, action)
	if err != nil {
		return "", err
	}
	one.delivery.Original, one.delivery.Conflict, one.replay = original, conflict, inbox.Replay{}
	if err := s.queue(one); err != nil {
		return "", err
	}
	fresh, err := one.wait(ctx)
	switch {
	case err != nil:
		return "", err
	case !fresh:
		return inbox.SeenBefore, nil
	case !conflict:
		return inbox.Stored, nil
	}
	s.log.Warn(
		"another body arrived under an id that was seen before; it is stored beside", "source", source, "id", original, "event",
		string(e.Name), "as", e.ID,
	)
	return inbox.Conflicting, nil
}

// noTarget returns nil for ErrNoTarget.
func noTarget(err error) error {
	if errors.Is(err, inbox.ErrNoTarget) {
		return nil
	}
	return err
}
