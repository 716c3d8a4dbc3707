package buying

import (
	"context"
	"errors"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// Orders takes orders from checkout to delivery, or cancels them.
type Orders struct {
	deps      unit
	reader    Reader
	onlyOrder order.ID // 0: any
}

// newOrders returns the use cases of orders.
func newOrders(d unit, r Reader) *Orders { return &Orders{deps: d, reader: r} }

// ForOrder returns use cases that change a book only if this is its live order, and
// otherwise return book.ErrTransition. An admin who has seen one order of a book thus
// cannot change the next order of the same book by mistake. 0 allows any order.
func (o *Orders) ForOrder(id order.ID) *Orders { return &Orders{o.deps, o.reader, id} }

// Confirm records that an admin verified the condition, and charges the buyer.
func (o *Orders) Confirm(ctx context.Context, by user.Caller, id book.ID) (market.OrderView, error) {
	return o.advance(ctx, by, id, "order.confirmed", func(ctx context.Context, u *orderUpdate) error {
		if err := u.take(ctx, by, verified); err != nil {
			return err
		}
		u.notifyOrder(notification.ConditionVerified, u.order.Buyer, u.order)
		u.notifyOrder(notification.ConditionVerified, u.order.Seller, u.order)
		u.Mail(message.ConditionVerified, u.order.Buyer, u.billParams(u.order))
		return nil
	})
}

// SetPaid records that the buyer has the book, and pays the seller.
func (o *Orders) SetPaid(ctx context.Context, by user.Caller, id book.ID) (market.OrderView, error) {
	return o.advance(ctx, by, id, "order.paid", func(ctx context.Context, u *orderUpdate) error {
		return u.pay(ctx, by)
	})
}

// Settle charges the buyer, unless an admin has done so, and pays the seller. The two have met to
// hand over the book.
func (o *Orders) Settle(ctx context.Context, by user.Caller, id book.ID) (market.OrderView, error) {
	return o.advance(ctx, by, id, "order.settled", func(ctx context.Context, u *orderUpdate) error {
		switch {
		case u.order.WaitsForPayment():
		case !u.order.WaitsForSettlement():
			return order.ErrNotHandedOver
		default:
			if err := u.take(ctx, by, verified); err != nil {
				return err
			}
		}
		return u.pay(ctx, by)
	})
}

// orderUpdate is a transaction that changes an order and its book, both locked.
type orderUpdate struct {
	*tx
	book    book.Book
	order   order.Order
	parties map[user.ID]market.User
	meeting *meeting.Proposal // the open one, if the update has loaded it
}

// lockOrder locks the accounts of buyer and seller, a book, and its live order: in this order, in which a
// suspension locks them, too. A book without a live order, or with another than onlyOrder, is book.ErrTransition.
func (o *Orders) lockOrder(ctx context.Context, t *tx, id book.ID) (*orderUpdate, error) {
	return o.lock(ctx, t, id, t.LockBook)
}

func (o *Orders) lock(
	ctx context.Context, t *tx, id book.ID, lockBook func(context.Context, book.ID) (book.Book, error),
) (*orderUpdate, error) {
	parties, err := t.lockParties(ctx, id)
	if err != nil {
		return nil, err
	}
	b, err := lockBook(ctx, id)
	if err != nil {
		return nil, err
	}
	live, err := t.LockOrder(ctx, b.ID)
	if errors.Is(err, order.ErrNotFound) || err == nil && o.onlyOrder != 0 && live.ID != o.onlyOrder {
		err = book.ErrTransition
	}
	if err != nil {
		return nil, err
	}
	if _, locked := parties[live.Buyer]; !locked { // the book has another order by now
		parties, err = t.LockUsers(ctx, live.Buyer, live.Seller)
	}
	return &orderUpdate{tx: t, book: b, order: live, parties: parties}, err
}

// lockParties locks the accounts of the buyer and the seller of a book's live order, if there is one.
func (t *tx) lockParties(ctx context.Context, id book.ID) (map[user.ID]market.User, error) {
	live, err := t.FindLiveOrder(ctx, id)
	if errors.Is(err, order.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return t.LockUsers(ctx, live.Buyer, live.Seller)
}

// lockToDecide is lockOrder for an admin of the book's university who is no party to the sale.
func (o *Orders) lockToDecide(ctx context.Context, t *tx, by user.Caller, id book.ID) (*orderUpdate, error) {
	return o.lock(ctx, t, id, func(ctx context.Context, id book.ID) (book.Book, error) { return t.lockToDecide(ctx, by, id) })
}

// advance lets an admin do something that takes an order on.
func (o *Orders) advance(
	ctx context.Context, by user.Caller, id book.ID, action string, do func(context.Context, *orderUpdate) error,
) (market.OrderView, error) {
	if err := by.MustBe(user.Admin); err != nil {
		return market.OrderView{}, err
	}
	var v market.OrderView
	err := o.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		u, err := o.lockToDecide(ctx, t, by, id)
		if err != nil {
			return err
		}
		if err := do(ctx, u); err != nil {
			return err
		}
		u.Audit(by, action, u.order.Book.String(), "")
		if err := u.leaveMeeting(ctx); err != nil {
			return err
		}
		v, err = u.view(ctx)
		return err
	})
	return v, err
}

