package marketstore

import (
	"context"
	"database/sql"

	"github.com/octavo-books/octavo/adapters/gormstore"
)

// Impatient takes a few books for many, so that a test need not post thousands.
func Impatient(s *Store) *Store {
	s.bounds.sorted, s.bounds.rare, s.bounds.glanced, s.bounds.few = 5, 5, 10, 20
	return s
}

// LookAtHits bounds how many hits of a search are looked at.
func LookAtHits(s *Store, n int) { s.bounds.hits, s.bounds.rare = n, 1 }

// WatchReads calls see before each query of a read.
func WatchReads(s *Store, see func(query string, args []any)) {
	s.read.Pool = watched{s.read.Pool, see}
}

type watched struct {
	gormstore.Pool
	see func(string, []any)
}

func (w watched) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	w.see(query, args)
	return w.Pool.QueryContext(ctx, query, args...)
}
