package gormstore_test

import (
	"context"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/inboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/workstore"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
	"github.com/pressly/goose/v3/lock"
)

func TestTheSchemaIsReadWhileAnotherProcessMigrates(t *testing.T) {
	db := database.Postgres(t, notes())
	write, _ := db.SQL()
	migrating := must.Get(write.Conn(t.Context()))(t)
	defer func() { _ = migrating.Close() }()
	must.Get(migrating.ExecContext(t.Context(), "SELECT pg_advisory_lock($1)", lock.DefaultLockID))(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // taking the lock would wait for ever
	defer cancel()
	states, err := db.Schema(ctx, notes())
	if err != nil || states[0].Behind() || states[0].Ahead() {
		t.Errorf("%v, %v", states, err)
	}
	if err := db.Migrate(ctx, notes()); err != nil {
		t.Errorf("with nothing left to migrate: %v", err)
	}
}

func TestADatabaseOlderThanTheFirstMigrationIsRefusedAndNotChanged(t *testing.T) {
	onEach(t, func(t *testing.T, db *gormstore.DB) { // "notes" is at version 1
		squashed := gormstore.Migrations{Name: "notes", FS: fstest.MapFS{
			"sqlite/00100_notes.sql":   {Data: []byte("-- +goose Up\nCREATE TABLE IF NOT EXISTS notes (id BIGINT, other BIGINT);\n")},
			"postgres/00100_notes.sql": {Data: []byte("-- +goose Up\nCREATE TABLE IF NOT EXISTS notes (id BIGINT, other BIGINT);\n")},
		}}
		states, err := db.Schema(t.Context(), counting(), squashed)
		if err != nil || states[0].TooOld() || !states[1].TooOld() || states[1].Ahead() {
			t.Errorf("states %v, %v", states, err)
		}
		must.Refuse(t, db.Migrate(t.Context(), counting(), squashed), gormstore.ErrTooOld, "error")
		after, err := db.Schema(t.Context(), counting(), squashed)
		if err != nil || !slices.Equal(states, after) || after[0].Current != 0 {
			t.Errorf("states %v became %v, %v", states, after, err)
		}
		if states, err = db.Schema(t.Context(), notes()); err != nil || states[0].TooOld() || states[0].Behind() {
			t.Errorf("for the program that created it: %v, %v", states, err)
		}
	})
}

// more is a later version of notes.
func more(files map[string]string) gormstore.Migrations {
	m := notes()
	for name, text := range files {
		m.FS.(fstest.MapFS)[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

func TestAMigrationSaysBeforehandWhatItBlocks(t *testing.T) {
	const index = "-- +goose Up\n-- CREATE INDEX a ON comments (n);\nCREATE TABLE later (n INTEGER);\nCREATE INDEX later_n ON later (n);\nCREATE INDEX notes_n\n    ON notes (n);\n"
	const update = "-- +goose Up\nALTER TABLE notes ADD COLUMN color INTEGER NOT NULL DEFAULT 0;\nUPDATE notes SET color = 1;\nINSERT INTO other SELECT n FROM notes;\n"
	const function = "-- +goose Up\n-- +goose StatementBegin\nUPDATE notes SET n = 1;\n-- +goose StatementEnd\n"
	later := more(map[string]string{
		"sqlite/00002_index.sql": index, "sqlite/00003_update.sql": update, "sqlite/00004_function.sql": function,
		"postgres/00002_index.sql": index, "postgres/00003_update.sql": update, "postgres/00004_function.sql": function,
		"postgres/00005_others_write.sql": "-- +goose NO TRANSACTION\n-- +goose Up\nCREATE INDEX CONCURRENTLY notes_m ON notes (n);\nALTER TABLE notes ADD COLUMN size INTEGER;\n",
	})
	want := map[gormstore.Dialect][]gormstore.Pause{
		gormstore.SQLite: {{Component: "notes", Rows: 9, Takes: 126 * time.Microsecond}},
		gormstore.Postgres: {
			{Component: "notes", File: "00002_index.sql", Tables: []string{"notes"}, Rows: 3, Takes: 6 * time.Microsecond},
			{Component: "notes", File: "00003_update.sql", Tables: []string{"notes"}, Rows: 6, Takes: 120 * time.Microsecond},
			{Component: "notes", File: "00005_others_write.sql", Tables: []string{"notes"}},
		},
	}
	onEach(t, func(t *testing.T, db *gormstore.DB) {
		for i := range 3 {
			must.Do(t, db.Write.Create(&note{ID: int64(i + 1), Word: strconv.Itoa(i)}).Error)
		}
		got, err := db.Pauses(t.Context(), later)
		if err != nil || !reflect.DeepEqual(got, want[db.Dialect]) {
			t.Errorf("the pauses are %+v, %v; want %+v", got, err, want[db.Dialect])
		}
		if got, err = db.Pauses(t.Context(), notes()); err != nil || len(got) != 0 {
			t.Errorf("with nothing left to migrate the pauses are %+v, %v", got, err)
		}
	})
}

func TestTheMigrationsThatAreToBeAppliedAreNamed(t *testing.T) {
	const statement = "-- +goose Up\nSELECT 1;\n"
	later := more(map[string]string{"sqlite/00002_more.sql": statement, "postgres/00002_more.sql": statement})
	onEach(t, func(t *testing.T, db *gormstore.DB) {
		if got, err := db.Pending(t.Context(), later); err != nil || !slices.Equal(got, []string{"notes 00002_more.sql"}) {
			t.Errorf("pending are %q, %v", got, err)
		}
		if got, err := db.Pending(t.Context(), notes()); err != nil || len(got) != 0 {
			t.Errorf("with nothing left pending are %q, %v", got, err)
		}
	})
}

func TestTheMigrationOfANewDatabaseBlocksNobody(t *testing.T) {
	db := database.SQLite(t)
	if got, err := db.Pauses(t.Context(), allMigrations...); err != nil || len(got) != 0 {
		t.Errorf("the pauses are %+v, %v; want none", got, err)
	}
}

func TestACopyThatLacksARowOrATableIsRefused(t *testing.T) {
	db := database.SQLite(t, notes())
	must.Do(t, db.Write.Create(&note{ID: 1, Word: "kept"}).Error)
	path := filepath.Join(t.TempDir(), "what? 100%.db")
	must.Do(t, db.Backup(t.Context(), path))
	for _, c := range []struct {
		rows  map[string]int64
		whole bool
	}{
		{map[string]int64{"notes": 1}, true},
		{map[string]int64{"notes": 2}, false},
		{map[string]int64{"notes": 1, "others": 0}, false},
	} {
		if err := gormstore.CheckCopy(t.Context(), path, c.rows); (err == nil) != c.whole || err != nil && !strings.Contains(err.Error(), path) {
			t.Errorf("%v: %v", c.rows, err)
		}
	}
	if err := db.Backup(t.Context(), path); err == nil {
		t.Error("a backup was overwritten")
	}
}

var allMigrations = []gormstore.Migrations{outboxstore.Migrations, workstore.Migrations, authstore.Migrations, marketstore.Migrations, inboxstore.Migrations}

func onEachWithAll(t *testing.T, test func(*testing.T, *gormstore.DB)) {
	for name, open := range map[string]func(testing.TB, ...gormstore.Migrations) *gormstore.DB{
		"sqlite": database.SQLite, "postgres": database.Postgres,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t, allMigrations...)) })
	}
}

