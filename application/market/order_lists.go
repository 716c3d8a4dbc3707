package market

import (
	"context"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// ListPurchased lists the books that the caller has bought, with their orders, newest
// first. Cancelled orders are left out.
func (o *Orders) ListPurchased(ctx context.Context, by user.Caller, p Page) ([]BookView, Cursor, error) {
	return listTraded(ctx, by, p, o.reader.ListBooksBoughtBy)
}

// ListSold lists the books that the caller has sold, with their orders, newest first.
// Cancelled orders are left out.
func (o *Orders) ListSold(ctx context.Context, by user.Caller, p Page) ([]BookView, Cursor, error) {
	return listTraded(ctx, by, p, o.reader.ListBooksSoldBy)
}

func listTraded(ctx context.Context, by user.Caller, p Page, read func(context.Context, user.ID, order.ID, int) ([]BookView, error)) ([]BookView, Cursor, error) {
	if err := by.MustBeStudent(); err != nil {
		return nil, "", err
	}
	at, n, err := p.read()
	if err != nil {
		return nil, "", err
	}
	views, err := read(ctx, by.ID, order.ID(at.ID), n+1)
	if err != nil {
		return nil, "", err
	}
	views, next := cut(views, n, func(v BookView) Position { return Position{ID: int64(v.Order.ID)} })
	return shownTo(views, by), next, nil
}

// ListHistory lists the orders with the caller on one side, newest first, including
// cancelled ones.
func (o *Orders) ListHistory(ctx context.Context, by user.Caller, side order.Side, p Page) ([]OrderView, Cursor, error) {
	if err := by.MustBeStudent(); err != nil {
		return nil, "", err
	}
	at, n, err := p.read()
	if err != nil {
		return nil, "", err
	}
	orders, err := o.reader.ListOrdersOf(ctx, by.ID, side, order.ID(at.ID), n+1)
	if err != nil {
		return nil, "", err
	}
	orders, next := cut(orders, n, func(v OrderView) Position { return Position{ID: int64(v.ID)} })
	for i := range orders {
		orders[i] = orders[i].shownTo(by)
	}
	return orders, next, nil
}

// OrderFilter narrows ListAll.
type OrderFilter struct {
	Status *order.Status // nil: any
	Search string        // part of a book's name or of a user's name or address; empty: any
}

// The errors of order filters.
var (
	ErrStatus = fault.New(fault.Invalid, "status_invalid", "This status does not exist.").
			WithField("status", "Must be a defined status.")
	ErrSearchTooLong = fault.New(fault.Invalid, "search_too_long", "A search may have at most 300 characters.").
				WithField("search", "Must be at most 300 characters.")
)

// ListAll lists the orders of all users for admins, newest first.
func (o *Orders) ListAll(ctx context.Context, by user.Caller, f OrderFilter, p Page) ([]OrderView, Cursor, error) {
	if err := by.MustBe(user.Admin); err != nil {
		return nil, "", err
	}
	var status order.Status
	if f.Status != nil {
		var ok bool
		if status, ok = order.ParseStatus(int(*f.Status)); !ok {
			return nil, "", ErrStatus
		}
	}
	if utf8.RuneCountInString(f.Search) > book.MaxQuery {
		return nil, "", ErrSearchTooLong
	}
	at, n, err := p.read()
	if err != nil || !text.Storable(f.Search) { // no stored text can contain such a search
		return nil, "", err
	}
	orders, err := o.reader.ListOrders(ctx, status, f.Search, order.ID(at.ID), n+1)
	if err != nil {
		return nil, "", err
	}
	orders, next := cut(orders, n, func(v OrderView) Position { return Position{ID: int64(v.ID)} })
	return orders, next, nil
}
