package market

import (
	"context"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// sale is what a checkout came to.
type sale struct {
	orders      []order.Order
	people      map[user.ID]Person
	unavailable []book.ID
	refusal     *fault.Error // nil: bought
	replayed    bool
}

// refusals are those that are kept with a key, by code.
var refusals = map[string]*fault.Error{
	book.ErrOwnBook.Code:      book.ErrOwnBook,
	book.ErrNotAvailable.Code: book.ErrNotAvailable,
	ErrPriceChanged.Code:      ErrPriceChanged,
}

func (s sale) reply(b Basket) Reply {
	r := Reply{BodyHash: b.BodyHash, Books: s.unavailable}
	if s.refusal != nil {
		r.Refusal = s.refusal.Code
	}
	for _, o := range s.orders {
		r.Made = append(r.Made, int64(o.ID))
	}
	return r
}

// repeat gives a kept answer again as it was, whatever has become of the orders.
func (a *act) repeat(ctx context.Context, kept Reply) (sale, error) {
	s := sale{unavailable: kept.Books, refusal: refusals[kept.Refusal], replayed: true}
	if len(kept.Made) == 0 {
		return s, nil
	}
	ids := make([]order.ID, len(kept.Made))
	for i, id := range kept.Made {
		ids[i] = order.ID(id)
	}
	orders, err := a.Sales.Placed(ctx, ids)
	if err != nil {
		return sale{}, err
	}
	for _, o := range orders {
		s.orders = append(s.orders, o.AsPlaced())
	}
	s.people, err = a.sides(ctx, s.orders)
	return s, err
}

// receipt is the answer to the caller.
func (s sale) receipt() (Receipt, error) {
	r := Receipt{Replayed: s.replayed}
	switch {
	case s.refusal == nil:
	case s.refusal.Is(book.ErrNotAvailable):
		return r, &UnavailableError{Books: s.unavailable}
	default:
		return r, s.refusal
	}
	r.Unavailable = s.unavailable
	for _, o := range s.orders {
		v := OrderView{Order: o, BuyerParty: s.people[o.Buyer].Party(), SellerParty: s.people[o.Seller].Party()}
		r.Orders = append(r.Orders, v.shownTo(user.Caller{ID: o.Buyer}))
		r.Total += o.Total()
	}
	return r, nil
}

// sides loads the buyers and sellers of orders.
func (a *act) sides(ctx context.Context, orders []order.Order) (map[user.ID]Person, error) {
	var ids []user.ID
	for _, o := range orders {
		ids = append(ids, o.Buyer, o.Seller)
	}
	return a.People.Find(ctx, ids...)
}
