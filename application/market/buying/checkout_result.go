package buying

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// checkoutResult is the outcome of a checkout. A refusal is part of it instead of an error,
// so that it commits under its idempotency key.
type checkoutResult struct {
	orders      []order.Order
	users       map[user.ID]market.User // buyers and sellers
	unavailable []book.ID
	refusal     *fault.Error // nil: bought
	total       money.Amount // now, if it is not the agreed one
}

// storedRefusals are the refusals that are stored under an idempotency key, by code.
var storedRefusals = map[string]*fault.Error{
	book.ErrOwnBook.Code:      book.ErrOwnBook,
	book.ErrNotAvailable.Code: book.ErrNotAvailable,
	ErrPriceChanged.Code:      ErrPriceChanged,
}

func (c *checkoutResult) storedResponse() market.StoredResponse {
	r := market.StoredResponse{Books: c.unavailable, Total: c.total}
	if c.refusal != nil {
		r.Refusal = c.refusal.Code
	}
	for _, o := range c.orders {
		r.Created = append(r.Created, int64(o.ID))
	}
	return r
}

// replayCheckout restores the result of an earlier checkout, with its orders as they
// were placed, whatever their status is now.
func (t *tx) replayCheckout(ctx context.Context, stored market.StoredResponse) (checkoutResult, error) {
	c := checkoutResult{unavailable: stored.Books, refusal: storedRefusals[stored.Refusal], total: stored.Total}
	if len(stored.Created) == 0 {
		return c, nil
	}
	ids := make([]order.ID, len(stored.Created))
	for i, id := range stored.Created {
		ids[i] = order.ID(id)
	}
	orders, err := t.FindOrders(ctx, ids)
	if err != nil {
		return checkoutResult{}, err
	}
	for _, o := range orders {
		c.orders = append(c.orders, o.AsPlaced())
	}
	c.users, err = t.loadParties(ctx, c.orders)
	return c, err
}

// receipt is the answer to the caller.
func (c *checkoutResult) receipt(replayed bool) (Receipt, error) {
	r := Receipt{Replayed: replayed}
	switch {
	case c.refusal == nil:
	case c.refusal.Is(book.ErrNotAvailable):
		return r, &UnavailableError{Books: c.unavailable}
	case c.refusal.Is(ErrPriceChanged):
		return r, &PriceChangedError{Total: c.total}
	default:
		return r, c.refusal
	}
	r.Unavailable = c.unavailable
	for _, o := range c.orders {
		v := market.OrderView{Order: o, BuyerParty: c.users[o.Buyer].Party(), SellerParty: c.users[o.Seller].Party()}
		r.Orders = append(r.Orders, v.ShownTo(user.Caller{ID: o.Buyer}))
		r.Total += o.Total()
	}
	return r, nil
}

// loadParties loads the buyers and sellers of orders.
func (t *tx) loadParties(ctx context.Context, orders []order.Order) (map[user.ID]market.User, error) {
	var ids []user.ID
	for _, o := range orders {
		ids = append(ids, o.Buyer, o.Seller)
	}
	return t.FindUsers(ctx, ids...)
}

// Receipt is the answer to a checkout.
type Receipt struct {
	Orders      []market.OrderView // in ascending order
	Unavailable []book.ID          // in the basket, but not for sale
	Total       money.Amount       // with fees
	Replayed    bool               // repeats the answer to an earlier call; also set with an error
}
