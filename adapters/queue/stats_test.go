package queue

import (
	"errors"
	"testing"

	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/poll"
)

func TestStatsCountWaitingAndClaimedMessages(t *testing.T) {
	onEachBroker(t, func(t *testing.T, p testBroker) {
		q := p.open(t)
		if c, err := q.ReadStats(t.Context()); err != nil || c.Waiting != 0 || !c.Oldest.IsZero() {
			t.Errorf("before anything: %+v, %v", c, err)
		}
		publish(t, q, code(1), code(2))
		if c, err := q.ReadStats(t.Context()); err != nil || c.Waiting != 2 || c.InFlight != 0 || c.Oldest.IsZero() {
			t.Errorf("with two: %+v, %v", c, err)
		}
		s := must.Get(q.broker.subscribe(t.Context()))(t)
		defer s.close()
		var d *delivery
		poll.For(t, "a message", func() bool {
			d, _ = s.next(t.Context())
			return d != nil
		})
		poll.For(t, "it in flight", func() bool {
			c, err := q.ReadStats(t.Context())
			return err == nil && c.Waiting == 2 && c.InFlight == 1
		})
		must.Do(t, d.ack(t.Context()))
		poll.For(t, "one less", func() bool {
			c, err := q.ReadStats(t.Context())
			return err == nil && c.Waiting == 1 && c.InFlight == 0
		})
	})
}

func TestMailsThatNobodyTakesAreNoticed(t *testing.T) {
	onEachBroker(t, func(t *testing.T, p testBroker) {
		q := p.open(t)
		if err := q.CheckMailers(t.Context()); err != nil {
			t.Errorf("before anything: %v", err)
		}
		publish(t, q, code(1), code(2))
		poll.For(t, "nobody takes them", func() bool { return errors.Is(q.CheckMailers(t.Context()), ErrNoMailer) })
		s := must.Get(q.broker.subscribe(t.Context()))(t)
		defer s.close()
		poll.For(t, "a message", func() bool {
			d, err := s.next(t.Context())
			return err == nil && d != nil
		})
		poll.For(t, "somebody takes them", func() bool { return q.CheckMailers(t.Context()) == nil })
	})
}
