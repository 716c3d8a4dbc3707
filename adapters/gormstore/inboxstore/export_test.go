package inboxstore

import (
	"context"
	"database/sql"
)

// WatchReads tells watch of each statement before it is read with.
func (i *Inbox) WatchReads(watch func(statement string, args []any)) {
	if w, ok := i.read.(watched); ok {
		i.read = w.reader
	}
	i.read = watched{i.read, watch}
}

type watched struct {
	reader
	watch func(string, []any)
}

func (w watched) QueryContext(ctx context.Context, statement string, args ...any) (*sql.Rows, error) {
	w.watch(statement, args)
	return w.reader.QueryContext(ctx, statement, args...)
}

func (w watched) QueryRowContext(ctx context.Context, statement string, args ...any) *sql.Row {
	w.watch(statement, args)
	return w.reader.QueryRowContext(ctx, statement, args...)
}
