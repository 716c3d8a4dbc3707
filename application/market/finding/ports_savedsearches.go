package finding

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/savedsearch"
	"github.com/octavo-books/octavo/domain/user"
)

// SavedSearchStore stores saved searches, and which books each has found.
type SavedSearchStore interface {
	// AddSearch stores a new search and indexes it under keys. An owner with max searches
	// gets savedsearch.ErrTooMany.
	AddSearch(ctx context.Context, s savedsearch.Search, keys []string, max int) error
	// LockSearches loads and locks searches in the order of their ids. It leaves out unknown
	// ones.
	LockSearches(ctx context.Context, ids ...savedsearch.ID) ([]savedsearch.Search, error)
	// LockSearchesToMail loads and locks at most n searches that have found books since their
	// last mail, which was sent at or before then. It leaves out those that another
	// transaction has locked.
	LockSearchesToMail(ctx context.Context, then time.Time, n int) ([]savedsearch.Search, error)
	// UpdateSearch stores Mail, MailedAt and Unmailed of a locked search.
	UpdateSearch(ctx context.Context, s savedsearch.Search) error
	// DeleteSearch deletes a locked search and what it has found.
	DeleteSearch(ctx context.Context, id savedsearch.ID) error
	// DeleteSearchesOf deletes all searches of an owner and what they have found.
	DeleteSearchesOf(ctx context.Context, owner user.ID) error
	// FindSearchesByKeys scans the index within the bounds of q, in the order of the bytes of
	// the keys, then of ids. It leaves out searches of the seller and those whose filters
	// exclude the book; those that it returns may still not fit. The cursor is where the scan
	// stopped, zero at the end of the index.
	FindSearchesByKeys(ctx context.Context, q SearchQuery) ([]savedsearch.ID, SearchCursor, error)
	// AddHit records that a locked search has found a book. It is false if that was recorded
	// before.
	AddHit(ctx context.Context, id savedsearch.ID, found book.ID, now time.Time) (bool, error)
	// ListHits lists those of the last n books that a search has found that are for sale, the
	// last found first.
	ListHits(ctx context.Context, id savedsearch.ID, n int) ([]book.Book, error)
	// DeleteHits deletes at most n records that a search has found the book, and reports
	// whether there may be more.
	DeleteHits(ctx context.Context, found book.ID, n int) (more bool, err error)
}

// SearchQuery selects and bounds what FindSearchesByKeys reads.
type SearchQuery struct {
	Keys       []string // sorted
	Book       book.Book
	After      SearchCursor
	MaxEntries int // index entries to scan
	Limit      int // searches to return
}

// SearchCursor is a position in the index of saved searches: after the entry of this search
// under this key.
type SearchCursor struct {
	Key    string
	Search savedsearch.ID
}

// SavedSearchReader lists saved searches, newest first: at most n with ids below before, where 0
// means no bound.
type SavedSearchReader interface {
	ListSearchesOf(ctx context.Context, owner user.ID, before savedsearch.ID, n int) ([]savedsearch.Search, error)
}
