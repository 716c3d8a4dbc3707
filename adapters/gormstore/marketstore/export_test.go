package marketstore

import (
	"context"
	"database/sql"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"gorm.io/gorm"
)

// WithSmallBounds lowers the bounds, so that a test need not post thousands of books.
func WithSmallBounds(s *Store) *Store {
	s.bounds.sorted, s.bounds.rare, s.bounds.firstScan, s.bounds.few = 5, 5, 10, 20
	s.bounds.orders, s.bounds.titles = 50, 200
	return s
}

// CountListedBefore is the query of CountBooksListedBefore.
func CountListedBefore(s *Store) string { return rawsql.Bind(s.read.Dialect, countListedBefore) }

// BoundHits bounds how many hits a search considers.
func BoundHits(s *Store, n int) { s.bounds.hits, s.bounds.rare = n, 1 }

// BoundEntries bounds how many of the newest entries Postgres scans at first and then, and
// how many hits it sorts.
func BoundEntries(s *Store, first, few, second int) {
	s.bounds.firstScan, s.bounds.few, s.bounds.secondScan = first, few, second
}

// WatchReads calls see before each query, hand-written or of GORM.
func WatchReads(s *Store, see func(query string, args []any)) {
	pool := watched{s.db.Read.Statement.ConnPool, see}
	s.db.Read = s.db.Read.Session(&gorm.Session{NewDB: true})
	s.db.Read.Statement.ConnPool = pool
	s.read = conn{rawsql.On(s.db.Read), s.db.Read}
}

type watched struct {
	gorm.ConnPool
	see func(string, []any)
}

func (w watched) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	w.see(query, args)
	return w.ConnPool.QueryContext(ctx, query, args...)
}
