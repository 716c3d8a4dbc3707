package gormstore_test

import (
	"errors"
	"io"
	"log/slog"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
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

func TestOneQueryLocksAndLimitsOnBothEngines(t *testing.T) {
	onEach(t, func(t *testing.T, db *gormstore.DB) {
		must.Do(t, db.Atomically(t.Context(), func(tx *gorm.DB) error {
			if err := tx.Create([]note{{ID: 1, Word: "a"}, {ID: 2, Word: "b"}, {ID: 3, Word: "c"}, {ID: 4, Word: "d"}}).Error; err != nil {
				return err
			}
			first, err := table.Of[note](tx, clause.Locking{Strength: "UPDATE"}).Order("id").Offset(1).Limit(2).Find(t.Context())
			if err != nil || len(first) != 2 || first[0].ID != 2 || first[1].ID != 3 {
				t.Errorf("first: %v, %v", first, err)
			}
			rest, err := table.Of[note](tx, clause.Locking{Strength: "UPDATE", Options: "SKIP LOCKED"}).Order("id").Offset(3).Find(t.Context())
			if err != nil || len(rest) != 1 || rest[0].ID != 4 {
				t.Errorf("rest: %v, %v", rest, err)
			}
			return nil
		}))
	})
}

func TestReadsContinueAfterALaterReleaseAddsAColumn(t *testing.T) {
	onEach(t, func(t *testing.T, db *gormstore.DB) {
		read := func() {
			t.Helper()
			if _, err := table.Of[note](db.Read).Where("n = ?", 1).Find(t.Context()); err != nil {
				t.Error(err)
			}
		}
		read()
		must.Do(t, db.Write.Exec("ALTER TABLE notes ADD COLUMN colour TEXT").Error)
		read()
	})
}

// The tests are built with the tag of the program that leaves out pgx' list of types.
func TestEveryTypeOfParameterIsSentWithoutPreparedStatements(t *testing.T) {
	dsn := must.Get(url.Parse(database.PostgresURL(t)))(t)
	query := dsn.Query()
	query.Set("default_query_exec_mode", "exec")
	dsn.RawQuery = query.Encode()
	pool := must.Get(openPostgres(t, dsn.String()).Read.DB())(t)
	at := time.Date(2026, 11, 26, 18, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		as   string
		sent any
		want string
	}{
		{"text", "é", "é"}, {"bigint", user.ID(7), "7"}, {"bigint", int64(-7), "-7"}, {"int", 7, "7"}, {"int", book.Bought, "1"},
		{"int", uint32(7), "7"}, {"bigint", uint64(7), "7"}, {"int", int32(7), "7"}, {"int", int16(7), "7"}, {"int", uint8(7), "7"},
		{"boolean", true, "true"}, {"float8", 0.5, "0.5"}, {"float8", float32(0.5), "0.5"}, {"bytea", []byte{0, 255}, `\x00ff`},
		{"timestamptz", at, "2026-11-26 18:00:00+00"},
		{"text[]", []string{"a", "b,c"}, `{a,"b,c"}`}, {"bigint[]", []int64{1, 2}, "{1,2}"}, {"int[]", []int{1, 2}, "{1,2}"},
		{"bytea[]", [][]byte{{1}}, `{"\\x01"}`}, {"text", (*string)(nil), "none"},
	} {
		var got string
		err := pool.QueryRowContext(t.Context(), "SELECT COALESCE($1::"+c.as+"::text, 'none')", c.sent).Scan(&got)
		if err != nil || got != c.want {
			t.Errorf("%T as %s: %q, %v", c.sent, c.as, got, err)
		}
	}
}

func TestMigrationsUseTheSessionsOfTheDirectURL(t *testing.T) {
	t.Parallel()
	db := database.Connect(t, database.PostgresURL(t))
	if write, _ := db.SQL(); db.Sessions() != write {
		t.Error("without a direct URL, sessions are not those of the pool")
	}
	must.Do(t, db.UseSessionsOf("postgres://octavo@127.0.0.1:1/octavo?sslmode=disable"))
	if err := db.Migrate(t.Context(), notes()); err == nil {
		t.Error("a migration did not use the direct URL")
	}
}

func TestAConnectionWithoutAPoolerKeepsItsSession(t *testing.T) {
	t.Parallel()
	if p, err := gormstore.InspectPooling(t.Context(), database.PostgresURL(t)); err != nil || p != (gormstore.Pooling{}) {
		t.Errorf("%+v, %v", p, err)
	}
}
