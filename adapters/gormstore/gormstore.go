// Package gormstore opens the database that the stores below it share: SQLite
// as the embedded default, Postgres where an operator has one.
package gormstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/groupcommit"
	"gorm.io/gorm"
)

// patience is how long Open waits for another process that holds a lock on the file.
const patience = 10 * time.Second

// Dialect names the engine behind a DB.
type Dialect string

// The engines.
const (
	SQLite   Dialect = "sqlite"
	Postgres Dialect = "postgres"
)

// DB is an open database. On SQLite Write is one connection whose transactions
// take the write lock at once, and Read many that never wait for it; on
// Postgres both are the same pool.
type DB struct {
	Write, Read *gorm.DB
	Dialect     Dialect

	writePool, readPool *sql.DB
	writer              *groupcommit.Writer // over writePool
	writable            writable
}

// ErrDSN refuses a DATABASE_URL of neither known form.
var ErrDSN = errors.New("must be sqlite:PATH or postgres://…")

// CheckDSN reports whether Open would take the form of dsn.
func CheckDSN(dsn string) error {
	if path, ok := strings.CutPrefix(dsn, "sqlite:"); ok && path != "" {
		return nil
	}
	if strings.HasPrefix(dsn, "postgres://") || strings.HasPrefix(dsn, "postgresql://") {
		return nil
	}
	return ErrDSN
}

// Open connects to dsn, "sqlite:PATH" or "postgres://…", and makes sure that it
// answers. The folder of PATH must exist; a file that does not is made for its
// owner alone. Statements that fail or are slow go to log without the values they were given.
func Open(ctx context.Context, dsn string, log *slog.Logger, options ...Option) (*DB, error) {
	if err := CheckDSN(dsn); err != nil {
		return nil, err
	}
	open := openPostgres
	if strings.HasPrefix(dsn, "sqlite:") {
		open = openSQLite
	}
	config := &gorm.Config{
		Logger:                 statementLog{log},
		PrepareStmt:            true,
		TranslateError:         true,
		SkipDefaultTransaction: true,
		DisableAutomaticPing:   true,
		QueryFields:            true, // a column that a later release adds would change the result of SELECT *
		NowFunc:                noClock,
	}
	for _, o := range options {
		o(config)
	}
	db, err := open(strings.TrimPrefix(dsn, "sqlite:"), config)
	if err != nil {
		return nil, err
	}
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := waitWhileBusy(waiting, func() error { return db.Ping(ctx) }); err != nil {
		return nil, errors.Join(fmt.Errorf("open database: %w", err), db.Close())
	}
	return db, nil
}

// SQL gives the pools below GORM, for statements whose rows are scanned by hand.
func (db *DB) SQL() (write, read *sql.DB) { return db.writePool, db.readPool }

// Ping reports whether the database answers.
func (db *DB) Ping(ctx context.Context) error {
	if err := db.writePool.PingContext(ctx); err != nil {
		return Explain(err)
	}
	return Explain(db.readPool.PingContext(ctx))
}

// Close waits for running statements and closes every connection.
func (db *DB) Close() error {
	if db.readPool == db.writePool {
		return db.writePool.Close()
	}
	return errors.Join(db.readPool.Close(), db.writePool.Close())
}

// IsUnique reports whether err is the violation of a unique index.
func IsUnique(err error) bool {
	return errors.Is(err, gorm.ErrDuplicatedKey) || isSQLiteUnique(err) || isPostgresUnique(err)
}
