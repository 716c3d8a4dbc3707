package gormstore

import (
	"context"
	"database/sql"
	"sync"

	"gorm.io/gorm"
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

// transaction is the connection of one transaction as GORM and the stores use
// it. The rows of a query must have been read before it is run again.
type transaction struct {
	*sql.Tx
	cache *statements          // nil: the driver has one of its own
	mine  map[string]*sql.Stmt // nil: not prepared yet
	fresh []string             // what is to be prepared after this transaction

	topics map[string]bool // what is to be announced after this transaction
}

var _ interface {
	gorm.ConnPool
	gorm.TxCommitter
} = (*transaction)(nil)

func (t *transaction) statement(ctx context.Context, query string) *sql.Stmt {
	if t.cache == nil {
		return nil
	}
	if known, ok := t.mine[query]; ok {
		return known
	}
	var own *sql.Stmt
	switch known, room := t.cache.find(query); {
	case known != nil:
		own = t.StmtContext(ctx, known)
	case room:
		t.fresh = append(t.fresh, query)
	}
	t.mine[query] = own
	return own
}

// ExecContext is gorm.ConnPool.
func (t *transaction) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if s := t.statement(ctx, query); s != nil { //nolint:sqlclosecheck // ends with its transaction
		return s.ExecContext(ctx, args...)
	}
	return t.Tx.ExecContext(ctx, query, args...)
}

// QueryContext is gorm.ConnPool.
func (t *transaction) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if s := t.statement(ctx, query); s != nil { //nolint:sqlclosecheck // ends with its transaction
		return s.QueryContext(ctx, args...)
	}
	return t.Tx.QueryContext(ctx, query, args...)
}

// QueryRowContext is gorm.ConnPool.
func (t *transaction) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if s := t.statement(ctx, query); s != nil { //nolint:sqlclosecheck // ends with its transaction
		return s.QueryRowContext(ctx, args...)
	}
	return t.Tx.QueryRowContext(ctx, query, args...)
}

// transact runs fn in one transaction. A panic in fn rolls it back.
func (db *DB) transact(ctx context.Context, fn func(tx *gorm.DB) error) error {
	begun, err := db.writePool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = begun.Rollback() }() // nothing is left to roll back after the commit
	t := &transaction{Tx: begun, cache: db.statements, mine: map[string]*sql.Stmt{}, topics: map[string]bool{}}
	tx := db.Write.Session(&gorm.Session{NewDB: true, Context: ctx})
	tx.Statement.ConnPool = t
	if err := fn(tx); err != nil {
		return err
	}
	if err := begun.Commit(); err != nil {
		return err
	}
	db.board.ring(t.topics)
	if len(t.fresh) > 0 {
		db.statements.prepare(ctx, t.fresh)
	}
	return nil
}
