package gormstore

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Pause is a time during which a pending migration lets nobody write to some tables.
type Pause struct {
	Component string
	File      string   // empty: all pending ones of the component
	Tables    []string // empty: no table at all can be written to
	Rows      int64    // that are read or written meanwhile
	Takes     time.Duration
}

// Pauses estimates by the number of rows what the pending migrations will block, and for how long.
// On SQLite the migrations of a component are one transaction, which every other write waits for.
func (db *DB) Pauses(ctx context.Context, all ...Migrations) ([]Pause, error) {
	states, err := db.Schema(ctx, all...)
	if err != nil {
		return nil, err
	}
	var pauses []Pause
	for i, s := range states {
		if s.Current == 0 || !s.Behind() || s.TooOld() { // a new database has no rows, and one that is too old stays as it is
			continue
		}
		of, err := db.pausesOf(ctx, all[i], s.Current)
		if err != nil {
			return nil, err
		}
		pauses = append(pauses, of...)
	}
	return pauses, nil
}

// Pending returns the migrations that are to be applied, as "component file".
func (db *DB) Pending(ctx context.Context, all ...Migrations) (pending []string, err error) {
	states, err := db.Schema(ctx, all...)
	if err != nil {
		return nil, err
	}
	for i, s := range states {
		files, err := fs.Glob(all[i].FS, path.Join(string(db.Dialect), "*.sql"))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if migrationVersion(file) > s.Current && s.Current > 0 && !s.TooOld() {
				pending = append(pending, all[i].Name+" "+path.Base(file))
			}
		}
	}
	return pending, nil
}

func (db *DB) pausesOf(ctx context.Context, m Migrations, current int64) (pauses []Pause, err error) {
	files, err := fs.Glob(m.FS, path.Join(string(db.Dialect), "*.sql"))
	if err != nil {
		return nil, err
	}
	var everything []migrationStep
	for _, file := range files {
		if migrationVersion(file) <= current {
			continue
		}
		text, err := fs.ReadFile(m.FS, file)
		if err != nil {
			return nil, err
		}
		steps, err := db.countRows(ctx, stepsOf(string(text)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		everything = append(everything, steps...)
		pauses = append(
			pauses,
			pausesIn(steps, Pause{Component: m.Name, File: path.Base(file)}, strings.Contains(string(text), "+goose NO TRANSACTION"))...,
		)
	}
	if db.Dialect == SQLite && len(everything) > 0 {
		return []Pause{workOf(everything, Pause{Component: m.Name})}, nil
	}
	return pauses, nil
}

func migrationVersion(file string) int64 {
	number, _, _ := strings.Cut(path.Base(file), "_")
	version, _ := strconv.ParseInt(number, 10, 64)
	return version
}

// workOf adds the work of steps to a pause.
func workOf(steps []migrationStep, p Pause) Pause {
	for _, s := range steps {
		p.Rows, p.Takes = p.Rows+s.rows, p.Takes+time.Duration(s.rows)*s.row
	}
	return p
}

// pausesIn returns the pause of a transaction, or those of statements that are no transaction.
func pausesIn(steps []migrationStep, p Pause, separate bool) (pauses []Pause) {
	transactions := [][]migrationStep{steps}
	if separate {
		transactions = slices.Collect(slices.Chunk(steps, 1))
	}
	for _, t := range transactions {
		of := workOf(t, p)
		for _, s := range t {
			if s.blocks && !slices.Contains(of.Tables, s.table) {
				of.Tables = append(of.Tables, s.table)
			}
		}
		if len(of.Tables) > 0 {
			pauses = append(pauses, of)
		}
	}
	return pauses
}

// migrationStep is what a statement does with a table.
type migrationStep struct {
	table  string
	blocks bool          // nobody else can write to the table until the end of the transaction
	row    time.Duration // of work for each row of the table
	rows   int64
}

// The work for a row, rather too much than too little.
const (
	indexedRow = 2 * time.Microsecond
	changedRow = 20 * time.Microsecond
)

// statementKinds are the statements that work on tables with rows. The first group is the table.
var statementKinds = []struct {
	statement *regexp.Regexp
	blocks    bool
	row       time.Duration
}{
	{regexp.MustCompile(`^CREATE (?:UNIQUE )?INDEX (?:IF NOT EXISTS )?\w+ ON (\w+)`), true, indexedRow},
	{regexp.MustCompile(`^UPDATE (\w+) SET `), true, changedRow},
	{regexp.MustCompile(`^DELETE FROM (\w+)`), true, changedRow},
	{regexp.MustCompile(`^ALTER TABLE (\w+) .*(?:PRIMARY KEY|ADD CONSTRAINT|ADD CHECK| TYPE )`), true, indexedRow},
	{regexp.MustCompile(`^ALTER TABLE (\w+) `), true, 0},
	{regexp.MustCompile(`^CREATE (?:CONSTRAINT )?TRIGGER .* ON (\w+)`), true, 0},
	{regexp.MustCompile(`^INSERT INTO .* (?:FROM|JOIN) (\w+)`), false, changedRow},
}

var (
	statementBlock = regexp.MustCompile(`(?s)-- \+goose StatementBegin.*?-- \+goose StatementEnd`)
	blanks         = regexp.MustCompile(`\s+`)
)

// stepsOf finds the statements of a migration that work on tables which it does not create. It does
// not look into functions.
func stepsOf(text string) (steps []migrationStep) {
	up, _, _ := strings.Cut(text, "-- +goose Down")
	up = commentLine.ReplaceAllString(statementBlock.ReplaceAllString(up, ""), "")
	var created []string
	for statement := range strings.SplitSeq(up, ";") {
		statement = strings.TrimSpace(blanks.ReplaceAllString(statement, " "))
		if found := createStatement.FindStringSubmatch(statement); found != nil && found[1] == "TABLE" {
			created = append(created, found[3])
		}
		for _, kind := range statementKinds {
			if found := kind.statement.FindStringSubmatch(statement); found != nil {
				if !slices.Contains(created, found[1]) {
					steps = append(steps, migrationStep{table: found[1], blocks: kind.blocks, row: kind.row})
				}
				break
			}
		}
	}
	return steps
}

// countRows counts the rows of the tables, and leaves out steps whose table does not exist.
func (db *DB) countRows(ctx context.Context, steps []migrationStep) ([]migrationStep, error) {
	known := map[string]int64{}
	for i, s := range steps {
		n, ok := known[s.table]
		if !ok {
			var err error
			if n, err = db.rowsOf(ctx, s.table); err != nil {
				return nil, err
			}
			known[s.table] = n
		}
		steps[i].rows = n
		if s.row == 0 {
			steps[i].rows = 0
		}
	}
	return slices.DeleteFunc(steps, func(s migrationStep) bool { return known[s.table] < 0 }), nil
}

// rowsOf returns the number of rows of a table, on Postgres about the number if there are many; -1 if
// there is no such table.
func (db *DB) rowsOf(ctx context.Context, table string) (n int64, err error) {
	there, err := db.HasTable(ctx, table)
	if err != nil || !there {
		return -1, err
	}
	const enough = 100_000
	if db.Dialect == Postgres {
		err = db.readPool.QueryRowContext(ctx, "SELECT CAST(reltuples AS BIGINT) FROM pg_class WHERE oid = to_regclass($1)", table).Scan(&n)
		if err != nil || n >= enough {
			return n, err
		}
	}
	err = db.readPool.QueryRowContext(ctx, "SELECT count(*) FROM "+table).Scan(&n) // a name in one of our migrations
	return n, err
}
