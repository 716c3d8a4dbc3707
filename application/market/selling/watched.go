package selling

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/photo"
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

// AddBook changes no response with the key of the book: there is none yet.
func (w watched) AddBook(ctx context.Context, b book.Book) error {
	w.changes.Learn(b)
	w.changes.Add(market.AllLists)
	w.changes.Add(market.CopyKeys(b)...)
	return w.Store.AddBook(ctx, b)
}

func (w watched) LockBooksForSaleBy(ctx context.Context, seller user.ID) ([]book.Book, error) {
	all, err := w.Store.LockBooksForSaleBy(ctx, seller)
	w.changes.Learn(all...)
	return all, err
}

func (w watched) LockBooksListedBefore(ctx context.Context, t time.Time, after book.ID, n int) ([]book.Book, error) {
	all, err := w.Store.LockBooksListedBefore(ctx, t, after, n)
	w.changes.Learn(all...)
	return all, err
}

func (w watched) UpdatePhoto(ctx context.Context, p photo.Photo, was photo.State) error {
	if p.State == photo.Shown || was == photo.Shown {
		w.changes.AddBookOf(p.Book, w.changes.AddShown)
	}
	return w.Store.UpdatePhoto(ctx, p, was)
}

// EraseUser changes no list: the books of the user were unlisted before.
func (w watched) EraseUser(ctx context.Context, id user.ID, now time.Time) error {
	w.changes.Add(market.SellerKey(id))
	return w.Store.EraseUser(ctx, id, now)
}
