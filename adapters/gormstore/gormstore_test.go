package gormstore_test

import (
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
)

const notesSQL = "-- +goose Up\nCREATE TABLE notes (id BIGINT PRIMARY KEY, n BIGINT NOT NULL, word TEXT UNIQUE);\n-- +goose Down\nDROP TABLE notes;\n"

func notes() gormstore.Migrations {
	return gormstore.Migrations{Name: "notes", FS: fstest.MapFS{
		"sqlite/00001_notes.sql":   {Data: []byte(notesSQL)},
		"postgres/00001_notes.sql": {Data: []byte(notesSQL)},
	}}
}

type note struct {
	ID   int64
	N    int64
	Word string
}

func onEach(t *testing.T, test func(*testing.T, *gormstore.DB)) {
	for name, open := range map[string]func(testing.TB, ...gormstore.Migrations) *gormstore.DB{
		"sqlite": database.SQLite, "postgres": database.Postgres,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t, notes())) })
	}
}

func TestAUniqueViolationIsRecognised(t *testing.T) {
	onEach(t, func(t *testing.T, db *gormstore.DB) {
		first, second := note{ID: 1, Word: "same"}, note{ID: 2, Word: "same"}
		must.Do(t, db.Write.Create(&first).Error)
		if err := db.Write.Create(&second).Error; !gormstore.IsUnique(err) {
			t.Errorf("err = %v", err)
		}
		write, _ := db.SQL()
		if _, err := write.ExecContext(t.Context(), "INSERT INTO notes VALUES (1, 0, 'other')"); !gormstore.IsUnique(err) {
			t.Errorf("below GORM: err = %v", err)
		}
	})
}

func TestTheReadersOfSQLiteCannotWrite(t *testing.T) {
	db := database.SQLite(t, notes())
	if err := db.Read.Exec("INSERT INTO notes VALUES (1, 0, 'x')").Error; err == nil {
		t.Error("a reader wrote")
	}
}

func TestTheStateOfTheSchemaIsRightBeforeAndAfterMigrating(t *testing.T) {
	onEach(t, func(t *testing.T, db *gormstore.DB) {
		fresh := gormstore.Migrations{Name: "later", FS: fstest.MapFS{
			"sqlite/00001_l.sql":   {Data: []byte("-- +goose Up\nCREATE TABLE later (id BIGINT);\n")},
			"postgres/00001_l.sql": {Data: []byte("-- +goose Up\nCREATE TABLE later (id BIGINT);\n")},
		}}
		states, err := db.Schema(t.Context(), notes(), fresh)
		if err != nil || len(states) != 2 || states[0].Behind() || !states[1].Behind() || states[1].Ahead() {
			t.Fatalf("states = %v, %v", states, err)
		}
		if err := db.Read.Exec("SELECT 1 FROM goose_later").Error; err == nil {
			t.Error("reading the schema's state created a table")
		}
		must.Do(t, db.Migrate(t.Context(), notes(), fresh))
		if states, _ = db.Schema(t.Context(), fresh); states[0].Behind() {
			t.Errorf("still behind: %v", states)
		}
	})
}

func TestAPathWithSpecialCharactersNamesItsFile(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for path, name := range map[string]string{
		"a b.db": "a b.db", "50%.db": "50%.db", "what?.db": "what?.db", "#1.db": "#1.db", "é.db": "é.db", "it's.db": "it's.db",
		":memory:": ":memory:", "/" + filepath.Join(dir, "twice.db"): "twice.db", filepath.Join(dir, "whole.db"): "whole.db",
	} {
		db, err := gormstore.Open(t.Context(), "sqlite:"+path, quiet())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := errors.Join(db.Migrate(t.Context(), notes()), db.Close()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if found, _ := filepath.Glob(filepath.Join(dir, strings.NewReplacer("?", `\?`).Replace(name))); len(found) != 1 {
			t.Errorf("%s: found %v", name, found)
		}
	}
}

func TestABadDSNIsRefusedWithoutItsPassword(t *testing.T) {
	for _, dsn := range []string{"", "mysql://u:secret@h/d", "sqlite:", "octavo.db", "postgres://u:secret@h:notaport/d"} {
		if db, err := gormstore.Open(t.Context(), dsn, quiet()); err == nil {
			_ = db.Close()
			t.Errorf("%q was opened", dsn)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: the password is in %q", dsn, err)
		}
	}
}

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

func count(t *testing.T, db *gormstore.DB) (n int64) {
	t.Helper()
	must.Do(t, db.Read.Raw("SELECT count(*) FROM notes").Scan(&n).Error)
	return n
}
