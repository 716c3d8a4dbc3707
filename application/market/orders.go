package market

import (
	"context"
	"errors"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// Orders are sales on their way.
type Orders struct {
	kit   Kit
	sales SaleReader
	only  order.ID // 0: any
}

// NewOrders makes the list of sales.
func NewOrders(k Kit, sales SaleReader) *Orders { return &Orders{kit: k, sales: sales} }

// Only moves a book on only while this is its sale; else the answer is
// book.ErrTransition. So who has read of one sale does not move the next one of
// the same book. 0 is any sale.
func (o *Orders) Only(id order.ID) *Orders { return &Orders{o.kit, o.sales, id} }

// Confirm records that an admin checked the condition, and charges the buyer.
func (o *Orders) Confirm(ctx context.Context, by user.Caller, id book.ID) (OrderView, error) {
	return o.advance(ctx, by, id, func(s *stage) ([]order.Entry, error) {
		entries, err := s.order.Verify(s.now)
		if err = errors.Join(s.book.Verify(), err); err != nil {
			return nil, book.ErrTransition
		}
		s.account(by, "order.confirmed", s.order.Book.String(), "")
		s.notify(notification.ConditionVerified, s.order.Buyer, s.book)
		s.notify(notification.ConditionVerified, s.order.Seller, s.book)
		s.write(message.ConditionVerified, s.order.Buyer, bill(s.order))
		return entries, nil
	})
}

// SetPaid records that the buyer has the book, and pays the seller.
func (o *Orders) SetPaid(ctx context.Context, by user.Caller, id book.ID) (OrderView, error) {
	return o.advance(ctx, by, id, func(s *stage) ([]order.Entry, error) {
		entries, err := s.order.Deliver(s.now)
		if err = errors.Join(s.book.Deliver(), err); err != nil {
			return nil, book.ErrTransition
		}
		s.account(by, "order.paid", s.order.Book.String(), "")
		s.notify(notification.PaymentSent, s.order.Seller, s.book)
		s.write(message.PaymentSent, s.order.Seller, map[string]string{
			message.ParamBook: s.book.Name, message.ParamPrice: s.order.Price.String(),
		})
		s.notify(notification.BookDelivered, s.order.Buyer, s.book)
		s.write(message.BookDelivered, s.order.Buyer, bill(s.order))
		return entries, nil
	})
}

// stage is a sale that is being moved on.
type stage struct {
	*act
	book    book.Book
	order   order.Order
	parties map[user.ID]Person
}

// stage holds a book, its sale and both sides; a book that is not being sold, or by
// another sale than the only one, is book.ErrTransition.
func (o *Orders) stage(ctx context.Context, a *act, id book.ID) (*stage, error) {
	b, err := a.hold(ctx, id)
	if err != nil {
		return nil, err
	}
	sale, err := a.Sales.Hold(ctx, id)
	if errors.Is(err, order.ErrNotFound) || err == nil && o.only != 0 && sale.ID != o.only {
		err = book.ErrTransition
	}
	if err != nil {
		return nil, err
	}
	parties, err := a.People.FindForShare(ctx, sale.Buyer, sale.Seller)
	return &stage{a, b, sale, parties}, err
}

// advance moves a sale one stage on.
func (o *Orders) advance(ctx context.Context, by user.Caller, id book.ID, move func(*stage) ([]order.Entry, error)) (OrderView, error) {
	if err := by.MustBe(user.Admin); err != nil {
		return OrderView{}, err
	}
	var v OrderView
	err := o.kit.stepAs(ctx, by, func(ctx context.Context, a *act) error {
		s, err := o.stage(ctx, a, id)
		if err != nil {
			return err
		}
		wasBook, wasOrder := s.book.Status, s.order.Status
		entries, err := move(s)
		if err != nil {
			return err
		}
		if err := a.Shelf.Save(ctx, s.book, wasBook); err != nil {
			return err
		}
		if err := a.Sales.Save(ctx, s.order, wasOrder, entries); err != nil {
			return err
		}
		v = OrderView{Order: s.order, BuyerParty: s.parties[s.order.Buyer].Party(), SellerParty: s.parties[s.order.Seller].Party()}
		return nil
	})
	return v, err
}

// Cancel undoes a sale that is not delivered: a buyer who was charged is
// refunded, the book is offered again and matched anew, the requests that it
// filled look on, and both sides are told. The book of a seller who has left is
// not offered again.
func (o *Orders) Cancel(ctx context.Context, by user.Caller, id book.ID, reason string) (BookView, error) {
	if err := by.MustBe(user.Admin); err != nil {
		return BookView{}, err
	}
	reason, err := order.CleanReason(reason)
	if err != nil {
		return BookView{}, err
	}
	var v BookView
	err = o.kit.stepAs(ctx, by, func(ctx context.Context, a *act) error {
		s, err := o.stage(ctx, a, id)
		if err != nil {
			return err
		}
		if err := s.undo(ctx, reason); err != nil {
			return err
		}
		a.account(by, "order.cancelled", id.String(), reason)
		v = BookView{Book: s.book, SellerName: s.parties[s.book.Seller].Profile.FirstName}
		return a.reopen(ctx, id)
	})
	return v, err
}

func (s *stage) undo(ctx context.Context, reason string) error {
	wasBook, wasOrder := s.book.Status, s.order.Status
	entries, err := s.order.Cancel(reason, s.now)
	if err = errors.Join(s.book.Return(), err); err != nil {
		return book.ErrTransition
	}
	if err := s.Sales.Save(ctx, s.order, wasOrder, entries); err != nil {
		return err
	}
	s.tellCancelled(reason, wasOrder == order.Verified)
	if s.parties[s.book.Seller].mayTrade() == nil {
		return s.shelve(ctx, s.book, wasBook)
	}
	if err := s.Shelf.Save(ctx, s.book, wasBook); err != nil {
		return err
	}
	if err := s.book.Unlist(); err != nil {
		return err
	}
	return s.Shelf.Save(ctx, s.book, book.ForSale)
}

func (s *stage) tellCancelled(reason string, refunded bool) {
	toSeller := map[string]string{message.ParamBook: s.book.Name, message.ParamReason: reason}
	toBuyer := map[string]string{message.ParamBook: s.book.Name, message.ParamReason: reason}
	if refunded {
		toBuyer[message.ParamRefund] = s.order.Total().String()
	}
	s.notify(notification.OrderCancelled, s.order.Buyer, s.book)
	s.write(message.OrderCancelled, s.order.Buyer, toBuyer)
	s.notify(notification.OrderCancelled, s.order.Seller, s.book)
	s.write(message.OrderCancelled, s.order.Seller, toSeller)
}

// reopen lets the requests that a book had filled look on.
func (a *act) reopen(ctx context.Context, id book.ID) error {
	filled, err := a.Requests.FilledBy(ctx, id)
	if err != nil {
		return err
	}
	for _, r := range filled {
		r.Reopen()
		if err := a.Requests.Save(ctx, r); err != nil {
			return err
		}
		if _, err := a.seek(ctx, r); err != nil {
			return err
		}
	}
	return nil
}