// step takes an order and its book to their next status, with the event that tells of it.
type step struct {
	order func(*order.Order, user.ID, time.Time) ([]order.Entry, error)
	book  func(*book.Book) error
	event event.Type
}

var (
	verified  = step{(*order.Order).Verify, (*book.Book).Verify, event.OrderVerified}    // the buyer is charged
	delivered = step{(*order.Order).Deliver, (*book.Book).Deliver, event.OrderDelivered} // the seller is paid
)

func (u *orderUpdate) take(ctx context.Context, by user.Caller, s step) error {
	return u.apply(ctx, func() ([]order.Entry, error) {
		entries, err := s.order(&u.order, by.ID, u.Now)
		if err = errors.Join(s.book(&u.book), err); err != nil {
			return nil, book.ErrTransition
		}
		u.PublishEvent(event.OfOrder(s.event, u.order, u.book, u.Currency))
		return entries, nil
	})
}

// pay pays the seller, and tells both sides.
func (u *orderUpdate) pay(ctx context.Context, by user.Caller) error {
	if err := u.take(ctx, by, delivered); err != nil {
		return err
	}
	u.notifyOrder(notification.PaymentSent, u.order.Seller, u.order)
	u.Mail(message.PaymentSent, u.order.Seller, u.orderParams(
		u.order, map[string]string{message.ParamPrice: u.Currency.Format(u.order.Price)},
	))
	u.notifyOrder(notification.BookDelivered, u.order.Buyer, u.order)
	u.Mail(message.BookDelivered, u.order.Buyer, u.billParams(u.order))
	return nil
}

// apply changes the order and its book, and saves them.
func (u *orderUpdate) apply(ctx context.Context, change func() ([]order.Entry, error)) error {
	wasBook, wasOrder := u.book.Status, u.order.Status
	entries, err := change()
	if err != nil {
		return err
	}
	if err := u.UpdateBook(ctx, u.book, wasBook); err != nil {
		return err
	}
	if err := u.UpdateOrder(ctx, u.order, wasOrder, entries); err != nil {
		return err
	}
	if u.book.Status == book.Delivered {
		return u.BookDelivered(ctx, u.book.ID)
	}
	return nil
}

// view returns the order as admins see it, with the names of those who changed it.
func (u *orderUpdate) view(ctx context.Context) (market.OrderView, error) {
	o := u.order
	names, err := u.FindUsers(ctx, o.VerifiedBy, o.DeliveredBy, o.CancelledBy)
	name := func(id user.ID) string { return names[id].Profile.FirstName }
	return market.OrderView{
		Order: o, BuyerParty: u.parties[o.Buyer].Party(), SellerParty: u.parties[o.Seller].Party(),
		VerifierName: name(o.VerifiedBy), DelivererName: name(o.DeliveredBy), CancellerName: name(o.CancelledBy), Meeting: u.meeting,
	}, err
}

