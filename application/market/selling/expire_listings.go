package selling

import (
	"context"
	"fmt"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// ExpireListings unlists books that have been for sale for too long.
type ExpireListings struct{ deps unit }

// newExpireListings returns the use case.
func newExpireListings(d unit) *ExpireListings { return &ExpireListings{d} }

const (
	expireBatch = 100    // books unlisted in one transaction
	maxDays     = 36_500 // a hundred years
)

// ErrDays refuses an age outside 0 to 36,500 days.
var ErrDays = fault.New(fault.Invalid, "days_invalid", "The age must be from 0 to 36500 days.").
	WithField("olderThanDays", "Must be from 0 to 36500.")

// Do unlists every book that was listed that many days ago or earlier, notifies the
// sellers and the users who wait for the books, and returns the ids of the books in
// ascending order. A mail tells a seller of all books, see message.DigestSettles. It commits
// in batches: after an error or a lost connection, call it again for the rest. A dry run
// changes nothing.
func (e *ExpireListings) Do(ctx context.Context, by user.Caller, olderThanDays int, dryRun bool) ([]book.ID, error) {
	before, err := e.check(by, olderThanDays)
	if err != nil {
		return nil, err
	}
	ids := []book.ID{}
	for after := book.ID(0); ; {
		found, err := e.unlistBatch(ctx, by, before, after, olderThanDays, dryRun)
		for _, b := range found {
			ids = append(ids, b.ID)
			after = b.ID
		}
		if err != nil || len(found) < expireBatch {
			return ids, err
		}
	}
}

// check returns the time before which books are too old.
func (e *ExpireListings) check(by user.Caller, olderThanDays int) (before time.Time, err error) {
	if err := by.MustBe(user.Owner); err != nil {
		return before, err
	}
	if olderThanDays < 0 || olderThanDays > maxDays {
		return before, ErrDays
	}
	return e.deps.Clock.Now().Add(-time.Duration(olderThanDays) * 24 * time.Hour), nil
}

// unlistBatch unlists the next books after an id and returns them.
func (e *ExpireListings) unlistBatch(
	ctx context.Context, by user.Caller, before time.Time, after book.ID, olderThanDays int, dryRun bool,
) (found []book.Book, err error) {
	err = e.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		found, err = t.LockBooksListedBefore(ctx, before, after, expireBatch)
		if err != nil || dryRun || len(found) == 0 {
			return err
		}
		why := fmt.Sprintf("listed %s ago or earlier", text.Count(olderThanDays, "day", "days"))
		t.Audit(by, "books.unlisted", "", text.Count(len(found), "book", "books")+" "+why)
		for _, b := range found {
			t.Audit(by, "book.unlisted", b.ID.String(), why)
		}
		return t.unlistExpired(ctx, found)
	})
	return found, err
}

// ExpiryPreview is what Do would unlist. There may be millions of books.
type ExpiryPreview struct {
	Books []book.Book // the first MaxPreviewed, in ascending order of their ids
	Count int         // of all, at most MaxCounted
}

// The bounds of a preview.
const (
	MaxPreviewed = 200
	MaxCounted   = 10_000
)

// Preview returns what Do would unlist now. It changes nothing.
func (e *ExpireListings) Preview(ctx context.Context, by user.Caller, olderThanDays int) (v ExpiryPreview, err error) {
	before, err := e.check(by, olderThanDays)
	if err != nil {
		return v, err
	}
	err = e.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		if v.Books, err = t.LockBooksListedBefore(ctx, before, 0, MaxPreviewed); err != nil {
			return err
		}
		v.Count, err = t.CountBooksListedBefore(ctx, before, MaxCounted)
		return err
	})
	return v, err
}

// unlistExpired unlists books and notifies their sellers, who did not ask for it.
func (t *tx) unlistExpired(ctx context.Context, books []book.Book) error {
	for _, b := range books {
		if err := b.Unlist(); err != nil {
			return err
		}
		if err := t.UpdateBook(ctx, b, book.ForSale); err != nil {
			return err
		}
		t.PublishEvent(event.UnlistBook(b, event.Expired))
		t.Notify(notification.BookUnlisted, b.Seller, b)
		t.Gather(message.BookUnlisted, b.Seller, market.UnlistedItem(b))
		if err := t.BookLeft(ctx, b); err != nil {
			return err
		}
	}
	return nil
}
