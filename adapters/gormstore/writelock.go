package gormstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"time"
)

// withWriteLock calls do with a pool of one connection, SQLite's writing one, within a
// transaction that holds the write lock: of several processes one proceeds, and the
// others wait until ctx ends. Everything that do writes is committed together;
// transactions within it are savepoints.
func (db *DB) withWriteLock(ctx context.Context, do func(*sql.DB) error) error {
	conn, err := db.writePool.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	err = retryWhileBusy(ctx, func() error {
		_, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE")
		return err
	})
	if err != nil {
		return err
	}
	end := "ROLLBACK"
	err = conn.Raw(func(c any) error {
		pool := sql.OpenDB(singleConnector{borrowedConn{c.(driver.Conn)}})
		pool.SetMaxOpenConns(1)
		return errors.Join(do(pool), pool.Close())
	})
	if err == nil {
		end = "COMMIT"
	}
	_, ended := conn.ExecContext(context.WithoutCancel(ctx), end)
	return errors.Join(err, ended)
}

// retryWhileBusy retries until no other process holds a lock on the file. SQLite's
// busy_timeout does not cover every kind of lock, and it is too short for a migration.
func retryWhileBusy(ctx context.Context, try func() error) error {
	for {
		if err := try(); !isSQLiteBusy(err) || !pause(ctx, 10*time.Millisecond) {
			return err
		}
	}
}

// singleConnector returns the same connection to every Connect.
type singleConnector struct{ borrowedConn }

func (l singleConnector) Connect(context.Context) (driver.Conn, error) { return l.borrowedConn, nil }

func (l singleConnector) Driver() driver.Driver { return nil }

// borrowedConn is a connection within an open transaction, whose owner closes it.
type borrowedConn struct{ driver.Conn }

func (borrowedConn) Close() error { return nil }

func (b borrowedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	return b.Conn.(driver.ExecerContext).ExecContext(ctx, query, args)
}

func (b borrowedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	return b.Conn.(driver.QueryerContext).QueryContext(ctx, query, args)
}

func (b borrowedConn) BeginTx(ctx context.Context, _ driver.TxOptions) (driver.Tx, error) {
	_, err := b.ExecContext(ctx, "SAVEPOINT step", nil)
	return savepoint{b}, err
}

type savepoint struct{ borrowedConn }

func (s savepoint) Commit() error {
	_, err := s.ExecContext(context.Background(), "RELEASE step", nil)
	return err
}

func (s savepoint) Rollback() error {
	_, err := s.ExecContext(context.Background(), "ROLLBACK TO step; RELEASE step", nil)
	return err
}
