package marketstore

import "github.com/octavo-books/octavo/adapters/gormstore/rawsql"

// HoldingItems are the queries of FilterItems.
func HoldingItems() (all []string) {
	for _, q := range holdingItems {
		all = append(all, q)
	}
	return all
}

// Partners is the query of CountTraders.
func Partners(s *Store) string { return rawsql.Bind(s.read.Dialect, partners) }

// RequestScan is the query of FindRequestsByKeys for four keys.
func RequestScan(s *Store) string {
	return rawsql.Bind(s.read.Dialect, indexScan("WHERE key IN (?, ?, ?, ?)"))
}
