package queue

import (
	"errors"
	"testing"
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
		s, err := q.broker.subscribe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer s.close()
		var d *delivery
		eventually(t, "a message", func() bool {
			d, err = s.next(t.Context())
			return d != nil
		})
		eventually(t, "it in flight", func() bool {
			c, err := q.ReadStats(t.Context())
			return err == nil && c.Waiting == 2 && c.InFlight == 1
		})
		if err := d.ack(t.Context()); err != nil {
			t.Fatal(err)
		}
		eventually(t, "one less", func() bool {
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
		eventually(t, "nobody takes them", func() bool { return errors.Is(q.CheckMailers(t.Context()), ErrNoMailer) })
		s, err := q.broker.subscribe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer s.close()
		eventually(t, "a message", func() bool {
			d, err := s.next(t.Context())
			return err == nil && d != nil
		})
		eventually(t, "somebody takes them", func() bool { return q.CheckMailers(t.Context()) == nil })
	})
}
