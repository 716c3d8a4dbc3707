package buying

import (
	"context"
	"errors"
	"time"

	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// Meetings lets the two sides of an order agree on where and when to meet, and lets the seller
// confirm the hand-over with the code that the buyer shows.
type Meetings struct {
	deps   unit
	orders *Orders
	places Reader
	secret meeting.Secret
	zone   *time.Location
}

// newMeetings returns the use cases of meetings.
func newMeetings(d unit, o *Orders, r Reader, c Config) *Meetings {
	return &Meetings{d, o, r, c.Handovers, c.Zone}
}

// Mode says whether people meet.
func (m *Meetings) Mode() meeting.Mode { return m.deps.Handover }

// Direct reports whether buyers pay sellers when they meet.
func (m *Meetings) Direct() bool { return m.deps.Settlement == order.Direct }

// meetingsPerHour is what one user may propose, for all orders together.
var meetingsPerHour = limit.Quota{Name: "meetings_hour", Max: 30, Period: time.Hour}

// Propose proposes a place and a time to the other side of an order of the caller. It replaces
// an earlier proposal, also an accepted one. For others the order does not exist.
func (m *Meetings) Propose(ctx context.Context, by user.Caller, id order.ID, where meeting.PlaceID, at time.Time) (OrderDetails, error) {
	return m.change(ctx, by, inOrder(id), func(ctx context.Context, u *orderUpdate) error {
		if err := u.UseQuota(ctx, by.ID, meetingsPerHour, 1); err != nil {
			return err
		}
		place, err := u.findPlace(ctx, where)
		if err != nil {
			return err
		}
		p, err := meeting.Propose(meeting.ID(u.IDs.Next()), u.order, by.ID, place, at, u.Now)
		if err != nil {
			return err
		}
		earlier, err := u.ListMeetings(ctx, id)
		if err != nil {
			return err
		}
		if err := earlier.CheckAnother(by.ID); err != nil {
			return err
		}
		if err := u.mustBothTrade(); err != nil {
			return err
		}
		if err := u.closeMeeting(ctx, earlier, meeting.Superseded); err != nil {
			return err
		}
		u.meeting = &p
		u.notifyMeeting(notification.MeetingProposed, message.MeetingProposed, by.ID)
		return u.SaveMeeting(ctx, p)
	})
}

// Accept accepts a proposal of the other side. For others than the two it does not exist.
func (m *Meetings) Accept(ctx context.Context, by user.Caller, id meeting.ID) (OrderDetails, error) {
	orderOf := func(ctx context.Context, t *tx) (order.ID, error) {
		p, err := t.FindMeeting(ctx, id)
		return p.Order, err
	}
	v, err := m.change(ctx, by, orderOf, func(ctx context.Context, u *orderUpdate) error {
		p, err := u.FindMeeting(ctx, id) // again, with the order locked
		if err != nil {
			return err
		}
		was := p.State
		if err := p.Accept(u.order, by.ID, u.Now); err != nil {
			return err
		}
		u.meeting = &p
		if was == meeting.Accepted {
			return nil
		}
		if err := u.mustBothTrade(); err != nil {
			return err
		}
		u.notifyMeeting(notification.MeetingAccepted, message.MeetingAccepted, by.ID)
		return u.SaveMeeting(ctx, p)
	})
	if errors.Is(err, order.ErrNotFound) {
		err = meeting.ErrNotFound
	}
	return v, err
}

// allow refuses callers who are no students, and everybody where nobody meets.
func (m *Meetings) allow(by user.Caller) error {
	if err := by.MustBeStudent(); err != nil {
		return err
	}
	return m.deps.Handover.Check()
}

// inOrder is for change.
func inOrder(id order.ID) func(context.Context, *tx) (order.ID, error) {
	return func(context.Context, *tx) (order.ID, error) { return id, nil }
}

// change finds an order of the caller, runs do with the order and its book locked, and returns
// the order.
func (m *Meetings) change(
	ctx context.Context, by user.Caller, find func(context.Context, *tx) (order.ID, error), do func(context.Context, *orderUpdate) error,
) (OrderDetails, error) {
	if err := m.allow(by); err != nil {
		return OrderDetails{}, err
	}
	var v OrderDetails
	err := m.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		id, err := find(ctx, t)
		if err != nil {
			return err
		}
		u, err := m.orders.lockOwnOrder(ctx, t, by, id)
		if err != nil {
			return err
		}
		if err := do(ctx, u); err != nil {
			return err
		}
		v, err = u.details(ctx, by)
		return err
	})
	return v, err
}

// closeMeeting takes the open one of the proposals to another state, if there is one.
func (u *orderUpdate) closeMeeting(ctx context.Context, all meeting.Proposals, as meeting.State) error {
	open := all.Open()
	if open == nil {
		return nil
	}
	open.State = as
	return u.SaveMeeting(ctx, *open)
}

// mustBothTrade refuses a meeting with somebody who has left.
func (u *orderUpdate) mustBothTrade() error {
	for _, side := range []user.ID{u.order.Buyer, u.order.Seller} {
		if u.parties[side].MayTrade() != nil {
			return meeting.ErrAlone
		}
	}
	return nil
}

// findPlace loads a place at one of the two universities of an order.
func (u *orderUpdate) findPlace(ctx context.Context, id meeting.PlaceID) (meeting.Place, error) {
	p, err := u.FindPlace(ctx, id)
	if err != nil {
		return p, err
	}
	for _, university := range []string{u.book.University, u.parties[u.order.Buyer].Profile.University} {
		if text.Key(p.University) == text.Key(university) {
			return p, nil
		}
	}
	return p, meeting.ErrPlaceNotFound
}

// notifyMeeting tells the other side what one side has proposed or accepted.
func (u *orderUpdate) notifyMeeting(kind notification.Kind, mail message.Kind, by user.ID) {
	to := u.order.Buyer
	if by == to {
		to = u.order.Seller
	}
	u.notifyOrder(kind, to, u.order)
	u.Mail(mail, to, u.orderParams(u.order, map[string]string{
		message.ParamFrom: u.Caller.Profile.FirstName, message.ParamPlace: u.meeting.Name,
		message.ParamAt: u.meeting.At.Format(time.RFC3339),
	}))
}
