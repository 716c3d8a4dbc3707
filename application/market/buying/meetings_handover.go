package buying

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// CodeFor returns the code that the buyer shows at an agreed meeting; empty for everybody else,
// and when the order is over.
func (m *Meetings) CodeFor(by user.Caller, o market.OrderView) meeting.Code {
	if by.ID == 0 || by.ID != o.Buyer || !o.Waits() || !m.deps.Handover.Meets() || o.Meeting == nil || o.Meeting.State != meeting.Accepted {
		return ""
	}
	return m.secret.Code(*o.Meeting)
}

// Confirm records that the seller has handed the book over, with the code that the buyer shows.
// It charges and pays nobody: an admin does, unless the buyer pays the seller directly. A wrong
// code counts, and the transaction that counts it commits.
func (m *Meetings) Confirm(ctx context.Context, by user.Caller, id order.ID, typed string) (OrderDetails, error) {
	code, readable := meeting.ParseCode(typed)
	var wrong error
	v, err := m.change(ctx, by, inOrder(id), func(ctx context.Context, u *orderUpdate) error {
		wrong = nil // this may run twice
		if err := u.mustExpectCode(ctx, by, m.zone); err != nil {
			return err
		}
		if !readable { // it cannot be right, so it need not count
			return meeting.ErrCode
		}
		if !code.Matches(m.secret.Code(*u.meeting)) {
			wrong = meeting.ErrCode
			return u.AddTry(ctx, id, u.Now)
		}
		return u.handOver(ctx, by)
	})
	if err == nil && wrong != nil {
		return OrderDetails{}, wrong
	}
	return v, err
}

// mustExpectCode loads the accepted meeting of an order, and refuses a code that the seller may
// not type now.
func (u *orderUpdate) mustExpectCode(ctx context.Context, by user.Caller, zone *time.Location) error {
	switch {
	case by.ID != u.order.Seller:
		return meeting.ErrSeller
	case !u.order.Waits():
		return order.ErrTransition
	}
	proposed, err := u.ListMeetings(ctx, u.order.ID)
	if err != nil {
		return err
	}
	if u.meeting = proposed.Open(); u.meeting == nil || u.meeting.State != meeting.Accepted {
		return meeting.ErrNotAccepted
	}
	if err := u.meeting.CheckTime(u.Now, zone); err != nil {
		return err
	}
	tries, err := u.ListTries(ctx, u.order.ID)
	if err != nil {
		return err
	}
	return tries.Check(u.Now)
}

// handOver records that the two have met. No money moves, unless the buyer has paid the seller.
func (u *orderUpdate) handOver(ctx context.Context, by user.Caller) error {
	err := u.apply(ctx, func() ([]order.Entry, error) {
		entries, err := u.order.Meet(by.ID, u.Now)
		if err == nil && u.order.Status == order.Delivered {
			err = u.book.HandOver()
			u.PublishEvent(event.OfOrder(event.OrderDelivered, u.order, u.book, u.Currency))
		}
		return entries, err
	})
	if err != nil {
		return err
	}
	u.notifyHandedOver()
	u.Audit(by, "order.handed_over", u.order.Book.String(), "")
	return u.DeleteTries(ctx, u.order.ID)
}

// notifyHandedOver tells both sides what the code has confirmed, and which amount is due.
func (u *orderUpdate) notifyHandedOver() {
	o := u.order
	u.notifyOrder(notification.HandedOver, o.Seller, o)
	u.Mail(message.HandedOver, o.Seller, u.orderParams(o, map[string]string{message.ParamPrice: u.Currency.Format(o.Price)}))
	u.notifyOrder(notification.HandedOver, o.Buyer, o)
	u.Mail(message.HandedOver, o.Buyer, u.orderParams(o, map[string]string{message.ParamTotal: u.Currency.Format(o.Total())}))
}

// leaveMeeting ends the open meeting of an order that an admin completes. That at which the book
// was handed over stays.
func (u *orderUpdate) leaveMeeting(ctx context.Context) error {
	if !u.order.Met() {
		return u.endMeeting(ctx)
	}
	all, err := u.ListMeetings(ctx, u.order.ID)
	u.meeting = all.Open()
	return err
}

// endMeeting ends the open meeting of an order that is cancelled, or that an admin completes.
func (u *orderUpdate) endMeeting(ctx context.Context) error {
	u.meeting = nil
	all, err := u.ListMeetings(ctx, u.order.ID)
	if err != nil {
		return err
	}
	if err := u.closeMeeting(ctx, all, meeting.Ended); err != nil {
		return err
	}
	return u.DeleteTries(ctx, u.order.ID)
}
