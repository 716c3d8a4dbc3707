package market

import (
	"context"
	"slices"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

// campuses lists the universities of the reports about a target, as Reader does.
type campuses = func(context.Context, report.Target) ([]string, error)

// mustOversee returns an error unless an admin looks after a book or a person: it is of their
// university, or there is a report about it that is. The status of a book does not matter.
func mustOversee(ctx context.Context, by user.Caller, university string, on report.Target, campusesOf campuses) error {
	refusal := by.MustOversee(university)
	if refusal == nil || by.MustBe(user.Admin) != nil {
		return refusal
	}
	campuses, err := campusesOf(ctx, on)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(campuses, by.Oversees) {
		return nil
	}
	return refusal
}

// MustOverseeBook returns an error unless an admin looks after a book, or a report about it.
func MustOverseeBook(ctx context.Context, by user.Caller, b book.Book, campusesOf campuses) error {
	return mustOversee(ctx, by, b.University, TargetOf(b.ID), campusesOf)
}

// TargetOf is a book as the target of reports.
func TargetOf(id book.ID) report.Target { return report.Target{Kind: report.Book, ID: int64(id)} }
