package market

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
)

type watchedSelling struct {
	SellingStore
	changes *PublicChanges
}

// AddBook changes no response with the key of the book: there is none yet.
func (w watchedSelling) AddBook(ctx context.Context, b book.Book) error {
	w.changes.Learn(b)
	w.changes.Add(AllLists)
	w.changes.Add(CopyKeys(b)...)
	return w.SellingStore.AddBook(ctx, b)
}

func (w watchedSelling) LockBooksForSaleBy(ctx context.Context, seller user.ID) ([]book.Book, error) {
	all, err := w.SellingStore.LockBooksForSaleBy(ctx, seller)
	w.changes.Learn(all...)
	return all, err
}

func (w watchedSelling) LockBooksListedBefore(ctx context.Context, t time.Time, after book.ID, n int) ([]book.Book, error) {
	all, err := w.SellingStore.LockBooksListedBefore(ctx, t, after, n)
	w.changes.Learn(all...)
	return all, err
}

func (w watchedSelling) UpdatePhoto(ctx context.Context, p photo.Photo, was photo.State) error {
	if p.State == photo.Shown || was == photo.Shown {
		w.changes.AddBookOf(p.Book, w.changes.AddShown)
	}
	return w.SellingStore.UpdatePhoto(ctx, p, was)
}

// RemovePhotosOf is part of the deletion of a user, which unlists the books of the photos.
func (w watchedSelling) RemovePhotosOf(ctx context.Context, owner user.ID, now time.Time) error {
	w.changes.Add(SellerKey(owner))
	return w.SellingStore.RemovePhotosOf(ctx, owner, now)
}
