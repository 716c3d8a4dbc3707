package finding

import (
	"github.com/octavo-books/octavo/domain/book"
)

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
