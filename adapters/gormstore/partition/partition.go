// Package partition creates and drops partitions on Postgres, each a range of a number that
// grows with time. On SQLite, which has none, nothing calls it.
package partition

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
)

// Range is a partition of a table with the numbers from Lower up to, but not including, Upper.
// Without a bound they are math.MinInt64 and math.MaxInt64.
type Range struct {
	Table, Name  string
	Lower, Upper int64
}

func scanRange() ([]any, func() Range) {
	var r Range
	return []any{&r.Table, &r.Name, &r.Lower, &r.Upper}, func() Range { return r }
}

// List lists the partitions of a table, except for a default one, in their order. While another
// process changes them, some may be missing.
func List(ctx context.Context, c rawsql.Conn, table string) ([]Range, error) {
	return rawsql.Collect(ctx, c, scanRange, `SELECT ?::text, name, coalesce((substring(bounds FROM $$FROM \('*(-*\d+)'*\)$$))::bigint, ?::bigint) AS lower,
		coalesce((substring(bounds FROM $$TO \('*(-*\d+)'*\)$$))::bigint, ?::bigint) AS upper
		FROM (SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bounds FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
			WHERE i.inhparent = ?::text::regclass) p WHERE bounds <> 'DEFAULT' ORDER BY lower`, table, int64(math.MinInt64), int64(math.MaxInt64), table)
}

// Create attaches an empty table: in contrast to CREATE TABLE … PARTITION OF, that locks only
// the default partition, if there is one. Storage parameters follow the options, if any.
func Create(ctx context.Context, c rawsql.Conn, r Range, options string) error {
	if err := Define(ctx, c, "CREATE TABLE %s (LIKE %s INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES INCLUDING STORAGE) %s", r.Name, r.Table, options); err != nil {
		return err
	}
	return Attach(ctx, c, r)
}

// Attach attaches a table as a partition. Postgres reads all its rows to check the range, unless
// a constraint of the table says so.
func Attach(ctx context.Context, c rawsql.Conn, r Range) error {
	return Define(ctx, c, "ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%s) TO (%s)", r.Table, r.Name, bound(r.Lower), bound(r.Upper))
}

// Detach makes a partition a table of its own.
func Detach(ctx context.Context, c rawsql.Conn, r Range) error {
	return Define(ctx, c, "ALTER TABLE %s DETACH PARTITION %s", r.Table, r.Name)
}

// Drop drops a detached partition with its rows.
func Drop(ctx context.Context, c rawsql.Conn, r Range) error {
	return Define(ctx, c, "DROP TABLE %s", r.Name)
}

func bound(n int64) string {
	switch n {
	case math.MinInt64:
		return "MINVALUE"
	case math.MaxInt64:
		return "MAXVALUE"
	}
	return fmt.Sprint(n)
}

// Define runs a statement that defines tables. It is not bound, because that caches it.
func Define(ctx context.Context, c rawsql.Conn, format string, args ...any) error {
	_, err := c.Pool.ExecContext(ctx, fmt.Sprintf(format, args...))
	return gormstore.WrapUnavailable(err)
}

// Transact runs fn in a transaction, perhaps more than once.
type Transact func(ctx context.Context, fn func(context.Context, rawsql.Conn) error) error

// lockTimeout bounds how long a change of partitions waits for statements that use the table,
// and makes others wait. After a timeout it is tried again later.
const lockTimeout = `SET LOCAL lock_timeout = '300ms'`

// ErrKeep makes Change roll back and return no error: a partition is still needed.
var ErrKeep = errors.New("the partition is still needed")

// Change runs fn in a transaction. If another process has the advisory lock, the tables are in
// use for too long, or rows in the default partition belong in a new one, it changes nothing, and
// postponed is true.
func (in Transact) Change(ctx context.Context, lock string, fn func(ctx context.Context, c rawsql.Conn) error) (postponed bool, err error) {
	err = in(ctx, func(ctx context.Context, c rawsql.Conn) error {
		if err := Define(ctx, c, lockTimeout); err != nil {
			return err
		}
		first, err := c.TryAdvisoryLock(ctx, lock)
		if err != nil {
			return err
		}
		if postponed = !first; postponed {
			return nil
		}
		return fn(ctx, c)
	})
	switch {
	case errors.Is(err, ErrKeep):
		return false, nil
	case gormstore.IsLockTimeout(err) || gormstore.IsCheckViolation(err):
		return true, nil
	}
	return postponed, err
}
