package gormstore

import (
	"context"
	"database/sql"
)

// Pool is where statements of a transaction run: the pool of what Atomically gives.
type Pool interface {
	ExecContext(ctx context.Context, statement string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, statement string, args ...any) (*sql.Rows, error)
}

// Postpone executes a statement of the transaction behind pool, the pool of what
// Atomically gives, when all others in it are done, right before the commit.
// Until then nobody sees what it does. That is for tables that many small changes
// cost much more than a few large ones, as FTS5 does, which writes down what it
// has gathered at every savepoint. On Postgres it is executed at once.
func Postpone(ctx context.Context, pool Pool, query string, args ...any) error {
	t, ok := pool.(*transaction)
	if !ok || !t.shared {
		_, err := pool.ExecContext(ctx, query, args...)
		return err
	}
	if _, err := t.admit(ctx); err != nil {
		return err
	}
	t.postponed = append(t.postponed, call{query, args})
	return nil
}

// CatchUp executes now what Postpone has put off, for who must see it.
func CatchUp(ctx context.Context, pool Pool) error {
	t, ok := pool.(*transaction)
	if !ok {
		return nil
	}
	ctx, err := t.admit(ctx)
	if err != nil {
		return err
	}
	err = t.catchUp(ctx)
	t.note(err)
	return err
}

// call is a statement that is yet to be executed.
type call struct {
	query string
	args  []any
}

// agenda is what a transaction has put off. Who takes back what a member of the
// transaction did restores the agenda as it was, and with it what the member has
// caught up on for others.
type agenda struct {
	postponed []call
	executed  int // of them
}

func (w *work) catchUp(ctx context.Context) error {
	for _, c := range w.postponed[w.executed:] {
		if _, err := w.exec(ctx, c.query, c.args...); err != nil {
			return err
		}
		w.executed++
	}
	return nil
}
