package queue

import "testing"

func TestTheQueueIsCounted(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		q := p.open(t)
		if c, err := q.Census(t.Context()); err != nil || c.Waiting != 0 || !c.Oldest.IsZero() {
			t.Errorf("before anything: %+v, %v", c, err)
		}
		publish(t, q, code(1), code(2))
		if c, err := q.Census(t.Context()); err != nil || c.Waiting != 2 || c.InHand != 0 || c.Oldest.IsZero() {
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
		eventually(t, "it in hand", func() bool {
			c, err := q.Census(t.Context())
			return err == nil && c.Waiting == 2 && c.InHand == 1
		})
		if err := d.done(t.Context()); err != nil {
			t.Fatal(err)
		}
		eventually(t, "one less", func() bool {
			c, err := q.Census(t.Context())
			return err == nil && c.Waiting == 1 && c.InHand == 0
		})
	})
}
