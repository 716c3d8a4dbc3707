package selling

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/user"
)

// erase unlists the books of a deleted user, and deletes their words, photos and file.
func (t *tx) erase(ctx context.Context, id user.ID) error {
	if err := t.unlistBooksOf(ctx, id, event.SellerDeleted); err != nil {
		return err
	}
	return t.EraseUser(ctx, id, t.Now)
}

// unlistBooksOf unlists the books for sale of a seller and notifies those who wait for them.
func (t *tx) unlistBooksOf(ctx context.Context, seller user.ID, why event.Unlisting) error {
	books, err := t.LockBooksForSaleBy(ctx, seller)
	if err != nil {
		return err
	}
	for _, b := range books {
		if err := b.Unlist(); err != nil {
			return err
		}
		if err := t.UpdateBook(ctx, b, book.ForSale); err != nil {
			return err
		}
		t.PublishEvent(event.UnlistBook(b, why))
		if err := t.BookLeft(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// withdraw unlists the books of a user who may not trade any more.
func (t *tx) withdraw(ctx context.Context, w user.Withdrawal) error {
	return t.unlistBooksOf(ctx, w.User, event.SellerUnavailable)
}

// awaitCheckouts lets the checkouts of a user's books that have begun end first.
func (t *tx) awaitCheckouts(ctx context.Context, id user.ID) error {
	_, err := t.LockBooksForSaleBy(ctx, id)
	return err
}

func (t *tx) continueImport(ctx context.Context, j market.Job) error {
	return t.postImport(ctx, user.ID(j.Subject), j.After)
}
