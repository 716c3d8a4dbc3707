package market

import (
	"context"
	"fmt"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// Tidying keeps the shelves in order.
type Tidying struct {
	kit   Kit
	lists ShelfReader
}

// NewTidying makes it.
func NewTidying(k Kit, lists ShelfReader) *Tidying { return &Tidying{k, lists} }

const (
	tidyBatch = 100    // books taken off in one step
	maxDays   = 36_500 // a hundred years
)

// ErrDays refuses an age outside 0 to 36,500 days.
var ErrDays = fault.New(fault.Invalid, "days_invalid", "The age must be 0 to 36500 days.").
	WithField("olderThanDays", "Must be from 0 to 36500.")

// Deactivate takes every book off the shelf that was listed so many days ago or
// earlier, tells the sellers and those who wait, and returns their ids in
// ascending order. It goes in steps, each of which is whole: what an error or a
// lost connection leaves undone is done by calling again. A dry run only looks.
func (t *Tidying) Deactivate(ctx context.Context, by user.Caller, olderThanDays int, dryRun bool) ([]book.ID, error) {
	if err := by.MustBe(user.Owner); err != nil {
		return nil, err
	}
	if olderThanDays < 0 || olderThanDays > maxDays {
		return nil, ErrDays
	}
	then := t.kit.Clock.Now().Add(-time.Duration(olderThanDays) * 24 * time.Hour)
	var ids []book.ID
	for {
		var found []book.Book
		err := t.kit.stepAs(ctx, by, func(ctx context.Context, a *act) error {
			var err error
			found, err = a.Shelf.Stale(ctx, then, last(ids), tidyBatch)
			if err != nil || dryRun || len(found) == 0 {
				return err
			}
			a.account(by, "books.unlisted", "", fmt.Sprintf("%s listed %s ago or earlier", text.Count(len(found), "book", "books"), text.Count(olderThanDays, "day", "days")))
			return a.unlist(ctx, found)
		})
		for _, b := range found {
			ids = append(ids, b.ID)
		}
		if err != nil || len(found) < tidyBatch {
			return ids, err
		}
	}
}

func last(ids []book.ID) book.ID {
	if len(ids) == 0 {
		return 0
	}
	return ids[len(ids)-1]
}

// unlist takes books off the shelf over their sellers' heads.
func (a *act) unlist(ctx context.Context, books []book.Book) error {
	for _, b := range books {
		if err := b.Unlist(); err != nil {
			return err
		}
		if err := a.Shelf.Save(ctx, b, book.ForSale); err != nil {
			return err
		}
		a.notify(notification.BookUnlisted, b.Seller, b)
		a.write(message.BookUnlisted, b.Seller, map[string]string{message.ParamBook: b.Name, message.ParamCourse: b.Course})
		if err := a.tellGone(ctx, b, 0); err != nil {
			return err
		}
	}
	return nil
}

// BooksWithStatus lists books in one status for admins, newest first.
func (t *Tidying) BooksWithStatus(ctx context.Context, by user.Caller, s book.Status, p Page) ([]BookView, Cursor, error) {
	if err := by.MustBe(user.Admin); err != nil {
		return nil, "", err
	}
	if _, ok := book.ParseStatus(int(s)); !ok {
		return nil, "", ErrStatus
	}
	at, n, err := p.read()
	if err != nil {
		return nil, "", err
	}
	views, err := t.lists.WithStatus(ctx, s, book.ID(at.ID), n+1)
	if err != nil {
		return nil, "", err
	}
	views, next := cut(views, n, byBook)
	return shown(views, by), next, nil
}
