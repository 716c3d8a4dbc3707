package guarding

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

// BookHistoryReader reads what has happened to a book: at most n of each, newest first.
type BookHistoryReader interface {
	market.ReportCampusReader
	// ListOrdersOfBook lists the orders of a book in every status.
	ListOrdersOfBook(ctx context.Context, id book.ID, n int) ([]market.OrderView, error)
	// ListMatchesOfBook lists the matches of a book with requests in every status.
	ListMatchesOfBook(ctx context.Context, id book.ID, n int) ([]market.MatchView, error)
	// ListBookChanges lists the entries of the audit log about a book.
	ListBookChanges(ctx context.Context, id book.ID, n int) ([]audit.Entry, error)
	// ListBooksReportedBy lists those of the books about which a user has an open report.
	ListBooksReportedBy(ctx context.Context, reporter user.ID, ids ...book.ID) ([]book.ID, error)
}

// PostedBookReader lists the books of a seller, newest first: at most n with ids below before, where
// 0 means no bound.
type PostedBookReader interface {
	ListBooksPostedBy(ctx context.Context, seller user.ID, before book.ID, n int) ([]market.BookView, error)
}
