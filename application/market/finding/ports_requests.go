package finding

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

// RequestStore stores requests.
type RequestStore interface {
	// AddRequest stores a new request. An owner with max open requests gets
	// book.ErrTooManyRequests.
	AddRequest(ctx context.Context, r book.Request, max int) error
	// UpdateRequest stores the status of a request.
	UpdateRequest(ctx context.Context, r book.Request) error
	// DeleteRequest deletes a request of this owner with its matches;
	// book.ErrRequestNotFound if the owner has no such request.
	DeleteRequest(ctx context.Context, owner user.ID, id book.RequestID) error
	// LockRequests returns the ids of those requests that still exist, and prevents
	// their deletion until the transaction ends.
	LockRequests(ctx context.Context, ids ...book.RequestID) ([]book.RequestID, error)
	// DeleteRequestsOf deletes all requests of an owner with their matches.
	DeleteRequestsOf(ctx context.Context, owner user.ID) error
	// ListOpenRequests lists the open requests of one owner, oldest first, at most
	// book.MaxOpenRequests.
	ListOpenRequests(ctx context.Context, owner user.ID) ([]book.Request, error)
	// LockOpenRequests is ListOpenRequests. Until the transaction ends, others wait before
	// they add requests of this owner.
	LockOpenRequests(ctx context.Context, owner user.ID) ([]book.Request, error)
	// ListRequestsFilledBy lists the requests that the book filled.
	ListRequestsFilledBy(ctx context.Context, id book.ID) ([]book.Request, error)
	// FindRequest loads one request; book.ErrRequestNotFound if there is none.
	FindRequest(ctx context.Context, id book.RequestID) (book.Request, error)
	// CountBooksWith counts for each of the terms, at least one, how many of the newest n books
	// for sale have it.
	CountBooksWith(ctx context.Context, terms []string, n int) ([]int, error)
	// IndexRequest replaces the index entries of a request; without entries no book
	// finds it.
	IndexRequest(ctx context.Context, id book.RequestID, entries []book.IndexEntry) error
}

// MatchStore stores which book matches which request, and finds candidates for both.
type MatchStore interface {
	// FindRequestsByKeys scans the index of open requests within the bounds of q. It
	// returns a request once for each of the keys that it is indexed under, unless the
	// entry needs words outside q.Words, ordered by the bytes of the keys, then by id.
	// The cursor is where the scan stopped, zero at the end of the index.
	FindRequestsByKeys(ctx context.Context, q MatchQuery) ([]IndexedRequest, IndexCursor, error)
	// FindBooksByKey lists at most n books for sale with the search key, newest first,
	// with ids below before; 0 means no bound.
	FindBooksByKey(ctx context.Context, key book.SearchKey, before book.ID, n int) ([]book.Book, error)
	// AddMatches stores matches, of which no two are of the same book and request, and reports
	// for each whether it is new. It makes an invalidated match valid again, which does not
	// count as new.
	AddMatches(ctx context.Context, all []book.Match) (isNew []bool, err error)
	// InvalidateMatches makes all matches of the book invalid. It keeps the rows, so that
	// nobody is notified of the same match twice.
	InvalidateMatches(ctx context.Context, id book.ID) error
	// ListInterestedUsers lists at most n users with ids above after, in ascending order,
	// who have the book in their cart or an open request that it matches.
	ListInterestedUsers(ctx context.Context, id book.ID, after user.ID, n int) ([]user.ID, error)
}

// MatchQuery selects and bounds what FindRequestsByKeys reads.
type MatchQuery struct {
	Keys       []string
	Words      book.BloomFilter
	After      IndexCursor
	MaxEntries int // index entries to scan
	Limit      int // requests to return
}

// IndexCursor is a position in the index of open requests: after the entry of this
// request under this key.
type IndexCursor struct {
	Key     string
	Request book.RequestID
}

// IndexedRequest is a request and the index entry that led to it.
type IndexedRequest struct {
	At      IndexCursor
	Request book.Request
}

// RequestReader lists requests and their matches, newest first: at most n with ids
// below before, where 0 means no bound.
type RequestReader interface {
	ListRequestsOf(ctx context.Context, owner user.ID, before book.RequestID, n int) ([]book.Request, error)
	// ListMatchesOf lists the valid matches of open requests with books that are for
	// sale, by the ids of the matches.
	ListMatchesOf(ctx context.Context, owner user.ID, before int64, n int) ([]market.MatchView, error)
}

// Store is what one transaction may change of what people look for.
type Store interface {
	RequestStore
	MatchStore
	SavedSearchStore
	CourseStore
}
