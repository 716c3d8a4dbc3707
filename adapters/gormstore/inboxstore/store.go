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
	"github.com/octavo-books/octavo/application/inbox"
)

//go:embed sqlite/*.sql postgres/*.sql
var steps embed.FS

// Migrations create the inbox's tables.
var Migrations = gormstore.Migrations{Name: "inbox", FS: steps}

// Inbox implements the ports inbox.DeliveryStore, JobQueue, Archive, RuleStore,
// RuleStates, Maintenance, Feed and Waiter.
type Inbox struct {
	db      *gormstore.DB
	read    rawsql.Conn
	dialect dialect

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

// dialect is what differs between the two engines.
type dialect interface {
	// takePositions returns a position for each delivery, in ascending order, see feed.go.
	takePositions(ctx context.Context, c rawsql.Conn, deliveries []inbox.Delivery) ([]int64, error)
	// insertDeliveries stores the deliveries whose id is new, with payloads at these
	// positions, and jobs. The instance owns the jobs' leases.
	insertDeliveries(ctx context.Context, c rawsql.Conn, deliveries []inbox.Delivery, positions []int64, instance int64) (fresh []bool, err error)
	// insertJobs stores jobs. The instance owns their leases.
	insertJobs(ctx context.Context, c rawsql.Conn, jobs []inbox.Job, instance int64) error
	// updateJobs records outcomes, which are in the order of their jobs.
	updateJobs(ctx context.Context, c rawsql.Conn, outcomes []inbox.Outcome) error
	// insertAttempts stores the attempts that are not stored yet and whose job exists.
	insertAttempts(ctx context.Context, c rawsql.Conn, attempts []inbox.Attempt) error
	// forUpdate follows a query of deliveries d whose rows are to be locked.
	forUpdate() string
	// anyOf returns a condition that selects the rows of these numbers, with its arguments.
	anyOf(column string, numbers []int64) (condition string, args []any)
	// prepare is inbox.Maintenance's PrepareStorage.
	prepare(ctx context.Context, i *Inbox, most int) error
	// dropPartitions drops partitions, so that PruneDeliveries need not delete their rows.
	dropPartitions(ctx context.Context, i *Inbox, p inbox.Retention) error
	// payloadTables returns the tables whose expired payloads a step deletes row by row.
	payloadTables(firstStep bool) []string
	// deletions returns the payloads and attempts to delete with these deliveries. If there
	// are many, it leaves out rows that dropPartitions will drop soon.
	deletions(ctx context.Context, c rawsql.Conn, over endedBatch, many bool) ([]deletion, error)
	// feedEnd is inbox.Feed's FeedEnd.
	feedEnd(ctx context.Context, c rawsql.Conn) (int64, error)
	// decompress returns the payload of a row, or inbox.ErrPayloadDamaged.
	decompress(row []byte) ([]byte, error)
	// lockedJobs returns a condition that selects the jobs and locks their rows in the
	// order of their ids, as recordOutcomes does. A plain UPDATE locks them in any
	// order and would deadlock with it.
	lockedJobs(condition string) string
	// singleProcess reports whether only one process uses the store.
	singleProcess() bool
	// instanceID identifies this process as the owner of leases; 0 for a single process.
	instanceID(ctx context.Context) (int64, error)
	// reclaimLeases is inbox.JobQueue's ReclaimLeases.
	reclaimLeases(ctx context.Context) (jobs int, left bool, err error)
	// close releases the instance id.
	close() error
}

// New makes an inbox on a database with an up-to-date schema. Close it before the
// database.
func New(db *gormstore.DB) *Inbox {
	i := &Inbox{db: db, read: rawsql.Conn{Pool: db.Read.Statement.ConnPool, Dialect: db.Dialect}, dialect: &sqlite{}, limits: limits{maxCounted, 200, 50_000, 1000, 10_000_000}}
	if db.Dialect == gormstore.Postgres {
		i.pruneBatch = 2000
		i.dialect = postgres{&instanceLock{pool: db.Sessions()}, &atomic.Int64{}, &atomic.Bool{}}
	}
	return i
}

// Ready returns an error unless the database answers and accepts writes.
func (i *Inbox) Ready(ctx context.Context) error { return i.db.Ready(ctx, Migrations) }

// Close releases the instance's leases and connection.
func (i *Inbox) Close() error { return i.dialect.close() }

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
