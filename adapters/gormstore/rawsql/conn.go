// Package rawsql has what the stores share beside GORM: how times are stored, lists of
// values and locks; and, for the statements that are written and scanned by hand,
// placeholders and the reading of rows.
package rawsql

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"gorm.io/gorm"
)

// Conn runs statements whose placeholders are question marks.
type Conn struct {
	Pool    gormstore.Pool
	Dialect gormstore.Dialect
}

// On runs statements where db does: within a transaction, or on its pool.
func On(db *gorm.DB) Conn {
	return Conn{Pool: db.Statement.ConnPool, Dialect: gormstore.Dialect(db.Name())}
}

// Exec runs a statement and returns how many rows it changed.
func (c Conn) Exec(ctx context.Context, statement string, args ...any) (int64, error) {
	result, err := c.Pool.ExecContext(ctx, Bind(c.Dialect, statement), args...)
	if err != nil {
		return 0, gormstore.Explain(err)
	}
	return result.RowsAffected()
}

// Scanner gives the places that the columns of a row are scanned into, and what to make
// of the row then. One serves all rows of a query, which saves a dozen allocations each.
// Numbers are best scanned as int64, which the driver of SQLite gives: any other type
// takes the way round a text.
type Scanner[T any] func() (columns []any, value func() T)

// Collect runs a query and reads every row.
func Collect[T any](ctx context.Context, c Conn, scan Scanner[T], query string, args ...any) ([]T, error) {
	return CollectUpTo(ctx, c, 0, scan, query, args...)
}

// CollectUpTo is Collect for a query that gives n rows as a rule: growing a list of large
// values row by row copies it several times over.
func CollectUpTo[T any](ctx context.Context, c Conn, n int, scan Scanner[T], query string, args ...any) ([]T, error) {
	rows, err := c.Pool.QueryContext(ctx, Bind(c.Dialect, query), args...)
	if err != nil {
		return nil, gormstore.Explain(err)
	}
	defer func() { _ = rows.Close() }()
	var all []T
	columns, value := scan()
	for rows.Next() {
		if err := rows.Scan(columns...); err != nil {
			return nil, err
		}
		if all == nil && n > 0 {
			all = make([]T, 0, n)
		}
		all = append(all, value())
	}
	return all, gormstore.Explain(rows.Err())
}

// One is Collect for a query that gives at most one row.
func One[T any](ctx context.Context, c Conn, scan Scanner[T], query string, args ...any) (v T, found bool, err error) {
	all, err := Collect(ctx, c, scan, query, args...)
	if err != nil || len(all) == 0 {
		return v, false, err
	}
	return all[0], true, nil
}

// Integer scans rows of one number.
func Integer[T ~int | ~int64]() ([]any, func() T) {
	var n int64
	return []any{&n}, func() T { return T(n) }
}

// Text scans rows of one text.
func Text[T ~string]() ([]any, func() T) {
	var s string
	return []any{&s}, func() T { return T(s) }
}
