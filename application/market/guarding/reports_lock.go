package guarding

import (
	"context"
	"slices"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

// lockToList is lockToDecide for an admin who takes a book off sale or puts it on sale again.
// The admins of a report about the book may do so, too, and those who have an open one about it
// are parties.
func (t *tx) lockToList(ctx context.Context, by user.Caller, id book.ID) (book.Book, error) {
	open, err := t.LockOpenReports(ctx, market.TargetOf(id))
	if err != nil {
		return book.Book{}, err
	}
	b, err := t.LockBook(ctx, id)
	if err != nil {
		return b, err
	}
	if err := market.MustOverseeBook(ctx, by, b, t.ListReportCampuses); err != nil {
		return b, err
	}
	affair := b.Affair()
	for _, r := range open {
		affair = affair.With(r.Reporter)
	}
	return b, t.MustDecide(ctx, by, affair)
}

// lockOverseen locks the open reports about a target, and returns those that the caller
// oversees: the two sides of a conversation may be of two universities.
func (t *tx) lockOverseen(ctx context.Context, by user.Caller, on report.Target) ([]report.Report, error) {
	open, err := t.LockOpenReports(ctx, on)
	return slices.DeleteFunc(open, func(r report.Report) bool { return !by.Oversees(r.University) }), err
}
