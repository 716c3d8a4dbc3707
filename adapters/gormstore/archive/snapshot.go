package archive

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/octavo-books/octavo/adapters/gormstore"
)

// snapshot is a transaction that reads a database as it was at one moment, while others write.
type snapshot struct {
	*sql.Tx
	dialect gormstore.Dialect
}

// openSnapshot begins one. The caller rolls it back.
func openSnapshot(ctx context.Context, db *gormstore.DB) (snapshot, error) {
	_, read := db.SQL()
	options, statements := (*sql.TxOptions)(nil), []string{"SELECT count(*) FROM sqlite_schema"} // the first read begins it
	if db.Dialect == gormstore.Postgres {
		options = &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
		statements = []string{"SET LOCAL statement_timeout = 0", "SET LOCAL idle_in_transaction_session_timeout = 0"}
	}
	tx, err := read.BeginTx(ctx, options)
	if err != nil {
		return snapshot{}, gormstore.WrapUnavailable(err)
	}
	for _, statement := range statements {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			_ = tx.Rollback()
			return snapshot{}, gormstore.WrapUnavailable(err)
		}
	}
	return snapshot{tx, db.Dialect}, nil
}

// leases are columns that say which process works on a row. They are 0 in an archive.
var leases = map[string]string{"inbox_jobs": "owner"}

// each calls do with every row of a table, in the order of its key. The values are valid until do returns.
func (s snapshot) each(ctx context.Context, t Table, do func([]any) error) error {
	rows, err := s.QueryContext(ctx, t.query(s.dialect))
	if err != nil {
		return fmt.Errorf("table %s: %w", t.Name, gormstore.WrapUnavailable(err))
	}
	defer func() { _ = rows.Close() }()
	from, values := newScanner(t.Columns), make([]any, len(t.Columns))
	lease := t.place(leases[t.Name])
	for rows.Next() {
		if err := from.scan(rows, values); err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
		if lease >= 0 {
			values[lease] = int64(0)
		}
		if err := do(values); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("table %s: %w", t.Name, gormstore.WrapUnavailable(err))
	}
	return nil
}