// made lists the tables and named indexes that the migrations created.
var made = map[gormstore.Dialect]string{
	gormstore.SQLite: `SELECT m.type || ' ' || m.name FROM sqlite_master m JOIN pragma_table_list l ON l.name = m.tbl_name
		WHERE m.type IN ('table', 'index') AND m.sql IS NOT NULL AND l.type <> 'shadow' AND m.name NOT LIKE 'sqlite_%'`,
	gormstore.Postgres: `SELECT CASE WHEN c.relkind IN ('r', 'p') THEN 'table ' ELSE 'index ' END || c.relname FROM pg_class c
		WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'i', 'I') AND NOT (c.relkind = 'i' AND c.relispartition)
		AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = c.oid AND contype IN ('p', 'u'))`,
}

func TestTheExpectedTablesAndIndexesAreThoseThatMigrationsCreate(t *testing.T) {
	onEachWithAll(t, func(t *testing.T, db *gormstore.DB) {
		var want, got []string
		must.Do(t, db.Read.Raw(made[db.Dialect]).Scan(&want).Error)
		for _, m := range allMigrations {
			e := must.Get(m.Expected(db.Dialect))(t)
			for _, table := range e.Tables {
				got = append(got, "table "+table)
			}
			for _, index := range e.Indexes {
				got = append(got, "index "+index)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		for _, name := range want {
			if !slices.Contains(got, name) {
				t.Errorf("%s is created but not expected", name)
			}
		}
		for _, name := range got {
			if !slices.Contains(want, name) {
				t.Errorf("%s is expected but not created", name)
			}
		}
	})
}

func TestTheIntegrityCheckFindsExactlyTheDamage(t *testing.T) {
	for name, c := range map[string]struct {
		sqlite, postgres []string
		says             string
	}{
		"nothing":  {},
		"a table":  {[]string{"DROP TABLE carts"}, []string{"DROP TABLE carts CASCADE"}, "table carts"},
		"an index": {[]string{"DROP INDEX orders_live"}, []string{"DROP INDEX orders_live"}, "index orders_live"},
		"an index with a wrong entry": {
			[]string{"PRAGMA writable_schema = ON", "UPDATE sqlite_master SET sql = replace(sql, 'DESC', 'ASC') || ' AND email = ''nobody''' WHERE name = 'users_owners'",
				"PRAGMA writable_schema = RESET", "INSERT INTO users (id, email, password_hash, role, lang, created_at, epoch) VALUES (1, 'a@b.edu', '', 2, 'EN', 0, 0)",
				"PRAGMA writable_schema = ON", "UPDATE sqlite_master SET sql = replace(sql, ' AND email = ''nobody''', '') WHERE name = 'users_owners'", "PRAGMA writable_schema = RESET"},
			[]string{"UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'users_owners'::regclass"}, "users_owners",
		},
		"the full text index": {[]string{"INSERT INTO book_search (rowid, terms) VALUES (1, 'calculus')", "DELETE FROM book_search_data WHERE id > 10"}, nil, "book_search"},
		"a broken foreign key": {
			[]string{"PRAGMA foreign_keys = OFF", "INSERT INTO sessions (id, user_id, epoch, server_secret, client_secret_hash, newest, newest_seen, rotated_at, created_at, last_used_at, idle_timeout, absolute_expiry, ip, user_agent, browser, os, model) VALUES (1, 7, 0, '', '', 0, 0, 0, 0, 0, 0, 0, '', '', '', '', '')"},
			nil, "sessions",
		},
	} {
		t.Run(name, func(t *testing.T) {
			onEachWithAll(t, func(t *testing.T, db *gormstore.DB) {
				statements := map[gormstore.Dialect][]string{gormstore.SQLite: c.sqlite, gormstore.Postgres: c.postgres}[db.Dialect]
				write, _ := db.SQL()
				for _, statement := range statements {
					if _, err := write.ExecContext(t.Context(), statement); err != nil {
						t.Fatalf("%s: %v", statement, err)
					}
				}
				damage, _ := must.Get2(db.CheckIntegrity(t.Context(), allMigrations...))(t)
				if statements == nil && len(damage) > 0 || statements != nil && !strings.Contains(strings.Join(damage, "\n"), c.says) {
					t.Errorf("found %q", damage)
				}
			})
		})
	}
}

func TestAmcheckIsUsedIfItIsInstalled(t *testing.T) {
	db := database.Postgres(t, allMigrations...)
	if _, notes, err := db.CheckIntegrity(t.Context(), allMigrations...); err != nil || len(notes) != 1 {
		t.Errorf("without it: %q, %v", notes, err)
	}
	if err := db.Write.Exec("CREATE EXTENSION amcheck").Error; err != nil {
		t.Skipf("this Postgres has no amcheck: %v", err)
	}
	if damage, notes, err := db.CheckIntegrity(t.Context(), allMigrations...); err != nil || len(damage)+len(notes) > 0 {
		t.Errorf("with it: %q, %q, %v", damage, notes, err)
	}
}
