package market

import (
	"context"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// Shelf is where sellers manage what they offer.
type Shelf struct {
	kit   Kit
	lists ShelfReader
}

// NewShelf makes a shelf.
func NewShelf(k Kit, lists ShelfReader) *Shelf { return &Shelf{k, lists} }

// Post offers a book and pairs it with the requests that it matches.
func (s *Shelf) Post(ctx context.Context, by user.Caller, d book.Draft) (BookView, error) {
	v, _, err := s.PostOnce(ctx, by, Once{}, d)
	return v, err
}

// PostOnce is Post, once for each key of the caller within ReplyLife; replayed
// says that it was done before, and the answer is the book as it was posted then.
// Another body under the key is ErrKeyReused. A refusal is not kept: what was
// wrong can be put right under the same key.
func (s *Shelf) PostOnce(ctx context.Context, by user.Caller, o Once, d book.Draft) (v BookView, replayed bool, err error) {
	if err := by.MustBeStudent(); err != nil {
		return BookView{}, false, err
	}
	details, err := d.Check()
	if err != nil {
		return BookView{}, false, err
	}
	replayed, err = s.kit.stepOnce(ctx, by, o, deed{
		do: func(ctx context.Context, a *act) (err error) {
			v, err = a.post(ctx, by, details)
			return err
		},
		reply: func() Reply { return Reply{Made: []int64{int64(v.ID)}} },
		repeat: func(ctx context.Context, a *act, kept *Reply) (err error) {
			v, err = a.posted(ctx, details, kept)
			return err
		},
	})
	return v, replayed, err
}

// post puts a new book on the shelf.
func (a *act) post(ctx context.Context, by user.Caller, d book.Details) (BookView, error) {
	b := book.Post(book.ID(a.ids.Next()), by.ID, a.caller.Profile.University, d, a.now)
	m := book.NewMatcher(b)
	if err := a.guard(ctx, m); err != nil {
		return BookView{}, err
	}
	if err := a.Shelf.Add(ctx, b); err != nil {
		return BookView{}, err
	}
	a.notify(notification.BookPosted, by.ID, b)
	return BookView{Book: b, SellerName: a.caller.Profile.FirstName}, a.matchBook(ctx, b, m, Place{})
}

// posted is the book as it was posted with the same details, whatever has become
// of it.
func (a *act) posted(ctx context.Context, d book.Details, kept *Reply) (BookView, error) {
	b, err := a.hold(ctx, book.ID(kept.made()))
	return BookView{Book: book.Post(b.ID, b.Seller, b.University, d, kept.At), SellerName: a.caller.Profile.FirstName}, err
}

// Update revises a book that nobody has bought; one that is for sale is matched
// anew, and pairs that no longer match are dropped.
func (s *Shelf) Update(ctx context.Context, by user.Caller, id book.ID, p book.Patch) (BookView, error) {
	if err := p.Check(); err != nil {
		return BookView{}, err
	}
	return s.change(ctx, by, id, func(ctx context.Context, a *act, b *book.Book) error {
		d, err := p.Apply(b.Details)
		if err != nil {
			return err
		}
		if err := b.Revise(d, a.caller.Profile.University); err != nil {
			return err
		}
		return a.Pairs.Drop(ctx, b.ID)
	})
}

// Delete takes a book off the shelf; those who wait for it are told.
func (s *Shelf) Delete(ctx context.Context, by user.Caller, id book.ID) (BookView, error) {
	return s.change(ctx, by, id, func(ctx context.Context, a *act, b *book.Book) error {
		if err := b.Unlist(); err != nil {
			return err
		}
		return a.tellGone(ctx, *b, 0)
	})
}

// Reactivate puts an unlisted book back on the shelf and matches it anew.
func (s *Shelf) Reactivate(ctx context.Context, by user.Caller, id book.ID) (BookView, error) {
	return s.change(ctx, by, id, func(ctx context.Context, a *act, b *book.Book) error {
		if err := b.Relist(a.caller.Profile.University, a.now); err != nil {
			return err
		}
		return a.Pairs.Drop(ctx, b.ID)
	})
}

// change loads a book of the caller's, lets fn change it and saves it; if it is
// for sale then, it is matched.
func (s *Shelf) change(ctx context.Context, by user.Caller, id book.ID, fn func(context.Context, *act, *book.Book) error) (BookView, error) {
	if err := by.MustBeStudent(); err != nil {
		return BookView{}, err
	}
	var v BookView
	err := s.kit.stepAs(ctx, by, func(ctx context.Context, a *act) error {
		b, err := a.own(ctx, by, id)
		if err != nil {
			return err
		}
		was := b.Status
		if err := fn(ctx, a, &b); err != nil {
			return err
		}
		v = BookView{Book: b, SellerName: a.caller.Profile.FirstName}
		return a.shelve(ctx, b, was)
	})
	return v, err
}

// shelve saves a book; if it is for sale it is paired with what it matches.
func (a *act) shelve(ctx context.Context, b book.Book, was book.Status) error {
	if b.Status != book.ForSale {
		return a.Shelf.Save(ctx, b, was)
	}
	m := book.NewMatcher(b)
	if err := a.guard(ctx, m); err != nil {
		return err
	}
	if err := a.Shelf.Save(ctx, b, was); err != nil {
		return err
	}
	return a.matchBook(ctx, b, m, Place{})
}

// hold loads one book; book.ErrNotFound when there is none.
func (a *act) hold(ctx context.Context, id book.ID) (book.Book, error) {
	found, err := a.Shelf.Hold(ctx, id)
	if err != nil {
		return book.Book{}, err
	}
	if len(found) == 0 {
		return book.Book{}, book.ErrNotFound
	}
	return found[0], nil
}

// own loads a book that the caller must have posted. Who may not even see it
// learns nothing.
func (a *act) own(ctx context.Context, by user.Caller, id book.ID) (book.Book, error) {
	b, err := a.hold(ctx, id)
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

// Mine lists what the caller has posted, in every status, newest first.
func (s *Shelf) Mine(ctx context.Context, by user.Caller, p Page) ([]BookView, Cursor, error) {
	if err := by.MustBeStudent(); err != nil {
		return nil, "", err
	}
	at, n, err := p.read()
	if err != nil {
		return nil, "", err
	}
	views, err := s.lists.PostedBy(ctx, by.ID, book.ID(at.ID), n+1)
	if err != nil {
		return nil, "", err
	}
	views, next := cut(views, n, byBook)
	return shown(views, by), next, nil
}

// byBook is the position of a list that is ordered by its books' ids.
func byBook(v BookView) Position { return Position{ID: int64(v.ID)} }
