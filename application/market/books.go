package market

import (
	"context"
	"errors"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// View returns a changed book for display, without an order.
func (t *Tx) View(ctx context.Context, b book.Book, seller User) (BookView, error) {
	photos, err := t.ListPhotos(ctx, b.ID)
	return BookView{Book: b, SellerName: seller.Profile.FirstName, Photos: photos[b.ID]}, err
}

// SaveAndMatch saves a book and, if it is for sale, finds those who look for it.
func (t *Tx) SaveAndMatch(ctx context.Context, b book.Book, was book.Status) error {
	if b.Status != book.ForSale {
		return t.UpdateBook(ctx, b, was)
	}
	m := book.NewMatcher(b)
	if err := t.LockKeys(ctx, m); err != nil {
		return err
	}
	if err := t.UpdateBook(ctx, b, was); err != nil {
		return err
	}
	return t.BookListed(ctx, b, m)
}

// LockBook loads and locks one book; book.ErrNotFound if there is none.
func (t *Tx) LockBook(ctx context.Context, id book.ID) (book.Book, error) {
	found, err := t.LockBooks(ctx, id)
	if err != nil {
		return book.Book{}, err
	}
	if len(found) == 0 {
		return book.Book{}, book.ErrNotFound
	}
	return found[0], nil
}

// ErrStatus refuses a filter by a status that does not exist.
var ErrStatus = fault.New(fault.Invalid, "status_invalid", "This status does not exist.").
	WithField("status", "Must be a defined status.")

// MaxBulk is how many orders can be reviewed and confirmed at once.
const MaxBulk = 50

// ConcernsOne reports whether an error is about one of several orders or books, so that the
// others can follow: somebody else has changed it, or the caller is a party to it.
func ConcernsOne(err error) bool {
	return fault.KindOf(err) == fault.Conflict || errors.Is(err, user.ErrOwnAffair)
}

// LockKeys locks the keys of a book before it goes on sale, see Stores.
func (t *Tx) LockKeys(ctx context.Context, m book.Matcher) error {
	return t.Stores.LockKeys(ctx, true, m.Keys())
}
