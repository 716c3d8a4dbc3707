package serving

import (
	"context"
	"crypto/sha256"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/inbox/sending"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/webhook"
)

// Accept is AcceptFrom for DefaultSource.
func (s *Service) Accept(ctx context.Context, e webhook.Event, action string) error {
	return s.AcceptFrom(ctx, inbox.DefaultSource, e, action)
}

// AcceptFrom is AcceptDelivery without its receipt.
func (s *Service) AcceptFrom(ctx context.Context, source string, e webhook.Event, action string) error {
	_, err := s.AcceptDelivery(ctx, source, e, action)
	return err
}

// AcceptDelivery stores a verified event of a source with the action that the receiver
// found in it; register it with OnAny as a receiver.ActionFunc. A nil error means
// that the event is stored durably, by this delivery or by an earlier one of the same
// source with the same id and body. An earlier one that no rule has accepted is sent again.
// Run stores it, so without Run it waits until ctx ends.
// The errors are ErrNoID, ErrUnprintable, ErrFull, ErrNotStored, ErrStopped and
// the context's; after a context error the event may still be stored.
func (s *Service) AcceptDelivery(ctx context.Context, source string, e webhook.Event, action string) (inbox.Receipt, error) {
	if !inbox.IsStorable(e.ID, inbox.MaxID) {
		return "", inbox.ErrUnprintable
	}
	one, err := s.newEntry(source, e, action)
	if err != nil {
		return "", err
	}
	if err := s.queue(one); err != nil {
		return "", err
	}
	switch fresh, err := one.wait(ctx); {
	case err != nil:
		return "", err
	case fresh:
		return inbox.Stored, nil
	}
	return s.acceptAgain(ctx, source, e, action)
}

