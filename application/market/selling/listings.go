package selling

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// Listings manages the books that sellers offer.
type Listings struct {
	deps   unit
	reader Reader
}

// newListings returns the use cases of sellers.
func newListings(d unit, reader Reader) *Listings { return &Listings{d, reader} }

// Post offers a book and matches it with the open requests. More than Limits.Posts in a day are
// ErrPostLimit.
func (l *Listings) Post(ctx context.Context, by user.Caller, d book.Draft) (market.BookView, error) {
	v, _, err := l.PostWithKey(ctx, by, market.IdempotencyKey{}, d)
	return v, err
}

// PostWithKey is Post with an idempotency key. A call that repeats one of the last
// IdempotencyKeyLife returns the book as it was posted then, with replayed set; another
// body under the key is ErrKeyReused. A failed call does not use up the key, so the
// caller can correct the input and retry with it.
func (l *Listings) PostWithKey(
	ctx context.Context, by user.Caller, k market.IdempotencyKey, d book.Draft,
) (v market.BookView, replayed bool, err error) {
	if err := by.MustBeStudent(); err != nil {
		return market.BookView{}, false, err
	}
	details, err := d.Check(l.deps.Currency, l.deps.Clock.Now())
	if err != nil {
		return market.BookView{}, false, err
	}
	replayed, err = l.deps.WithIdempotencyKey(ctx, by, k, op{
		Do: func(ctx context.Context, t *tx) (err error) {
			if err := t.usePost(ctx, by); err != nil {
				return err
			}
			v, err = t.postBook(ctx, by, details)
			return err
		},
		Response: func() market.StoredResponse { return market.StoredResponse{Created: []int64{int64(v.ID)}} },
		Replay: func(ctx context.Context, t *tx, stored market.StoredResponse) (err error) {
			v, err = t.replayPost(ctx, details, stored)
			return err
		},
	})
	return v, replayed, err
}

func (t *tx) postBook(ctx context.Context, by user.Caller, d book.Details) (market.BookView, error) {
	v, err := t.addBook(ctx, by, d)
	if err == nil {
		t.Notify(notification.BookPosted, by.ID, v.Book)
	}
	return v, err
}

// addBook is postBook without a notification of the seller.
func (t *tx) addBook(ctx context.Context, by user.Caller, d book.Details) (market.BookView, error) {
	b := book.Post(book.ID(t.IDs.Next()), by.ID, t.Caller.Profile.University, d, t.Now)
	if err := t.KeepCurrency(ctx); err != nil {
		return market.BookView{}, err
	}
	m := book.NewMatcher(b)
	if err := t.LockKeys(ctx, m); err != nil {
		return market.BookView{}, err
	}
	if err := t.AddBook(ctx, b); err != nil {
		return market.BookView{}, err
	}
	t.PublishEvent(event.PostBook(b, t.Currency, event.Posted))
	return market.BookView{Book: b, SellerName: t.Caller.Profile.FirstName}, t.BookListed(ctx, b, m)
}

// replayPost restores the book as it was posted with these details, whatever its
// details and status are now.
func (t *tx) replayPost(ctx context.Context, d book.Details, stored market.StoredResponse) (market.BookView, error) {
	b, err := t.LockBook(ctx, book.ID(stored.CreatedID()))
	return market.BookView{Book: book.Post(b.ID, b.Seller, b.University, d, stored.At), SellerName: t.Caller.Profile.FirstName}, err
}

// Update changes the details of a book that is for sale or unlisted. It invalidates the
// matches of the book, and matches it again if it is for sale.
func (l *Listings) Update(ctx context.Context, by user.Caller, id book.ID, p book.Patch) (market.BookView, error) {
	if err := p.Check(l.deps.Currency, l.deps.Clock.Now()); err != nil {
		return market.BookView{}, err
	}
	return l.change(ctx, by, id, func(ctx context.Context, t *tx, b *book.Book) error {
		d, err := p.Apply(b.Details, t.Currency, t.Now)
		if err != nil {
			return err
		}
		if err := t.checkHidden(ctx, *b); err != nil {
			return err
		}
		was := b.Price
		if err := b.Revise(d, t.Caller.Profile.University); err != nil {
			return err
		}
		if b.Price != was {
			t.Audit(by, "book.repriced", b.ID.String(), t.Currency.Format(was)+" → "+t.Currency.Format(b.Price)+" "+t.Currency.Code())
		}
		if b.Price < was && b.Status == book.ForSale {
			if err := t.BookCheaper(ctx, *b); err != nil {
				return err
			}
		}
		return t.BookRevised(ctx, b.ID)
	})
}

