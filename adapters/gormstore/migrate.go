package gormstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// Migrations are the migrations of one component's schema. FS has a folder for each
// dialect with files in goose's format. Each component keeps its versions in a table of
// its own, so that components can share a database or not.
type Migrations struct {
	Name string // part of a table name: lower-case letters only
	FS   fs.FS
}

// ErrTooOld refuses a database whose schema is older than the first migration file. Files
// are numbered from 800, because development versions used the numbers below.
var ErrTooOld = errors.New("a development version of Octavo made this database, and this one cannot bring it up to date")

// State is the version of one component's schema, 0 before the first migration.
type State struct {
	Name                    string
	Current, Oldest, Target int64 // this program has the migrations from Oldest to Target
}

// TooOld reports whether this program lacks the migrations between Current and Oldest.
func (s State) TooOld() bool { return 0 < s.Current && s.Current < s.Oldest }

// Behind reports whether migrations are left to run.
func (s State) Behind() bool { return s.Current < s.Target }

// Ahead reports whether a newer program has migrated the schema.
func (s State) Ahead() bool { return s.Current > s.Target }

// Migrate runs all migrations that are left, or returns ErrTooOld before running any. Of
// several processes one runs them while the others wait. On SQLite, a component's
// migrations are one transaction: if one fails, none takes effect.
func (db *DB) Migrate(ctx context.Context, all ...Migrations) error {
	states, err := db.Schema(ctx, all...)
	if err != nil {
		return err
	}
	for _, s := range states {
		if s.TooOld() {
			return fmt.Errorf("%s: %w", s.Name, ErrTooOld)
		}
	}
	for i, s := range states {
		if !s.Behind() {
			continue
		}
		if err := db.migrateUp(ctx, all[i]); err != nil {
			return fmt.Errorf("migrate %s: %w", s.Name, err)
		}
	}
	return nil
}

// MigrateTo migrates a component to a version that an older program had. It refuses one that is unknown, and a
// schema that is newer.
func (db *DB) MigrateTo(ctx context.Context, m Migrations, version int64) error {
	state, err := db.schemaState(ctx, m)
	switch {
	case err != nil:
		return fmt.Errorf("schema of %s: %w", m.Name, WrapUnavailable(err))
	case version > state.Target:
		return fmt.Errorf("the schema of %s has version %d there, and this program knows %d: use a newer program", m.Name, version, state.Target)
	case version < state.Oldest:
		return fmt.Errorf("%s: %w", m.Name, ErrTooOld)
	case state.Current > version:
		return fmt.Errorf("the schema of %s has version %d here and %d there: use a database without tables", m.Name, state.Current, version)
	case state.Current == version:
		return nil
	}
	if err := db.migrate(ctx, m, func(p *goose.Provider) ([]*goose.MigrationResult, error) { return p.UpTo(ctx, version) }); err != nil {
		return fmt.Errorf("migrate %s: %w", m.Name, err)
	}
	return nil
}

func (db *DB) migrateUp(ctx context.Context, m Migrations) error {
	return db.migrate(ctx, m, func(p *goose.Provider) ([]*goose.MigrationResult, error) { return p.Up(ctx) })
}

func (db *DB) migrate(ctx context.Context, m Migrations, up func(*goose.Provider) ([]*goose.MigrationResult, error)) error {
	run := func(pool *sql.DB) error {
		p, err := db.provider(pool, m, db.migrationLock()...)
		if err == nil {
			_, err = up(p)
		}
		return err
	}
	if db.Dialect == SQLite {
		return db.withWriteLock(ctx, run)
	}
	return Retry(ctx, func() error { return run(db.sessionPool) })
}

// Schema returns the state of each component's schema. It changes nothing.
func (db *DB) Schema(ctx context.Context, all ...Migrations) ([]State, error) {
	states := make([]State, 0, len(all))
	for _, m := range all {
		s, err := db.schemaState(ctx, m)
		if err != nil {
			return nil, fmt.Errorf("schema of %s: %w", m.Name, WrapUnavailable(explainLostStatement(err)))
		}
		states = append(states, s)
	}
	return states, nil
}

// schemaState takes no lock: otherwise the second of two processes that start together would
// wait five seconds for goose's next attempt to lock.
func (db *DB) schemaState(ctx context.Context, m Migrations) (State, error) {
	p, err := db.provider(db.readPool, m)
	if err != nil {
		return State{}, err
	}
	steps := p.ListSources()
	state := State{Name: m.Name, Oldest: steps[0].Version, Target: steps[len(steps)-1].Version}
	begun, err := db.HasTable(ctx, m.table())
	if err == nil && begun { // GetDBVersion would create a missing table
		state.Current, err = p.GetDBVersion(ctx)
	}
	return state, err
}

// table is the table of the versions.
func (m Migrations) table() string { return "goose_" + m.Name }

// HasTable reports whether there is a table.
func (db *DB) HasTable(ctx context.Context, table string) (there bool, err error) {
	query := "SELECT count(to_regclass($1)) > 0"
	if db.Dialect == SQLite {
		query = "SELECT count(*) > 0 FROM sqlite_master WHERE type = 'table' AND name = $1"
	}
	err = db.readPool.QueryRowContext(ctx, query, table).Scan(&there)
	return there, err
}

// A process that waits for another one's migrations tries to lock every lockPeriod
// seconds, lockTries times.
const lockPeriod, lockTries = 1, 600

// migrationLock is the lock with which Postgres lets one process migrate at a time. On
// SQLite the write lock does so.
func (db *DB) migrationLock() []goose.ProviderOption {
	if db.Dialect == SQLite {
		return nil
	}
	locker, _ := lock.NewPostgresSessionLocker(lock.WithLockTimeout(lockPeriod, lockTries)) // fails only for a period of 0
	return []goose.ProviderOption{goose.WithSessionLocker(locker)}
}

func (db *DB) provider(pool *sql.DB, m Migrations, options ...goose.ProviderOption) (*goose.Provider, error) {
	files, err := fs.Sub(m.FS, string(db.Dialect))
	if err != nil {
		return nil, err
	}
	options = append(options, goose.WithTableName(m.table()), goose.WithDisableGlobalRegistry(true))
	dialect := goose.DialectSQLite3
	if db.Dialect == Postgres {
		dialect = goose.DialectPostgres
	}
	p, err := goose.NewProvider(dialect, pool, files, options...)
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	return p, nil
}
