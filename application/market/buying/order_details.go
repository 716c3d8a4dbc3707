package buying

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// Get returns one order to its buyer, its seller and the admins of its university. For others
// it does not exist.
func (o *Orders) Get(ctx context.Context, by user.Caller, id order.ID) (OrderDetails, error) {
	if by.MustBe(user.Admin) != nil {
		if err := by.MustBeStudent(); err != nil {
			return OrderDetails{}, err
		}
	}
	found, err := o.reader.FindOrderViews(ctx, id)
	if err != nil {
		return OrderDetails{}, err
	}
	if len(found) == 0 || !by.Oversees(found[0].University) && !found[0].Involves(by.ID) {
		return OrderDetails{}, order.ErrNotFound
	}
	all, err := o.withBooks(ctx, by, found)
	if err != nil {
		return OrderDetails{}, err
	}
	return all[0], nil
}

// OwnOrders narrows ListOwn.
type OwnOrders struct {
	Side   order.Side
	Status *order.Status // nil: any
}

// ListOwn lists the orders in which the caller buys or sells, newest first, including
// cancelled ones.
func (o *Orders) ListOwn(ctx context.Context, by user.Caller, f OwnOrders, p market.Page) ([]OrderDetails, market.Cursor, error) {
	if err := by.MustBeStudent(); err != nil {
		return nil, "", err
	}
	status, err := statusOf(f.Status)
	if err != nil {
		return nil, "", err
	}
	orders, next, err := market.List(p, func(v market.OrderView) order.ID { return v.ID }, func(
		after order.ID, n int,
	) ([]market.OrderView, error) {
		return o.reader.ListOrdersOf(ctx, by.ID, f.Side, status, after, n)
	})
	if err != nil {
		return nil, "", err
	}
	all, err := o.withBooks(ctx, by, orders)
	return all, next, err
}

// withBooks adds their books to orders that the caller may see.
func (o *Orders) withBooks(ctx context.Context, by user.Caller, orders []market.OrderView) ([]OrderDetails, error) {
	if len(orders) == 0 {
		return nil, nil
	}
	ids := make([]book.ID, len(orders))
	for i, v := range orders {
		ids[i] = v.Book
	}
	books, err := o.reader.FindBookViews(ctx, ids...)
	if err != nil {
		return nil, err
	}
	byID := make(map[book.ID]market.BookView, len(books))
	for _, b := range books {
		b.Order = nil // a later buyer may have another one
		byID[b.ID] = b
	}
	all := make([]OrderDetails, len(orders))
	for i, v := range orders {
		all[i] = OrderDetails{v.ShownTo(by), byID[v.Book]}
	}
	return all, nil
}

// OrderDetails is an order with its book as it is now.
type OrderDetails struct {
	market.OrderView
	About market.BookView // without its order
}
