package marketstore

import (
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/findingstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/guardingstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
)

// HoldingItems are the queries of FilterItems.
func HoldingItems() (all []string) {
	for _, q := range holdingItems {
		all = append(all, q)
	}
	return all
}

// Partners is the query of CountTraders.
func Partners(s *Store) string { return rawsql.Bind(s.source.DB.Dialect, guardingstore.Partners) }

// RequestScan is the query of FindRequestsByKeys for four keys.
func RequestScan(s *Store) string {
	return rawsql.Bind(s.source.DB.Dialect, findingstore.RequestScan("WHERE key IN (?, ?, ?, ?)"))
}
