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

type watched struct {
	gormstore.Pool
	watch func(string, []any)
}

func (w watched) QueryContext(ctx context.Context, statement string, args ...any) (*sql.Rows, error) {
	w.watch(statement, args)
	return w.Pool.QueryContext(ctx, statement, args...)
}
