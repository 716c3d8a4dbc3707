// Package rawsql has what the stores share besides GORM: the storage of times, lists of
// values and locks, and for hand-written statements placeholders and the scanning of
// rows.
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

// On returns a Conn that runs statements where db does: in its transaction or on its pool.
func On(db *gorm.DB) Conn {
	return Conn{Pool: db.Statement.ConnPool, Dialect: gormstore.Dialect(db.Name())}
}

// Exec runs a statement and returns how many rows it changed.
func (c Conn) Exec(ctx context.Context, statement string, args ...any) (int64, error) {
	result, err := c.Pool.ExecContext(ctx, Bind(c.Dialect, statement), args...)
	if err != nil {
		return 0, gormstore.WrapUnavailable(err)
	}
	return result.RowsAffected()
}

// Scanner returns the destinations of a row's columns and a function that returns the
// scanned value. One scanner serves all rows of a query, which saves a dozen allocations
// per row. Scan numbers as int64, the type of the SQLite driver: database/sql converts
// to any other type through a string.
type Scanner[T any] func() (columns []any, value func() T)

// Collect runs a query and reads every row.
func Collect[T any](ctx context.Context, c Conn, scan Scanner[T], query string, args ...any) ([]T, error) {
	return CollectUpTo(ctx, c, 0, scan, query, args...)
}

// CollectUpTo is Collect for a query that usually returns n rows. It allocates the list at
// once, because growing a list of large values copies it several times.
func CollectUpTo[T any](ctx context.Context, c Conn, n int, scan Scanner[T], query string, args ...any) ([]T, error) {
	rows, err := c.Pool.QueryContext(ctx, Bind(c.Dialect, query), args...)
	if err != nil {
		return nil, gormstore.WrapUnavailable(err)
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
	return all, gormstore.WrapUnavailable(rows.Err())
}

// One is Collect for a query that returns at most one row.
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
