package market

import (
	"context"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/rating"
	"github.com/octavo-books/octavo/domain/user"
)

type watchedBuying struct {
	BuyingStore
	changes *PublicChanges
}

// UpdateOrder changes the record of the seller when a sale ends, and what such books have sold for
// when it ends well.
func (w watchedBuying) UpdateOrder(ctx context.Context, o order.Order, was order.Status, entries []order.Entry) error {
	switch o.Status {
	case order.Delivered:
		w.changes.AddBookOf(o.Book, func(b book.Book) {
			w.changes.Add(copyKeys(b)...)
			w.changes.Add(courseKeyOf(b.Course))
		})
		w.changes.Add(SellerKey(o.Seller))
	case order.Cancelled:
		w.changes.Add(SellerKey(o.Seller))
	}
	return w.BuyingStore.UpdateOrder(ctx, o, was, entries)
}

func (w watchedBuying) SaveRating(ctx context.Context, r rating.Rating) error {
	w.changes.Add(SellerKey(r.Of))
	return w.BuyingStore.SaveRating(ctx, r)
}

func (w watchedBuying) RemoveRatings(ctx context.Context, id user.ID) error {
	w.changes.Add(SellerKey(id))
	return w.BuyingStore.RemoveRatings(ctx, id)
}
