package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/buyingstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/findingstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
)

// Loader adds many rows in one transaction, with few statements. They are those that the stores of
// the rooms write, but nothing is checked: they must be consistent.
type Loader struct {
	books
	handle marketrows.Handle
}

// Loader returns the loader of a transaction.
func (s *Store) Loader(in market.Stores) Loader {
	c := in.Handle().(marketrows.Handle)
	return Loader{s.booksOf(c), c}
}

// AddBooks adds books, and those for sale to the full-text index.
func (l Loader) AddBooks(ctx context.Context, all []book.Book) error {
	if err := marketrows.Insert(ctx, l.handle, insertBook, all, bookValues); err != nil {
		return err
	}
	var listed []book.Book
	for _, b := range all {
		if b.Status == book.ForSale {
			listed = append(listed, b)
		}
	}
	return l.index.Add(ctx, listed...)
}

// AddOrders adds orders with their entries.
func (l Loader) AddOrders(ctx context.Context, all []buyingstore.SoldBook) error {
	return buyingstore.LoadOrders(ctx, l.handle, all)
}

// AddRequests adds requests and their entries in the index.
func (l Loader) AddRequests(ctx context.Context, all []findingstore.IndexedRequest) error {
	return findingstore.LoadRequests(ctx, l.handle, all)
}