// Unlist takes a book off sale and notifies the users who wait for it.
func (l *Listings) Unlist(ctx context.Context, by user.Caller, id book.ID) (market.BookView, error) {
	return l.change(ctx, by, id, func(ctx context.Context, t *tx, b *book.Book) error {
		if err := b.Unlist(); err != nil {
			return err
		}
		t.Audit(by, "book.unlisted", b.ID.String(), "")
		t.PublishEvent(event.UnlistBook(*b, event.BySeller))
		return t.BookLeft(ctx, *b)
	})
}

// Relist offers an unlisted book again and matches it again. It counts as a post.
func (l *Listings) Relist(ctx context.Context, by user.Caller, id book.ID) (market.BookView, error) {
	return l.change(ctx, by, id, func(ctx context.Context, t *tx, b *book.Book) error {
		relist := b.Relist
		if b.Held && by.Role >= user.Admin { // admins relist what was held, but not their own
			if err := t.MustDecide(ctx, by, b.Affair()); err != nil {
				return err
			}
			relist = b.Release
		}
		if err := t.checkHidden(ctx, *b); err != nil {
			return err
		}
		if err := relist(t.Caller.Profile.University, t.Now); err != nil {
			return err
		}
		if err := t.usePost(ctx, by); err != nil {
			return err
		}
		t.Audit(by, "book.relisted", b.ID.String(), "")
		t.PublishEvent(event.PostBook(*b, t.Currency, event.Relisted))
		return t.BookRevised(ctx, b.ID)
	})
}

// checkHidden refuses, with book.ErrHidden, a change by the seller of a book that reports have
// hidden until an admin decides.
func (t *tx) checkHidden(ctx context.Context, b book.Book) error {
	if !b.Held {
		return nil
	}
	hidden, err := t.IsHidden(ctx, b.ID)
	if err == nil && hidden {
		err = book.ErrHidden
	}
	return err
}

// change locks a book of the caller, changes it with fn and saves it; if it is for sale
// afterwards, it is matched.
func (l *Listings) change(
	ctx context.Context, by user.Caller, id book.ID, fn func(context.Context, *tx, *book.Book) error,
) (market.BookView, error) {
	if err := by.MustBeStudent(); err != nil {
		return market.BookView{}, err
	}
	var v market.BookView
	err := l.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		b, err := t.lockOwnBook(ctx, by, id)
		if err != nil {
			return err
		}
		was := b.Status
		if err := fn(ctx, t, &b); err != nil {
			return err
		}
		if err := t.SaveAndMatch(ctx, b, was); err != nil {
			return err
		}
		v, err = t.View(ctx, b, t.Caller)
		return err
	})
	return v, err
}

// lockOwnBook is LockBook for a book that the caller must have posted. A book that the
// caller may not see is book.ErrNotFound, so that the error does not reveal it.
func (t *tx) lockOwnBook(ctx context.Context, by user.Caller, id book.ID) (book.Book, error) {
	b, err := t.LockBook(ctx, id)
	switch {
	case err != nil:
		return b, err
	case !b.VisibleTo(by):
		return b, book.ErrNotFound
	case b.Seller != by.ID:
		return b, book.ErrNotYours
	}
	return b, nil
}

// ListMine lists the books that the caller has posted, in every status, newest first.
func (l *Listings) ListMine(ctx context.Context, by user.Caller, p market.Page) ([]market.BookView, market.Cursor, error) {
	if err := by.MustBeStudent(); err != nil {
		return nil, "", err
	}
	views, next, err := market.List(p, func(v market.BookView) book.ID { return v.ID }, func(
		after book.ID, n int,
	) ([]market.BookView, error) {
		return l.reader.ListBooksPostedBy(ctx, by.ID, after, n)
	})
	return market.ShownTo(views, by), next, err
}

// ListByStatus lists the books in one status that an admin oversees, newest first.
func (l *Listings) ListByStatus(
	ctx context.Context, by user.Caller, s book.Status, p market.Page,
) ([]market.BookView, market.Cursor, error) {
	if err := by.MustBe(user.Admin); err != nil {
		return nil, "", err
	}
	if _, ok := book.ParseStatus(int(s)); !ok {
		return nil, "", market.ErrStatus
	}
	views, next, err := market.List(p, func(v market.BookView) book.ID { return v.ID }, func(
		after book.ID, n int,
	) ([]market.BookView, error) {
		return l.reader.ListBooksByStatus(ctx, s, text.Key(by.Campus()), after, n)
	})
	return market.ShownTo(views, by), next, err
}
