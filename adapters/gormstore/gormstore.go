// Package gormstore opens the database that the stores below it share: SQLite as the
// embedded default, or Postgres.
package gormstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/octavo-books/octavo/adapters/gormstore/groupcommit"
	"gorm.io/gorm"
)

// openTimeout is how long Open waits for another process's lock on the file.
const openTimeout = 10 * time.Second

// Dialect identifies the engine of a DB.
type Dialect string

// The engines.
const (
	SQLite   Dialect = "sqlite"
	Postgres Dialect = "postgres"
)

// DB is an open database. On SQLite, Write is a single connection whose transactions take
// the write lock when they begin, and Read has several connections that never wait for
// it. On Postgres both are the same pool.
type DB struct {
	Write, Read *gorm.DB
	Dialect     Dialect

	writePool, readPool *sql.DB
	sessionPool         *sql.DB             // writePool, or that of UseSessionsOf
	direct              *pgx.ConnConfig     // of sessionPool, on Postgres
	writer              *groupcommit.Writer // of writePool
	writable            writeCheck
	twice               bool // see RunTwice
}

// ErrDSN refuses a malformed DATABASE_URL.
var ErrDSN = errors.New("must be sqlite:PATH or postgres://…")

// CheckDSN returns ErrDSN unless dsn has a form that Open accepts.
func CheckDSN(dsn string) error {
	if path, ok := strings.CutPrefix(dsn, "sqlite:"); ok && path != "" {
		return nil
	}
	if strings.HasPrefix(dsn, "postgres://") || strings.HasPrefix(dsn, "postgresql://") {
		return nil
	}
	return ErrDSN
}

// Open connects to dsn, "sqlite:PATH" or "postgres://…", and requires an answer. The
// folder of PATH must exist; a new file is readable for its owner only. Slow statements
// are logged to log without their values.
func Open(ctx context.Context, dsn string, log *slog.Logger, options ...Option) (*DB, error) {
	if err := CheckDSN(dsn); err != nil {
		return nil, err
	}
	open := openPostgres
	if strings.HasPrefix(dsn, "sqlite:") {
		open = openSQLite
	}
	db, err := open(strings.TrimPrefix(dsn, "sqlite:"), gormConfig(log, options))
	if err != nil {
		return nil, err
	}
	waiting, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	if err := retryWhileBusy(waiting, func() error { return db.Ping(ctx) }); err != nil {
		return nil, errors.Join(fmt.Errorf("open database: %w", err), db.Close())
	}
	return db, nil
}

func gormConfig(log *slog.Logger, options []Option) *gorm.Config {
	config := &gorm.Config{
		Logger:                 statementLog{log},
		PrepareStmt:            true,
		TranslateError:         true,
		SkipDefaultTransaction: true,
		DisableAutomaticPing:   true,
		QueryFields:            true, // a column added by a later release would change the result of SELECT *
		NowFunc:                zeroClock,
	}
	for _, o := range options {
		o(config)
	}
	return config
}

// newDB opens GORM on two pools, once if they are the same pool.
func newDB(d Dialect, write, read *sql.DB, over func(*sql.DB) gorm.Dialector, config *gorm.Config) (*DB, error) {
	db := &DB{Dialect: d, writePool: write, readPool: read, sessionPool: write, writer: groupcommit.Separate(write)}
	var err error
	if db.Write, err = gorm.Open(over(write), config); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if db.Read = db.Write; read == write {
		return db, nil
	}
	second := *config
	if db.Read, err = gorm.Open(over(read), &second); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// SQL returns the pools below GORM, for hand-written statements.
func (db *DB) SQL() (write, read *sql.DB) { return db.writePool, db.readPool }

// Ping returns an error unless the database answers.
func (db *DB) Ping(ctx context.Context) error {
	if err := db.writePool.PingContext(ctx); err != nil {
		return WrapUnavailable(err)
	}
	return WrapUnavailable(db.readPool.PingContext(ctx))
}

// Close waits for running statements and closes every connection.
func (db *DB) Close() error {
	err := db.writePool.Close()
	for _, other := range []*sql.DB{db.readPool, db.sessionPool} {
		if other != db.writePool {
			err = errors.Join(err, other.Close())
		}
	}
	return err
}

// IsUnique reports whether err is a violation of a unique index.
func IsUnique(err error) bool {
	return errors.Is(err, gorm.ErrDuplicatedKey) || isSQLiteUnique(err) || isPostgresUnique(err)
}
