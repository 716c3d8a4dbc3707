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

// Migrations are one component's steps to its schema. FS holds a folder for
// each dialect with files in goose's format; versions are kept in a table of
// the component's own, so that components can live in one database or apart.
type Migrations struct {
	Name string // part of a table name: lower-case letters only
	FS   fs.FS
}

// ErrTooOld refuses a database whose schema is older than the first migration file. The
// files are numbered from 100, because versions below were those of development.
var ErrTooOld = errors.New("a development version of Octavo made this database, and this one cannot bring it up to date")

// State says which version one component's schema has: 0 before the first migration.
type State struct {
	Name                    string
	Current, Oldest, Target int64 // this program migrates from Oldest, the first file, to Target
}

// TooOld reports whether the steps up to Oldest are missing from this program.
func (s State) TooOld() bool { return 0 < s.Current && s.Current < s.Oldest }

// Behind reports whether there are steps left to take.
func (s State) Behind() bool { return s.Current < s.Target }

// Ahead reports whether a newer program has been here.
func (s State) Ahead() bool { return s.Current > s.Target }

// Migrate takes every step that is left; ErrTooOld before it takes any. Of several
// processes one does so; the others wait for it, and find it done. On SQLite a
// component's steps are one transaction: if one fails, none is taken.
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
		if err := db.up(ctx, all[i]); err != nil {
			return fmt.Errorf("migrate %s: %w", s.Name, err)
		}
	}
	return nil
}

func (db *DB) up(ctx context.Context, m Migrations) error {
	take := func(pool *sql.DB) error {
		p, err := db.provider(pool, m, db.oneAtATime()...)
		if err == nil {
			_, err = p.Up(ctx)
		}
		return err
	}
	if db.Dialect == SQLite {
		return db.alone(ctx, take)
	}
	return Retry(ctx, func() error { return take(db.writePool) })
}

// Schema tells how far each component's schema is, and changes nothing.
func (db *DB) Schema(ctx context.Context, all ...Migrations) ([]State, error) {
	states := make([]State, 0, len(all))
	for _, m := range all {
		s, err := db.state(ctx, m)
		if err != nil {
			return nil, fmt.Errorf("schema of %s: %w", m.Name, Explain(err))
		}
		states = append(states, s)
	}
	return states, nil
}

// state takes no lock: with one, of two processes that start together the second
// would wait for as long as goose takes to look for the lock again, five seconds.
func (db *DB) state(ctx context.Context, m Migrations) (State, error) {
	p, err := db.provider(db.readPool, m)
	if err != nil {
		return State{}, err
	}
	steps := p.ListSources()
	state := State{Name: m.Name, Oldest: steps[0].Version, Target: steps[len(steps)-1].Version}
	begun, err := db.has(ctx, m.table())
	if err == nil && begun { // goose would make the table to look into it
		state.Current, err = p.GetDBVersion(ctx)
	}
	return state, err
}

// table is where the versions are kept.
func (m Migrations) table() string { return "goose_" + m.Name }

func (db *DB) has(ctx context.Context, table string) (there bool, err error) {
	query := "SELECT count(to_regclass($1)) > 0"
	if db.Dialect == SQLite {
		query = "SELECT count(*) > 0 FROM sqlite_master WHERE type = 'table' AND name = $1"
	}
	err = db.readPool.QueryRowContext(ctx, query, table).Scan(&there)
	return there, err
}

// lockPeriod is how often, in seconds, a process that waits to migrate looks whether
// another one has ended, and lockTries how often it does so.
const lockPeriod, lockTries = 1, 600

// oneAtATime has Postgres let one process migrate at a time. On SQLite the write
// lock does so.
func (db *DB) oneAtATime() []goose.ProviderOption {
	if db.Dialect == SQLite {
		return nil
	}
	locker, _ := lock.NewPostgresSessionLocker(lock.WithLockTimeout(lockPeriod, lockTries)) // fails for a period of 0 only
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
