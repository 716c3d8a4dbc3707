package market

import (
	"context"
	"slices"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

// mustOversee returns an error unless the caller is an admin of the person's university.
func (m *Moderation) mustOversee(ctx context.Context, by user.Caller, person user.ID) error {
	if by.Campus() == "" {
		return by.MustBe(user.Admin)
	}
	return m.deps.withTx(ctx, func(ctx context.Context, t *tx) error {
		found, err := t.Users.FindUsers(ctx, person)
		if err != nil {
			return err
		}
		return by.MustOversee(found[person].Profile.University)
	})
}

// lockToList is lockToDecide for an admin who takes a book off sale or puts it on sale again.
// Those who have an open report about the book are parties to that, too.
func (t *tx) lockToList(ctx context.Context, by user.Caller, id book.ID) (book.Book, error) {
	open, err := t.Reports.LockOpenReports(ctx, report.Target{Kind: report.Book, ID: int64(id)})
	if err != nil {
		return book.Book{}, err
	}
	b, err := t.lockToDecide(ctx, by, id)
	if err != nil {
		return b, err
	}
	affair := b.Affair()
	for _, r := range open {
		affair = affair.With(r.Reporter)
	}
	return b, t.mustDecide(ctx, by, affair)
}

// lockOverseen locks the open reports about a target, and returns those that the caller
// oversees: the two sides of a conversation may be of two universities.
func (t *tx) lockOverseen(ctx context.Context, by user.Caller, on report.Target) ([]report.Report, error) {
	open, err := t.Reports.LockOpenReports(ctx, on)
	if err != nil || by.Campus() == "" {
		return open, err
	}
	people := make([]user.ID, len(open))
	for i, r := range open {
		people[i] = r.About
	}
	found, err := t.Users.FindUsers(ctx, people...)
	return slices.DeleteFunc(open, func(r report.Report) bool { return !by.Oversees(found[r.About].Profile.University) }), err
}