// Cancel cancels an order that is not delivered: it refunds a buyer who was charged,
// relists the book and matches it again, reopens the requests that it filled, and
// notifies both sides. If the seller may not trade any more, the book is unlisted instead.
func (o *Orders) Cancel(ctx context.Context, by user.Caller, id book.ID, reason string) (market.BookView, error) {
	if err := by.MustBe(user.Admin); err != nil {
		return market.BookView{}, err
	}
	reason, err := order.CleanReason(reason)
	if err != nil {
		return market.BookView{}, err
	}
	var v market.BookView
	err = o.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		u, err := o.lockToDecide(ctx, t, by, id)
		if err != nil {
			return err
		}
		entries, err := u.order.Cancel(by.ID, reason, u.Now)
		if err != nil {
			return book.ErrTransition
		}
		if err := u.cancelled(ctx, entries, u.whyUnlisted()); err != nil {
			return err
		}
		t.Audit(by, "order.cancelled", id.String(), reason)
		if v, err = t.View(ctx, u.book, u.parties[u.book.Seller]); err != nil {
			return err
		}
		return t.OrderEnded(ctx, id)
	})
	return v, err
}

// cancelled saves a cancelled order and notifies both sides. The book is for sale again,
// or unlisted if there is a reason why.
func (u *orderUpdate) cancelled(ctx context.Context, entries []order.Entry, why event.Unlisting) error {
	wasBook := u.book.Status
	if err := u.book.Return(); err != nil {
		return book.ErrTransition
	}
	if err := u.UpdateOrder(ctx, u.order, order.Status(wasBook), entries); err != nil {
		return err
	}
	if err := u.endMeeting(ctx); err != nil {
		return err
	}
	u.PublishEvent(event.CancelOrder(u.order, u.book, u.Currency, u.order.Refunded()))
	u.notifyCancelled()
	if why == "" {
		u.PublishEvent(event.PostBook(u.book, u.Currency, event.Returned))
		return u.SaveAndMatch(ctx, u.book, wasBook)
	}
	if err := u.UpdateBook(ctx, u.book, wasBook); err != nil {
		return err
	}
	if err := u.book.Unlist(); err != nil {
		return err
	}
	u.PublishEvent(event.UnlistBook(u.book, why))
	return u.UpdateBook(ctx, u.book, book.ForSale)
}

func (u *orderUpdate) notifyCancelled() {
	for _, to := range []user.ID{u.order.Buyer, u.order.Seller} {
		params := u.orderParams(u.order, map[string]string{message.ParamReason: u.order.Reason})
		switch u.order.CancelledBy {
		case u.order.Buyer:
			params[message.ParamBy] = message.ByBuyer
		case u.order.Seller:
			params[message.ParamBy] = message.BySeller
		case order.System:
			params[message.ParamBy] = message.BySystem
		}
		if u.order.Refunded() && to == u.order.Buyer {
			params[message.ParamRefund] = u.Currency.Format(u.order.Total())
		}
		u.notifyOrder(notification.OrderCancelled, to, u.order)
		u.Mail(message.OrderCancelled, to, params)
	}
}

// lockToDecide is LockBook for an admin of the book's university who decides about its sale.
func (t *tx) lockToDecide(ctx context.Context, by user.Caller, id book.ID) (book.Book, error) {
	b, err := t.LockBook(ctx, id)
	if err == nil {
		err = by.MustOversee(b.University)
	}
	if err == nil {
		err = t.MustDecide(ctx, by, b.Affair())
	}
	return b, err
}

// notifyOrder sends a user a notification about an order.
func (t *tx) notifyOrder(kind notification.Kind, to user.ID, o order.Order) {
	t.Announce(notification.AboutOrder(kind, to, o, t.Now))
}
