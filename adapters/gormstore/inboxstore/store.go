// Package inboxstore keeps the webhook inbox in a database: SQLite in a file of
// its own, so that its writer waits for nobody else's, or a Postgres that several
// processes share. Its statements are written by hand: GORM's costs would double what
// storing a delivery takes.
package inboxstore

import (
	"context"
	"embed"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/groupcommit"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/inbox"
)

//go:embed sqlite/*.sql postgres/*.sql
var steps embed.FS

// Migrations are the steps to the inbox's tables.
var Migrations = gormstore.Migrations{Name: "inbox", FS: steps}

// Inbox fills the ports inbox.Store, Queue, Archive, RuleStore and Keeper.
type Inbox struct {
	db      *gormstore.DB
	read    rawsql.Conn
	dialect dialect
}

// dialect is what the two engines do each in their way.
type dialect interface {
	// insert stores deliveries that are not known yet, with payloads and jobs, whose
	// leases are the owner's.
	insert(ctx context.Context, c rawsql.Conn, deliveries []inbox.Delivery, owner int64) (fresh []bool, err error)
	// unpack gives the payload that a row holds, or inbox.ErrPayloadDamaged.
	unpack(row []byte) ([]byte, error)
	// locked is a condition for jobs whose rows are locked one after the other by id, as
	// settle locks them: an UPDATE alone takes them in any order, and deadlocks with it.
	locked(condition string) string
	// alone is true where one process has the store for itself.
	alone() bool
	// owner is this process' number on the leases that it takes; 0 where it is alone.
	owner(ctx context.Context) (int64, error)
	// takeOver ends the leases of owners that are gone and tells how many.
	takeOver(ctx context.Context) (int, error)
	// close gives back the owner's number.
	close() error
}

// New makes an inbox over a database whose schema is up to date. Close it before
// the database.
func New(db *gormstore.DB) *Inbox {
	i := &Inbox{db: db, read: rawsql.Conn{Pool: db.Read.Statement.ConnPool, Dialect: db.Dialect}, dialect: &sqlite{}}
	if db.Dialect == gormstore.Postgres {
		pool, _ := db.SQL()
		i.dialect = postgres{&tenancy{pool: pool}}
	}
	return i
}

// Ready reports whether the database answers and takes writes.
func (i *Inbox) Ready(ctx context.Context) error { return i.db.Ready(ctx, Migrations) }

// Close gives back what the inbox has taken.
func (i *Inbox) Close() error { return i.dialect.close() }

// atomically runs fn in one transaction, perhaps twice; fn must have no other effect
// than on c.
func (i *Inbox) atomically(ctx context.Context, fn func(ctx context.Context, c rawsql.Conn) error) error {
	return i.db.Transact(ctx, func(ctx context.Context, tx *groupcommit.Tx) error {
		return fn(ctx, rawsql.Conn{Pool: tx, Dialect: i.db.Dialect})
	})
}

// update runs one statement and tells how many rows it changed.
func (i *Inbox) update(ctx context.Context, statement string, args ...any) (rows int, err error) {
	err = i.atomically(ctx, func(ctx context.Context, c rawsql.Conn) error {
		n, err := c.Exec(ctx, statement, args...)
		rows = int(n)
		return err
	})
	return rows, err
}

// in is a condition's part "column IN (?, ?)" with its arguments.
func in[T any](column string, values []T) (condition string, args []any) {
	placeholders, args := rawsql.In(values)
	return column + " IN (" + placeholders + ")", args
}
