package buying

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/rating"
	"github.com/octavo-books/octavo/domain/user"
)

// watch notes what the store changes of public responses, if somebody purges their copies.
func watch(s Store, c *market.PublicChanges) Store {
	if c == nil {
		return s
	}
	return watched{s, c}
}

type watched struct {
	Store
	changes *market.PublicChanges
}

// UpdateOrder changes the record of the seller when a sale ends, and what such books have sold for
// when it ends well.
func (w watched) UpdateOrder(ctx context.Context, o order.Order, was order.Status, entries []order.Entry) error {
	switch o.Status {
	case order.Delivered:
		w.changes.AddBookOf(o.Book, func(b book.Book) {
			w.changes.Add(market.CopyKeys(b)...)
			w.changes.Add(market.CourseKeyOf(b.Course))
		})
		w.changes.Add(market.SellerKey(o.Seller))
	case order.Cancelled:
		w.changes.Add(market.SellerKey(o.Seller))
	}
	return w.Store.UpdateOrder(ctx, o, was, entries)
}

func (w watched) SaveRating(ctx context.Context, r rating.Rating) error {
	w.changes.Add(market.SellerKey(r.Of))
	return w.Store.SaveRating(ctx, r)
}

func (w watched) EraseUser(ctx context.Context, id user.ID) error {
	w.changes.Add(market.SellerKey(id))
	return w.Store.EraseUser(ctx, id)
}
