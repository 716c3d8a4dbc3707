package inbox

import (
	"context"
	"crypto/sha256"
	"sync/atomic"

	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/webhook"
)

// The most bytes that a name may have; a store indexes the id and the event.
const (
	maxID     = 256
	maxEvent  = 100
	maxAction = 100
)

// storable reports whether a text that a sender chose to be known by can be stored
// as it is.
func storable(s string, most int) bool { return text.Line(s, most) == s }

// Accept stores a verified event with the action that its receiver has found; it
// is made to be registered with OnAny by receiver.ActionFunc. nil means that the
// event is stored for good, now or by an earlier delivery with the same id. The
// errors are ErrNoID, ErrUnprintable, ErrFull, ErrNotStored, ErrStopped and the
// context's; after the last of them the event may still come to be stored.
func (s *Service) Accept(ctx context.Context, e webhook.Event, action string) error {
	if e.ID == "" {
		return ErrNoID
	}
	if !storable(e.ID, maxID) || !storable(string(e.Name), maxEvent) {
		return ErrUnprintable
	}
	if s.pending.Load() >= int64(s.config.MaxPending) || !s.mem.take(len(e.Payload)) {
		s.ports.Meter.Accepted("full")
		return ErrFull
	}
	stored := make(chan error, 1)
	delivery, held := s.prepare(e, action)
	err := s.committer.add(&entry{
		delivery: delivery,
		replay:   s.replay(e, delivery),
		done: func(fresh bool, err error) {
			s.mem.give(len(e.Payload))
			s.count(len(delivery.Jobs), fresh, err)
			s.dispatch(delivery, held, fresh)
			stored <- err
		},
	})
	if err != nil {
		s.mem.give(len(e.Payload))
		s.ports.Meter.Accepted("full")
		s.dispatch(delivery, held, false)
		return err
	}
	select {
	case err := <-stored:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// prepare makes the delivery with a job for each rule that matches. held are the
// lanes that keep a place for their job, in the order of the jobs; nil where the
// job has to be claimed.
func (s *Service) prepare(e webhook.Event, action string) (Delivery, []*lane) {
	now := s.ports.Clock.Now()
	action = text.Line(action, maxAction) // what this changes is no action of any list
	d := Delivery{Seq: s.ports.IDs.Next(), ID: e.ID, Event: e.Name, Action: action, ReceivedAt: now, Payload: e.Payload}
	var held []*lane
	for _, l := range s.lanes() {
		if !l.rule.matches(d.Event, d.Action) {
			continue
		}
		job := Job{ID: s.ports.IDs.Next(), Seq: d.Seq, Rule: l.rule.Key(), OrderKey: l.order.find(d.Payload), DueAt: now, ChangedAt: now}
		holder := l
		if job.OrderKey == "" && l.reserve(now, len(e.Payload)) {
			job.Attempts, job.LeaseUntil = 1, now.Add(l.lease())
		} else {
			holder = nil
		}
		d.Jobs, held = append(d.Jobs, job), append(held, holder)
	}
	return d, held
}

// dispatch hands the jobs of a stored delivery to the lanes that keep places for
// them and lets go of the places where it was not stored.
func (s *Service) dispatch(d Delivery, held []*lane, fresh bool) {
	for i, l := range held {
		switch {
		case l != nil && fresh:
			l.hand(Task{Job: d.Jobs[i], DeliveryID: d.ID, Event: d.Event, Payload: d.Payload})
		case l != nil:
			l.release(len(d.Payload))
		case fresh:
			s.wake(d.Jobs[i].Rule)
		}
	}
}

// count meters what became of a delivery.
func (s *Service) count(jobs int, fresh bool, err error) {
	switch {
	case err != nil:
		s.ports.Meter.Accepted("failed")
	case !fresh:
		s.ports.Meter.Accepted("duplicate")
	default:
		s.pending.Add(int64(jobs))
		s.ports.Meter.Accepted("stored")
	}
}

// replay is the hash by which the same event under another id is known.
func (s *Service) replay(e webhook.Event, d Delivery) Replay {
	if s.config.ReplayWindow == 0 {
		return Replay{}
	}
	h := sha256.New()
	h.Write([]byte(e.Name))
	h.Write([]byte{0})
	h.Write(e.Payload)
	r := Replay{Until: d.ReceivedAt.Add(s.config.ReplayWindow)}
	h.Sum(r.Hash[:0])
	return r
}

// memory bounds the bytes that wait in memory.
type memory struct {
	most int64
	used atomic.Int64
}

// take asks for n bytes. One piece larger than all of it passes when nothing
// else is there.
func (m *memory) take(n int) bool {
	used := m.used.Add(int64(n))
	if used > m.most && used > int64(n) {
		m.give(n)
		return false
	}
	return true
}

func (m *memory) give(n int) { m.used.Add(-int64(n)) }
