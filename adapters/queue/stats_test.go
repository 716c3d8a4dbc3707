package queue

import "testing"

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
