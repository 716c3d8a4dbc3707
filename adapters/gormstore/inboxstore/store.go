// Package inboxstore keeps the webhook inbox in a database: SQLite in a file of
// its own, so that its writer waits for nobody else's, or a Postgres that several
// processes share. Its statements are prepared SQL; GORM's costs would double
// what storing a delivery takes.
package inboxstore

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/application/inbox"
)

//go:embed sqlite/*.sql postgres/*.sql
var steps embed.FS

// Migrations are the steps to the inbox's tables.
var Migrations = gormstore.Migrations{Name: "inbox", FS: steps}

// Inbox fills the ports inbox.Store, Queue, Archive, RuleStore and Keeper.
type Inbox struct {
	db      *gormstore.DB
	write   *sql.DB
	read    reader
	dialect dialect
}

// reader is the pool that reads.
type reader interface {
	QueryContext(ctx context.Context, statement string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, statement string, args ...any) *sql.Row
}

// dialect is what the two engines do each in their way.
type dialect interface {
	// rebind turns the placeholders ? into the engine's.
	rebind(statement string) string
	// insert stores deliveries that are not known yet, with payloads and jobs.
	insert(ctx context.Context, tx *sql.Tx, deliveries []inbox.Delivery) (fresh []bool, err error)
	// unpack gives the payload that a row holds, or inbox.ErrPayloadDamaged.
	unpack(row []byte) ([]byte, error)
	// settle records outcomes.
	settle(ctx context.Context, tx *sql.Tx, outcomes []inbox.Outcome) error
	// skipLocked passes over jobs that another process is claiming.
	skipLocked() string
	// locked is a condition for jobs whose rows are locked one after the other by id, as
	// settle locks them: an UPDATE alone takes them in any order, and deadlocks with it.
	locked(condition string) string
	// alone is true where one process has the store for itself.
	alone() bool
	// owner is this process' number on the leases that it takes; 0 where it is alone.
	owner(ctx context.Context) (int64, error)
	// takeOver ends the leases of owners that are gone and tells how many.
	takeOver(ctx context.Context) (int, error)
	// close gives back what the dialect holds: prepared statements, the owner's number.
	close() error
}

// New makes an inbox over a database whose schema is up to date. Close it before
// the database.
func New(ctx context.Context, db *gormstore.DB) (*Inbox, error) {
	write, read := db.SQL()
	i := &Inbox{db: db, write: write, read: read, dialect: postgres{&tenancy{pool: write}}}
	if db.Dialect == gormstore.SQLite {
		prepared, err := prepareSQLite(ctx, write)
		if err != nil {
			return nil, err
		}
		i.dialect = prepared
	}
	return i, nil
}

// Ready reports whether the database answers and takes writes.
func (i *Inbox) Ready(ctx context.Context) error { return i.db.Ready(ctx, Migrations) }

// Close gives back what New has prepared.
func (i *Inbox) Close() error { return i.dialect.close() }

// atomically runs fn in one transaction. After a deadlock it runs fn again, so fn
// must have no other effect than on tx.
func (i *Inbox) atomically(ctx context.Context, fn func(tx *sql.Tx) error) error {
	return gormstore.Retry(ctx, func() error { return transact(ctx, i.write, fn) })
}

func transact(ctx context.Context, pool *sql.DB, fn func(tx *sql.Tx) error) error {
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := fn(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// update runs one statement and tells how many rows it changed.
func (i *Inbox) update(ctx context.Context, statement string, args ...any) (rows int, err error) {
	err = i.atomically(ctx, func(tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, i.dialect.rebind(statement), args...)
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		rows = int(n)
		return err
	})
	return rows, err
}

// stamp is how a time is stored, 0 for none.
func stamp(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func unstamp(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// list is a condition's part "column IN (?, ?)" with its arguments.
func list[T any](column string, values []T) (condition string, args []any) {
	for _, v := range values {
		args = append(args, v)
	}
	return column + " IN (" + strings.TrimSuffix(strings.Repeat("?, ", len(values)), ", ") + ")", args
}

// numbered turns ? into $1, $2, …
func numbered(statement string) string {
	var b strings.Builder
	n := 0
	for _, part := range strings.SplitAfter(statement, "?") {
		if before, ok := strings.CutSuffix(part, "?"); ok {
			n++
			part = before + "$" + strconv.Itoa(n)
		}
		b.WriteString(part)
	}
	return b.String()
}
