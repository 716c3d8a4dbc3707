package inboxstore

import (
	"context"
	"database/sql"

	"github.com/octavo-books/octavo/adapters/gormstore"
)

// WatchReads calls watch before each read, in place of an earlier watch.
func (i *Inbox) WatchReads(watch func(statement string, args []any)) {
	if w, ok := i.read.Pool.(watched); ok {
		i.read.Pool = w.Pool
	}
	i.read.Pool = watched{i.read.Pool, watch}
}

// CountAtMost lowers the number of rows that CountDeliveries reads.
func (i *Inbox) CountAtMost(n int) { i.maxCounted = n }

// EstimateFrom lowers the limit up to which FindExcess counts.
func (i *Inbox) EstimateFrom(most int) { i.maxExact = most - 1 }

// Shrink makes partitions and batches small.
func (i *Inbox) Shrink() { i.pruneBatch, i.minPartition, i.maxMoved = 7, 4, 2 }

type watched struct {
	gormstore.Pool
	watch func(string, []any)
}

func (w watched) QueryContext(ctx context.Context, statement string, args ...any) (*sql.Rows, error) {
	w.watch(statement, args)
	return w.Pool.QueryContext(ctx, statement, args...)
}

// Pool returns the pool of the store's database.
func (i *Inbox) Pool() *sql.DB {
	pool, _ := i.db.SQL()
	return pool
}

// Partition sets the size of a partition.
func (i *Inbox) Partition(positions int64) { i.minPartition = positions }
