package gormstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"time"
)

// alone lends do a pool of one connection, SQLite's writing one, within a
// transaction that has the write lock: of several processes one goes on, and the
// others wait until ctx ends. What do does is committed as a whole; transactions
// in it are savepoints.
func (db *DB) alone(ctx context.Context, do func(*sql.DB) error) error {
	conn, err := db.writePool.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	err = waitWhileBusy(ctx, func() error {
		_, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE")
		return err
	})
	if err != nil {
		return err
	}
	end := "ROLLBACK"
	err = conn.Raw(func(c any) error {
		pool := sql.OpenDB(lender{borrowed{c.(driver.Conn)}})
		pool.SetMaxOpenConns(1)
		return errors.Join(do(pool), pool.Close())
	})
	if err == nil {
		end = "COMMIT"
	}
	_, ended := conn.ExecContext(context.WithoutCancel(ctx), end)
	return errors.Join(err, ended)
}

// waitWhileBusy tries until somebody else's lock on the file is gone. SQLite does
// not wait for each kind of lock itself, nor for as long as it takes.
func waitWhileBusy(ctx context.Context, try func() error) error {
	for {
		if err := try(); !isSQLiteBusy(err) || !pause(ctx, 10*time.Millisecond) {
			return err
		}
	}
}

// lender gives its one connection to whoever connects.
type lender struct{ borrowed }

func (l lender) Connect(context.Context) (driver.Conn, error) { return l.borrowed, nil }

func (l lender) Driver() driver.Driver { return nil }

// borrowed is a connection that is in a transaction already, and somebody else's
// to close.
type borrowed struct{ driver.Conn }

func (borrowed) Close() error { return nil }

func (b borrowed) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	return b.Conn.(driver.ExecerContext).ExecContext(ctx, query, args)
}

func (b borrowed) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	return b.Conn.(driver.QueryerContext).QueryContext(ctx, query, args)
}

func (b borrowed) BeginTx(ctx context.Context, _ driver.TxOptions) (driver.Tx, error) {
	_, err := b.ExecContext(ctx, "SAVEPOINT step", nil)
	return savepoint{b}, err
}

type savepoint struct{ borrowed }

func (s savepoint) Commit() error {
	_, err := s.ExecContext(context.Background(), "RELEASE step", nil)
	return err
}

func (s savepoint) Rollback() error {
	_, err := s.ExecContext(context.Background(), "ROLLBACK TO step; RELEASE step", nil)
	return err
}