// AcceptAll is AcceptFrom for events without actions that arrive in order: a rule with
// orderBy forwards them in it, because one transaction stores them. It returns how many
// of them, from the first on, are stored durably, and the error of the next one.
func (s *Service) AcceptAll(ctx context.Context, source string, events []webhook.Event) (int, error) {
	all, refused := make([]*entry, 0, len(events)), error(nil)
	for _, e := range events {
		one, err := s.newEntry(source, e, "")
		if err != nil {
			refused = err
			break
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		return 0, refused
	}
	if err := s.queue(all...); err != nil {
		return 0, err
	}
	for n, one := range all {
		fresh, err := one.wait(ctx)
		if err != nil {
			return n, err
		}
		if !fresh {
			s.ports.Meter.CountDelivery(source, string(inbox.SeenBefore))
		}
	}
	return len(all), refused
}

// newEntry makes the entry of an event, with memory and worker slots reserved for it.
func (s *Service) newEntry(source string, e webhook.Event, action string) (*entry, error) {
	if e.ID == "" {
		return nil, inbox.ErrNoID
	}
	if !inbox.IsStorable(source, inbox.MaxSource) || !inbox.IsStorable(e.ID, inbox.MaxVersionID) ||
		!inbox.IsStorable(string(e.Name), inbox.MaxEvent) {
		return nil, inbox.ErrUnprintable
	}
	if s.openJobs.Load() >= int64(s.config.MaxPending) || !s.buffered.Reserve(len(e.Payload)) {
		s.ports.Meter.CountDelivery(source, "full")
		return nil, inbox.ErrFull
	}
	delivery, reserved := s.prepare(source, e, action)
	one := &entry{delivery: delivery, reserved: reserved, replay: s.replayHash(e, delivery), stored: make(chan storedResult, 1)}
	one.done = func(fresh bool, err error) {
		s.buffered.Release(len(e.Payload))
		s.countAccepted(one.delivery, fresh, err)
		s.dispatch(one.delivery, reserved, fresh)
		one.stored <- storedResult{fresh, err}
	}
	return one, nil
}

// queue hands entries to the committer. If it takes none of them, it releases what is
// reserved for them.
func (s *Service) queue(entries ...*entry) error {
	err := s.committer.add(entries)
	if err == nil {
		return nil
	}
	for _, e := range entries {
		s.buffered.Release(len(e.delivery.Payload))
		s.ports.Meter.CountDelivery(e.delivery.Source, "full")
		s.dispatch(e.delivery, e.reserved, false)
	}
	return err
}

// prepare builds the delivery with a job for each rule that matches. reserved has
// for each job the pool that reserved a slot for it, nil if the job must be
// claimed from the store.
func (s *Service) prepare(source string, e webhook.Event, action string) (inbox.Delivery, []*sending.Pool) {
	now := s.ports.Clock.Now()
	action = text.Line(action, inbox.MaxAction) // does not change any listed action
	d := inbox.Delivery{
		Seq: s.ports.IDs.Next(), Source: source, ID: e.ID, Event: e.Name, Action: action, ReceivedAt: now, Header: e.Header,
		Payload: e.Payload,
	}
	var reserved []*sending.Pool
	var facts *inbox.Facts
	for _, pool := range s.ruleSet.Load().matching(d.Subject()) {
		if pool.Where != nil {
			if facts == nil {
				facts = inbox.NewFacts(d)
			}
			if !pool.Where.Matches(facts) {
				continue
			}
		}
		job := inbox.Job{
			ID: s.ports.IDs.Next(), Seq: d.Seq, Rule: pool.Rule.Key(), OrderKey: pool.OrderBy.ValueIn(d.Payload), DueAt: now,
			ChangedAt: now,
		}
		if job.OrderKey == "" && pool.ReserveSlot(now, len(e.Payload)) {
			job.Attempts, job.LeaseUntil = 1, now.Add(pool.LeaseTime())
		} else {
			pool = nil
		}
		d.Jobs, reserved = append(d.Jobs, job), append(reserved, pool)
	}
	return d, reserved
}

// dispatch passes the jobs of a stored delivery to the pools that reserved slots
// for them. If the delivery was not stored, it releases those slots.
func (s *Service) dispatch(d inbox.Delivery, reserved []*sending.Pool, fresh bool) {
	for i, pool := range reserved {
		switch {
		case pool != nil && fresh:
			pool.Submit(inbox.Task{
				Job: d.Jobs[i], Source: d.Source, DeliveryID: d.ID, Original: d.Original, Event: d.Event, Header: d.Header,
				Payload: d.Payload,
			})
		case pool != nil:
			pool.ReleaseUnused(len(d.Payload))
		case fresh:
			s.wakePool(d.Jobs[i].Rule)
		}
	}
}

// countAccepted records the outcome of a delivery in the metrics. What is not fresh is counted
// when it is known whether it is sent again.
func (s *Service) countAccepted(d inbox.Delivery, fresh bool, err error) {
	switch {
	case err != nil:
		s.ports.Meter.CountDelivery(d.Source, "failed")
	case fresh:
		s.feed.stored()
		s.openJobs.Add(int64(len(d.Jobs)))
		outcome := inbox.Stored
		if d.Conflict {
			outcome = inbox.Conflicting
		}
		s.ports.Meter.CountDelivery(d.Source, string(outcome))
		if len(d.Jobs) == 0 {
			s.ports.Meter.CountUnmatched(d.Source)
		}
	}
}

// replayHash identifies the same event of a source under another id.
func (s *Service) replayHash(e webhook.Event, d inbox.Delivery) inbox.Replay {
	if s.config.ReplayWindow == 0 {
		return inbox.Replay{}
	}
	h := sha256.New()
	h.Write([]byte(d.Source))
	h.Write([]byte{0})
	h.Write([]byte(e.Name))
	h.Write([]byte{0})
	h.Write(e.Payload)
	r := inbox.Replay{Until: d.ReceivedAt.Add(s.config.ReplayWindow)}
	h.Sum(r.Hash[:0])
	return r
}
