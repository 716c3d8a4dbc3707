// Package guardingstore stores reports and statistics.
package guardingstore

import "github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"

// Reader implements guarding.Reader and, of market.Reader, what is reported.
type Reader struct{ *marketrows.Source }

// Store implements guarding.Store.
type Store struct {
	reports
	reportPhotos
}

// Open returns the room's store in a transaction.
func Open(c marketrows.Handle) Store {
	return Store{reports{c}, reportPhotos{c}}
}

// NewReader returns the reader over a source.
func NewReader(of *marketrows.Source) Reader { return Reader{of} }
