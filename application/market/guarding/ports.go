package guarding

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

// Store is what one transaction may change of what people report.
type Store interface {
	PhotoStore
	// ListReportCampuses is that of market.Reader.
	ListReportCampuses(ctx context.Context, on report.Target) ([]string, error)
	// LockOpenReports loads the open reports about a target in ascending order. Until the
	// transaction ends, others wait to do the same.
	LockOpenReports(ctx context.Context, on report.Target) ([]report.Report, error)
	// AddReport stores a report. If the reporter has an open one about the target, the error
	// is report.ErrReported.
	AddReport(ctx context.Context, r report.Report) error
	// UpdateReports stores the decisions, the words and what was seen.
	UpdateReports(ctx context.Context, all []report.Report) error
	// CountTraders counts those of the users who have bought from or sold to at least
	// report.MinPartners people, each time a book that was delivered at or before then and
	// cost at least min.
	CountTraders(ctx context.Context, ids []user.ID, then time.Time, min money.Amount) (int, error)
	// HasOpenReports reports whether there is an open report for which a person is responsible.
	HasOpenReports(ctx context.Context, about user.ID) (bool, error)
	// IsAcquainted reports whether a user has come across a person in the market: the person
	// has a book for sale, or there is an order between the two.
	IsAcquainted(ctx context.Context, id, person user.ID) (bool, error)
	// ListAllReportsBy lists all reports of a reporter.
	ListAllReportsBy(ctx context.Context, reporter user.ID) ([]report.Report, error)
	// DeleteReportsAbout deletes all reports about a person, and removes their photos.
	DeleteReportsAbout(ctx context.Context, person user.ID, now time.Time) error
	// DeleteResolvedReports deletes at most n reports that were resolved at or before then, removes
	// their photos, and returns how many reports there were.
	DeleteResolvedReports(ctx context.Context, then, now time.Time, n int) (int, error)
}

// Reader reads what admins see.
type Reader interface {
	market.Reader
	ProblemReader

	// ReadBookHistory reads what has happened to a book: at most n of each list, newest first. It leaves out the book itself.
	ReadBookHistory(ctx context.Context, id book.ID, n int) (BookHistory, error)
	// ListBooksReportedBy lists those of the books about which a user has an open report.
	ListBooksReportedBy(ctx context.Context, reporter user.ID, ids ...book.ID) ([]book.ID, error)

	// What admins look for: at most n books in any status, the newest first. campus is the text.Key of a university, "" for all.
	// Of one university they are looked for among a bounded number.

	// ListBooksOfISBN lists the books with an ISBN.
	ListBooksOfISBN(ctx context.Context, isbn book.ISBN, campus string, n int) ([]book.ID, error)
	// ListBooksTitled lists the books that are not for sale whose book.TitleKey has a beginning.
	ListBooksTitled(ctx context.Context, beginning, campus string, n int) ([]book.ID, error)

	// What a report about a conversation keeps. It is the only way by which others than its two
	// people read messages.

	// FindConversation loads a conversation; conversation.ErrNotFound if there is none.
	FindConversation(ctx context.Context, id conversation.ID) (market.ConversationView, error)
	// ListReportedMessages lists the newest messages of a conversation, at most n, that were
	// sent at or before a time, in the order in which they were sent.
	ListReportedMessages(ctx context.Context, of conversation.ID, until time.Time, n int) ([]conversation.Message, error)

	// FindReport loads a report; report.ErrNotFound if there is none.
	FindReport(ctx context.Context, id report.ID) (ReportView, error)
	// ListReports lists at most n reports after a position, in the order of their state.
	ListReports(ctx context.Context, of ReportSelection, after market.Position, n int) ([]ReportView, error)
	// CountOpenReports counts those of a university, "" for all.
	CountOpenReports(ctx context.Context, university string) (int, error)
	// ListStaff is LockStaff without a lock.
	ListStaff(ctx context.Context) ([]user.Staff, error)
	ReadUserStatistics(ctx context.Context, id user.ID) (UserStatistics, error)
	// ReadDashboard covers the books that are listed at a university, by its text.Key, and the
	// people who study there; "" is the whole market. Its daily series has the days that begin at
	// these times, the last of which ends that series.
	// Courses are spelled as in most sales of the whole market.
	ReadDashboard(ctx context.Context, campus string, days []time.Time) (Dashboard, error)
}
