package gormstore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// sessionPoolSize bounds the connections of UseSessionsOf: a migration needs one, and so does
// the lock of an instance.
const sessionPoolSize = 4

// UseSessionsOf connects to dsn, a direct URL of the same Postgres, for whatever needs a
// session to itself. Without it the pool does, and a pooler in front of it may give each
// transaction another session.
func (db *DB) UseSessionsOf(dsn string) error {
	settings, err := postgresSettings(dsn)
	if err != nil {
		return err
	}
	db.direct = settings
	db.sessionPool = sql.OpenDB(postgresConnector(settings))
	db.sessionPool.SetMaxOpenConns(sessionPoolSize)
	db.sessionPool.SetConnMaxIdleTime(time.Minute)
	return nil
}

// Sessions returns the pool whose connections are sessions: a lock of one lasts until it is
// released or the connection ends.
func (db *DB) Sessions() *sql.DB { return db.sessionPool }

// Connect opens a connection to Postgres outside of the pools, for what takes long. It has no
// statement timeout. The caller closes it.
func (db *DB) Connect(ctx context.Context) (*pgx.Conn, error) {
	c, err := pgx.ConnectConfig(ctx, db.direct)
	if err != nil {
		return nil, WrapUnavailable(hideDSN(err))
	}
	_ = nameParameters(ctx, c) // never fails
	if _, err = c.Exec(ctx, "SET statement_timeout = 0"); err != nil {
		return nil, errors.Join(WrapUnavailable(err), c.Close(context.WithoutCancel(ctx)))
	}
	return c, nil
}
