package market

import (
	"context"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/user"
)

// joinSelling adds what sellers' books and photos have to do with other rooms.
func joinSelling(h *Hooks) {
	h.UserErased.Add(of((*Tx).eraseSeller))
	h.UserWithdrawn.Add(func(ctx context.Context, t *Tx, w user.Withdrawal) error {
		return t.unlistBooksOf(ctx, w.User, event.SellerUnavailable)
	})
	h.UserMoves.Add(func(ctx context.Context, t *Tx, id user.ID) error { // a checkout that has begun ends first
		_, err := t.Selling.LockBooksForSaleBy(ctx, id)
		return err
	})
	h.Does(PostImport, func(ctx context.Context, t *Tx, j Job) error { return t.postImport(ctx, user.ID(j.Subject), j.After) })
}

// eraseSeller unlists the books of a deleted user, and deletes their words, photos and file.
func (t *Tx) eraseSeller(ctx context.Context, id user.ID) error {
	if err := t.unlistBooksOf(ctx, id, event.SellerDeleted); err != nil {
		return err
	}
	if err := t.Selling.EraseComments(ctx, id); err != nil {
		return err
	}
	if err := t.Selling.DeleteImportOf(ctx, id); err != nil {
		return err
	}
	return t.Selling.RemovePhotosOf(ctx, id, t.Now)
}

// unlistBooksOf unlists the books for sale of a seller and notifies those who wait for them.
func (t *Tx) unlistBooksOf(ctx context.Context, seller user.ID, why event.Unlisting) error {
	books, err := t.Selling.LockBooksForSaleBy(ctx, seller)
	if err != nil {
		return err
	}
	for _, b := range books {
		if err := b.Unlist(); err != nil {
			return err
		}
		if err := t.Books.UpdateBook(ctx, b, book.ForSale); err != nil {
			return err
		}
		t.PublishEvent(event.UnlistBook(b, why))
		if err := t.BookLeft(ctx, b); err != nil {
			return err
		}
	}
	return nil
}
