package gormstore

import (
	"context"
	"database/sql"
	"sync"
)

// maxStatements bounds what is kept prepared.
const maxStatements = 512

// statements keeps what transactions execute prepared. GORM's own cache cannot:
// what it prepares inside a transaction it prepares anew every time. Nor can a
// statement be prepared for later while a transaction has the only connection,
// so new ones are noted and prepared once it is free.
type statements struct {
	pool *sql.DB

	mu       sync.Mutex
	prepared map[string]*sql.Stmt
}

func newStatements(pool *sql.DB) *statements {
	return &statements{pool: pool, prepared: map[string]*sql.Stmt{}}
}

// find gives a prepared statement, or nil; then it also says whether there is
// room for the query.
func (s *statements) find(query string) (known *sql.Stmt, room bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.prepared[query], len(s.prepared) < maxStatements
}

// prepare prepares what transactions have noted. A query that cannot be prepared
// is executed as it is.
func (s *statements) prepare(ctx context.Context, queries []string) {
	for _, query := range queries {
		ready, err := s.pool.PrepareContext(ctx, query)
		if err != nil {
			continue
		}
		s.mu.Lock()
		if s.prepared[query] != nil { // somebody was faster
			_ = ready.Close() //nolint:sqlclosecheck // the other branch keeps it
		} else {
			s.prepared[query] = ready
		}
		s.mu.Unlock()
	}
}

// work is an open transaction and what it executes prepared. The rows of a query
// must have been read before it is run again.
type work struct {
	*sql.Tx
	agenda
	cancel context.CancelFunc

	cache *statements          // nil: the driver has one of its own
	mine  map[string]*sql.Stmt // nil: not prepared yet
	fresh []string             // what is to be prepared after this transaction
}

func (w *work) statement(ctx context.Context, query string) *sql.Stmt {
	if w.cache == nil {
		return nil
	}
	if known, ok := w.mine[query]; ok {
		return known
	}
	var own *sql.Stmt
	switch known, room := w.cache.find(query); {
	case known != nil:
		own = w.StmtContext(ctx, known)
	case room:
		w.fresh = append(w.fresh, query)
	}
	w.mine[query] = own
	return own
}

func (w *work) exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if s := w.statement(ctx, query); s != nil { //nolint:sqlclosecheck // ends with its transaction
		return s.ExecContext(ctx, args...)
	}
	return w.ExecContext(ctx, query, args...)
}

func (w *work) query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if s := w.statement(ctx, query); s != nil { //nolint:sqlclosecheck // ends with its transaction
		return s.QueryContext(ctx, args...)
	}
	return w.QueryContext(ctx, query, args...)
}
