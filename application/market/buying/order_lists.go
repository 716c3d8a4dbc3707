package buying

import (
	"context"
	"slices"
	"unicode/utf8"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// ListPurchased lists the books that the caller has bought, with their orders, newest
// first. Cancelled orders are left out.
func (o *Orders) ListPurchased(ctx context.Context, by user.Caller, p market.Page) ([]market.BookView, market.Cursor, error) {
	return listTraded(ctx, by, p, o.reader.ListBooksBoughtBy)
}

// ListSold lists the books that the caller has sold, with their orders, newest first.
// Cancelled orders are left out.
func (o *Orders) ListSold(ctx context.Context, by user.Caller, p market.Page) ([]market.BookView, market.Cursor, error) {
	return listTraded(ctx, by, p, o.reader.ListBooksSoldBy)
}

func listTraded(
	ctx context.Context, by user.Caller, p market.Page, read func(context.Context, user.ID, order.ID, int) ([]market.BookView, error),
) ([]market.BookView, market.Cursor, error) {
	if err := by.MustBeStudent(); err != nil {
		return nil, "", err
	}
	views, next, err := market.List(p, func(v market.BookView) order.ID { return v.Order.ID }, func(
		after order.ID, n int,
	) ([]market.BookView, error) {
		return read(ctx, by.ID, after, n)
	})
	return market.ShownTo(views, by), next, err
}

// ListHistory lists the orders with the caller on one side, newest first, including
// cancelled ones.
func (o *Orders) ListHistory(
	ctx context.Context, by user.Caller, side order.Side, p market.Page,
) ([]market.OrderView, market.Cursor, error) {
	if err := by.MustBeStudent(); err != nil {
		return nil, "", err
	}
	orders, next, err := market.List(p, func(v market.OrderView) order.ID { return v.ID }, func(
		after order.ID, n int,
	) ([]market.OrderView, error) {
		return o.reader.ListOrdersOf(ctx, by.ID, side, 0, after, n)
	})
	for i := range orders {
		orders[i] = orders[i].ShownTo(by)
	}
	return orders, next, err
}

// OrderFilter narrows ListAll.
type OrderFilter struct {
	Status *order.Status // nil: any
	Search string        // an order's code, or part of a book's name or of a user's name or address; empty: any
}

// ErrSearchTooLong refuses to search orders for a long text.
var ErrSearchTooLong = fault.New(fault.Invalid, "search_too_long", "A search may have at most 300 characters.").
	WithField("search", "Must be at most 300 characters.")

// ListAll lists the orders that an admin oversees, newest first.
func (o *Orders) ListAll(ctx context.Context, by user.Caller, f OrderFilter, p market.Page) ([]market.OrderView, market.Cursor, error) {
	if err := by.MustBe(user.Admin); err != nil {
		return nil, "", err
	}
	status, err := statusOf(f.Status)
	if err != nil {
		return nil, "", err
	}
	if utf8.RuneCountInString(f.Search) > book.MaxQuery {
		return nil, "", ErrSearchTooLong
	}
	at, n, err := p.Read()
	if err != nil || !text.Storable(f.Search) { // no stored text can contain it
		return nil, "", err
	}
	if found, err := o.findByCode(ctx, by, f.Search, status); err != nil || len(found) > 0 {
		return found, "", err
	}
	orders, err := o.reader.ListOrders(ctx, OrderSelection{status, text.Key(by.Campus()), f.Search}, order.ID(at.ID), n+1)
	if err != nil {
		return nil, "", err
	}
	orders, next := market.Cut(orders, n, func(v market.OrderView) market.Position { return market.Position{ID: int64(v.ID)} })
	return orders, next, nil
}

// statusOf checks the status of a filter; 0 if it has none.
func statusOf(s *order.Status) (order.Status, error) {
	if s == nil {
		return 0, nil
	}
	status, ok := order.ParseStatus(int(*s))
	if !ok {
		return 0, market.ErrStatus
	}
	return status, nil
}

// findByCode finds the order with this code that the caller oversees, in a status; 0 is any. A
// title such as "Linear Algebra" has the form of a code.
func (o *Orders) findByCode(ctx context.Context, by user.Caller, code string, s order.Status) ([]market.OrderView, error) {
	id, ok := order.ParseCode(code)
	if !ok {
		return nil, nil
	}
	found, err := o.reader.FindOrderViews(ctx, id)
	return slices.DeleteFunc(found, func(v market.OrderView) bool { return s != 0 && v.Status != s || !by.Oversees(v.University) }), err
}
