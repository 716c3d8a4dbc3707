package order

import (
	"time"

	"github.com/octavo-books/octavo/domain/user"
)

// System cancels the orders that lapse. No account has this ID.
const System user.ID = -1

// LapseReason is the reason of orders that lapse.
const LapseReason = "The book was not handed over in time."

// meetingGrace is how long after the agreed time an order lapses at the earliest: people are late.
const meetingGrace = 24 * time.Hour

// Waits reports whether the order waits to be handed over.
func (o Order) Waits() bool { return o.Status == Placed && o.Handover == NotHandedOver }

// LapsesAt returns when the order lapses if orders lapse after some time and its people have
// agreed to meet at another (zero: they have not). It returns the zero time if the order does not
// lapse. Nobody loses an order soon after the reminder: that may be late, after an outage.
func (o Order) LapsesAt(after time.Duration, agreed time.Time) time.Time {
	if after <= 0 || !o.Waits() {
		return time.Time{}
	}
	at := o.CreatedAt.Add(after)
	if !o.RemindedAt.IsZero() {
		at = latest(at, o.RemindedAt.Add(after/4))
	}
	if !agreed.IsZero() {
		at = latest(at, agreed.Add(min(after, meetingGrace)))
	}
	return at
}

// MustRemind reports whether it is time to remind both sides that the order lapses. While they
// have an agreed time before them, nobody needs to.
func (o Order) MustRemind(after time.Duration, agreed, now time.Time) bool {
	return after > 0 && o.Waits() && o.RemindedAt.IsZero() && !now.Before(o.CreatedAt.Add(after/2)) && !agreed.After(now)
}

// MustLapse reports whether the order lapses now. Its people were reminded before.
func (o Order) MustLapse(after time.Duration, agreed, now time.Time) bool {
	at := o.LapsesAt(after, agreed)
	return !at.IsZero() && !o.RemindedAt.IsZero() && !now.Before(at)
}

// Lapsed reports whether the order was cancelled because nobody handed over the book.
func (o Order) Lapsed() bool { return o.Status == Cancelled && o.CancelledBy == System }

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
