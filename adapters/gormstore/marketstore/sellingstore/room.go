// Package sellingstore stores what people sell: listings, photos, imports.
package sellingstore

import "github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"

// Reader implements selling.Reader and, of market.Reader, what somebody has posted.
type Reader struct{ *marketrows.Source }

// Store implements selling.Store, but for the books themselves.
type Store struct {
	listings
	photos
	imports
}

// Open returns the room's store in a transaction.
func Open(c marketrows.Handle) Store {
	return Store{listings{c}, photos{c}, imports{c}}
}

// NewReader returns the reader over a source.
func NewReader(of *marketrows.Source) Reader { return Reader{of} }
