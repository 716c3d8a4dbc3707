package market

import (
	"context"
	"fmt"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// ExpireListings unlists books that have been for sale for too long.
type ExpireListings struct{ deps Deps }

// NewExpireListings returns the use case.
func NewExpireListings(d Deps) *ExpireListings { return &ExpireListings{d} }

const (
	expireBatch = 100    // books unlisted in one transaction
	maxDays     = 36_500 // a hundred years
)

// ErrDays refuses an age outside 0 to 36,500 days.
var ErrDays = fault.New(fault.Invalid, "days_invalid", "The age must be from 0 to 36500 days.").
	WithField("olderThanDays", "Must be from 0 to 36500.")

// Do unlists every book that was listed that many days ago or earlier, notifies the
// sellers and the users who wait for the books, and returns the ids of the books in
// ascending order. It commits in batches: after an error or a lost connection, call it
// again for the rest. A dry run changes nothing.
func (e *ExpireListings) Do(ctx context.Context, by user.Caller, olderThanDays int, dryRun bool) ([]book.ID, error) {
	books, err := e.run(ctx, by, olderThanDays, dryRun)
	ids := make([]book.ID, len(books))
	for i, b := range books {
		ids[i] = b.ID
	}
	return ids, err
}

// Preview returns the books that Do would unlist now, in ascending order of their ids. It
// changes nothing.
func (e *ExpireListings) Preview(ctx context.Context, by user.Caller, olderThanDays int) ([]book.Book, error) {
	return e.run(ctx, by, olderThanDays, true)
}

func (e *ExpireListings) run(ctx context.Context, by user.Caller, olderThanDays int, dryRun bool) ([]book.Book, error) {
	if err := by.MustBe(user.Owner); err != nil {
		return nil, err
	}
	if olderThanDays < 0 || olderThanDays > maxDays {
		return nil, ErrDays
	}
	before := e.deps.Clock.Now().Add(-time.Duration(olderThanDays) * 24 * time.Hour)
	var all []book.Book
	for {
		var found []book.Book
		err := e.deps.withTxAs(ctx, by, func(ctx context.Context, t *tx) error {
			var err error
			found, err = t.Books.LockBooksListedBefore(ctx, before, lastID(all), expireBatch)
			if err != nil || dryRun || len(found) == 0 {
				return err
			}
			why := fmt.Sprintf("listed %s ago or earlier", text.Count(olderThanDays, "day", "days"))
			t.audit(by, "books.unlisted", "", text.Count(len(found), "book", "books")+" "+why)
			for _, b := range found {
				t.audit(by, "book.unlisted", b.ID.String(), why)
			}
			return t.unlistExpired(ctx, found)
		})
		all = append(all, found...)
		if err != nil || len(found) < expireBatch {
			return all, err
		}
	}
}

func lastID(books []book.Book) book.ID {
	if len(books) == 0 {
		return 0
	}
	return books[len(books)-1].ID
}

// unlistExpired unlists books and notifies their sellers, who did not ask for it.
func (t *tx) unlistExpired(ctx context.Context, books []book.Book) error {
	for _, b := range books {
		if err := b.Unlist(); err != nil {
			return err
		}
		if err := t.Books.UpdateBook(ctx, b, book.ForSale); err != nil {
			return err
		}
		t.publishEvent(event.UnlistBook(b, event.Expired))
		t.notify(notification.BookUnlisted, b.Seller, b)
		t.mail(message.BookUnlisted, b.Seller, map[string]string{message.ParamBook: b.Name, message.ParamCourse: b.Course})
		if err := t.notifyBookGone(ctx, b, 0); err != nil {
			return err
		}
	}
	return nil
}
