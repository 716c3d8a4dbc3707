package buyingstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/text"
)

// SoldBook is an order in any status, with the book that it sold and its entries in the ledger.
type SoldBook struct {
	order.Order
	Of      book.Book
	Entries []order.Entry
}

// LoadOrders adds orders with their entries.
func LoadOrders(ctx context.Context, c marketrows.Handle, all []SoldBook) error {
	err := marketrows.Insert(ctx, c, insertedOrders+"VALUES ", all, func(s SoldBook) []any {
		b, values := s.Of, orderValues(s.Order)
		return append(values, s.CreatedAt.Sub(b.ListedAt).Microseconds(), b.Course, text.Key(b.Course), string(b.ISBN), b.University, text.Key(b.University))
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
	return table.Of[entryRow](c.Session).CreateInBatches(ctx, &entries, rawsql.RowsPerStatement)
}
