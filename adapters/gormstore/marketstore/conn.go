package marketstore

import (
	"context"
	"database/sql"
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

// collect runs a query and scans every row.
func collect[T any](ctx context.Context, c conn, scan func(row) (T, error), query string, args ...any) ([]T, error) {
	rows, err := c.pool.QueryContext(ctx, c.bind(query), args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

// one is collect for a query that gives at most one row.
func one[T any](ctx context.Context, c conn, scan func(row) (T, error), query string, args ...any) (v T, found bool, err error) {
	all, err := collect(ctx, c, scan, query, args...)
	if err != nil || len(all) == 0 {
		return v, false, err
	}
	return all[0], true, nil
}

// row is what scanning needs of a *sql.Rows.
type row interface{ Scan(dest ...any) error }

var _ row = (*sql.Rows)(nil)

// scalar scans a row of one column.
func scalar[T any](r row) (v T, err error) {
	err = r.Scan(&v)
	return v, err
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
