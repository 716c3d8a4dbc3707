package findingstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/book"
)

// IndexedRequest is a request with its entries in the index of requests.
type IndexedRequest struct {
	book.Request
	Entries []book.IndexEntry
}

// LoadRequests adds requests and their entries in the index.
func LoadRequests(ctx context.Context, c marketrows.Handle, all []IndexedRequest) error {
	if len(all) == 0 {
		return nil
	}
	var keys []requestKeyRow
	for _, r := range all {
		for _, e := range r.Entries {
			keys = append(keys, requestKeyRow{r.ID, e.Key, e.Words})
		}
	}
	rows := rawsql.Convert(all, func(r *IndexedRequest) marketrows.RequestRow { return marketrows.RequestRow(r.Request) })
	err := table.Of[marketrows.RequestRow](c.Session).CreateInBatches(ctx, &rows, rawsql.RowsPerStatement)
	if err != nil || len(keys) == 0 {
		return err
	}
	return table.Of[requestKeyRow](c.Session).CreateInBatches(ctx, &keys, rawsql.RowsPerStatement)
}
