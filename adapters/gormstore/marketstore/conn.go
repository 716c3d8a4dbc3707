package marketstore

import (
	"context"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"gorm.io/gorm"
)

// conn runs statements that are written and scanned by hand. GORM's pool keeps
// each prepared, in and out of transactions.
type conn struct {
	pool    gorm.ConnPool
	dialect gormstore.Dialect
}

// exec runs a statement and returns how many rows it touched.
func (c conn) exec(ctx context.Context, statement string, args ...any) (int64, error) {
	res, err := c.pool.ExecContext(ctx, c.bind(statement), args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// reader gives the places that the columns of a row are scanned into, and what
// to make of the row then. One serves all rows of a query, which saves a dozen
// allocations each. Numbers are scanned as int64, which the driver gives: any
// other type takes the way round a text.
type reader[T any] func() (columns []any, value func() T)

// collect runs a query and reads every row.
func collect[T any](ctx context.Context, c conn, read reader[T], query string, args ...any) ([]T, error) {
	return collectUpTo(ctx, c, 0, read, query, args...)
}

// collectUpTo is collect for a query that gives n rows as a rule: growing a list
// of books row by row copies it several times over.
func collectUpTo[T any](ctx context.Context, c conn, n int, read reader[T], query string, args ...any) ([]T, error) {
	rows, err := c.pool.QueryContext(ctx, c.bind(query), args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []T
	columns, value := read()
	for rows.Next() {
		if err := rows.Scan(columns...); err != nil {
			return nil, err
		}
		if out == nil && n > 0 {
			out = make([]T, 0, n)
		}
		out = append(out, value())
	}
	return out, rows.Err()
}

// one is collect for a query that gives at most one row.
func one[T any](ctx context.Context, c conn, read reader[T], query string, args ...any) (v T, found bool, err error) {
	all, err := collect(ctx, c, read, query, args...)
	if err != nil || len(all) == 0 {
		return v, false, err
	}
	return all[0], true, nil
}

// integer reads rows of one number.
func integer[T ~int | ~int64]() ([]any, func() T) {
	var n int64
	return []any{&n}, func() T { return T(n) }
}

// text reads rows of one text.
func text() ([]any, func() string) {
	var s string
	return []any{&s}, func() string { return s }
}

// list writes the inside of IN (…) for some values. The lengths are powers of
// two, filled up with the last value, so that few statements need preparing.
func list[T any](values []T) (marks string, args []any) {
	n := 1
	for n < len(values) {
		n *= 2
	}
	args = make([]any, n)
	for i := range args {
		args[i] = values[min(i, len(values)-1)]
	}
	return strings.Repeat("?, ", n-1) + "?", args
}

// micros is how a time is stored; the zero time is 0.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func instant(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}

// top is the bound of a list that is newest first; 0 means none.
func top[T ~int64](before T) int64 {
	if before == 0 {
		return 1<<63 - 1
	}
	return int64(before)
}
