// Package inboxstore stores the webhook inbox in a database: SQLite in a file of its
// own, so that its writer does not compete with other components, or a Postgres that
// several processes share. Its statements are hand-written SQL, because GORM would
// double the cost of storing a delivery.
package inboxstore

import (
	"context"
	"embed"
	"sync/atomic"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/groupcommit"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
)

//go:embed sqlite/*.sql postgres/*.sql
var steps embed.FS

// Migrations create the inbox's tables.
var Migrations = gormstore.Migrations{Name: "inbox", FS: steps}

// Inbox implements inbox.Store.
type Inbox struct {
	db         *gormstore.DB
	read       rawsql.Conn
	postgres   *postgres  // nil on SQLite, which has a single process and no partitions
	compressor compressor // of SQLite, whose one writer uses it

	leasesNotified atomic.Int64 // when, in Unix nanoseconds

	limits
}

// limits are lower in tests.
type limits struct {
	maxCounted   int
	pruneBatch   int   // deliveries, and others, that one step of PruneDeliveries examines
	minPartition int64 // positions of a partition
	maxMoved     int   // deliveries that dropping a partition moves
	maxExact     int   // up to this limit Postgres counts deliveries exactly
}

// New makes an inbox on a database with an up-to-date schema. Close it before the
// database.
func New(db *gormstore.DB) *Inbox {
	i := &Inbox{
		db: db, read: rawsql.Conn{Pool: db.Read.Statement.ConnPool, Dialect: db.Dialect},
		limits: limits{maxCounted, 200, 50_000, 1000, 10_000_000},
	}
	if db.Dialect == gormstore.Postgres {
		i.pruneBatch = 2000
		i.postgres = &postgres{instanceLock: instanceLock{pool: db.Sessions()}}
	}
	return i
}

// Ready returns an error unless the database answers and accepts writes.
func (i *Inbox) Ready(ctx context.Context) error { return i.db.Ready(ctx, Migrations) }

// Close releases the instance's leases and connection.
func (i *Inbox) Close() error {
	if i.postgres == nil {
		return nil
	}
	return i.postgres.close()
}

// atomically runs fn in one transaction. It may run fn twice, so fn must have no
// effect except through c.
func (i *Inbox) atomically(ctx context.Context, fn func(ctx context.Context, c rawsql.Conn) error) error {
	return i.db.Transact(ctx, func(ctx context.Context, tx *groupcommit.Tx) error {
		return fn(ctx, rawsql.Conn{Pool: tx, Dialect: i.db.Dialect})
	})
}

// update runs one statement and returns how many rows it changed.
func (i *Inbox) update(ctx context.Context, statement string, args ...any) (rows int, err error) {
	err = i.atomically(ctx, func(ctx context.Context, c rawsql.Conn) error {
		n, err := c.Exec(ctx, statement, args...)
		rows = int(n)
		return err
	})
	return rows, err
}

// in returns the condition "column IN (?, ?)" with its arguments.
func in[T any](column string, values []T) (condition string, args []any) {
	placeholders, args := rawsql.In(values)
	return column + " IN (" + placeholders + ")", args
}

// anyOf returns a condition that selects the rows of these numbers, with its arguments.
func (i *Inbox) anyOf(column string, numbers []int64) (condition string, args []any) {
	if i.postgres == nil {
		return in(column, numbers)
	}
	return column + " = ANY (?::bigint[])", []any{numbers}
}

// forUpdate follows a query of deliveries d whose rows are to be locked.
func (i *Inbox) forUpdate() string {
	if i.postgres == nil {
		return ""
	}
	return " FOR UPDATE OF d"
}

// instanceID identifies this process as the owner of leases; 0 for a single process, because no other
// holds leases.
func (i *Inbox) instanceID(ctx context.Context) (int64, error) {
	if i.postgres == nil {
		return 0, nil
	}
	return i.postgres.instanceID(ctx)
}
