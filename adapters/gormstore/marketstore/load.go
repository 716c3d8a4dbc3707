package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/order"
)

// Loader adds many rows in one transaction, with few statements. They are those that the stores of
// the rooms write, but nothing is checked: they must be consistent.
type Loader struct {
	books
	handle conn
}

// Loader returns the loader of a transaction.
func (s *Store) Loader(in market.Stores) Loader {
	c := in.Handle().(conn)
	return Loader{books{c, c.fullText(s.bounds), &s.words}, c}
}

// AddBooks adds books, and those for sale to the full-text index.
func (l Loader) AddBooks(ctx context.Context, all []book.Book) error {
	if err := insert(ctx, l.handle, insertBook, all, bookValues); err != nil {
		return err
	}
	var listed []book.Book
	for _, b := range all {
		if b.Status == book.ForSale {
			listed = append(listed, b)
		}
	}
	return l.index(ctx, listed...)
}

// SoldBook is an order in any status, with the book that it sold and its entries in the ledger.
type SoldBook struct {
	order.Order
	Of      book.Book
	Entries []order.Entry
}

// AddOrders adds orders with their entries.
func (l Loader) AddOrders(ctx context.Context, all []SoldBook) error {
	err := insert(ctx, l.handle, insertedOrders+"VALUES ", all, func(s SoldBook) []any {
		b, values := s.Of, orderValues(s.Order)
		return append(values, s.CreatedAt.Sub(b.ListedAt).Microseconds(), b.Course, book.Key(b.Course), string(b.ISBN), b.University, book.Key(b.University))
	})
	var entries []entryRow
	for _, s := range all {
		for _, e := range s.Entries {
			entries = append(entries, entryRow(e))
		}
	}
	if err != nil || len(entries) == 0 {
		return err
	}
	return table.Of[entryRow](l.handle.session).CreateInBatches(ctx, &entries, rawsql.RowsPerStatement)
}

// IndexedRequest is a request with its entries in the index of requests.
type IndexedRequest struct {
	book.Request
	Entries []book.IndexEntry
}

// AddRequests adds requests and their entries in the index.
func (l Loader) AddRequests(ctx context.Context, all []IndexedRequest) error {
	if len(all) == 0 {
		return nil
	}
	var keys []requestKeyRow
	for _, r := range all {
		for _, e := range r.Entries {
			keys = append(keys, requestKeyRow{r.ID, e.Key, e.Words})
		}
	}
	rows := rawsql.Convert(all, func(r *IndexedRequest) requestRow { return requestRow(r.Request) })
	err := table.Of[requestRow](l.handle.session).CreateInBatches(ctx, &rows, rawsql.RowsPerStatement)
	if err != nil || len(keys) == 0 {
		return err
	}
	return table.Of[requestKeyRow](l.handle.session).CreateInBatches(ctx, &keys, rawsql.RowsPerStatement)
}
