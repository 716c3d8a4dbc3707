package marketstore

import (
	"context"
	"database/sql"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/buyingstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/sellingstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"gorm.io/gorm"
)

// WithSmallBounds lowers the bounds, so that a test need not post thousands of books.
func WithSmallBounds(s *Store) *Store {
	finding := &s.findingReader.Bounds
	finding.Sorted, finding.Rare, finding.FirstScan, finding.Few = 5, 5, 10, 20
	s.buyingReader.Bounds = buyingstore.Bounds{Newest: 50, Titles: 200}
	return s
}

// CountListedBefore is the query of CountBooksListedBefore.
func CountListedBefore(s *Store) string {
	return rawsql.Bind(s.source.DB.Dialect, sellingstore.CountListedBefore)
}

// BoundHits bounds how many hits a search considers.
func BoundHits(s *Store, n int) {
	s.findingReader.Bounds.Hits, s.findingReader.Bounds.Rare = n, 1
}

// BoundEntries bounds how many of the newest entries Postgres scans at first and then, and
// how many hits it sorts.
func BoundEntries(s *Store, first, few, second int) {
	finding := &s.findingReader.Bounds
	finding.FirstScan, finding.Few, finding.SecondScan = first, few, second
}

// WatchReads calls see before each query, hand-written or of GORM.
func WatchReads(s *Store, see func(query string, args []any)) {
	db := s.source.DB
	pool := watched{db.Read.Statement.ConnPool, see}
	db.Read = db.Read.Session(&gorm.Session{NewDB: true})
	db.Read.Statement.ConnPool = pool
	s.source.Read = marketrows.On(db.Read)
}

type watched struct {
	gorm.ConnPool
	see func(string, []any)
}

func (w watched) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	w.see(query, args)
	return w.ConnPool.QueryContext(ctx, query, args...)
}
