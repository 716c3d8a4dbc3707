package finding

import (
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/savedsearch"
)

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
