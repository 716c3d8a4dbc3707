package gormstore_test

import (
	"reflect"
	"strconv"
	"testing"
	"testing/fstest"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
)

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

func TestTheMigrationOfANewDatabaseBlocksNobody(t *testing.T) {
	db := database.SQLite(t)
	if got, err := db.Pauses(t.Context(), allMigrations...); err != nil || len(got) != 0 {
		t.Errorf("the pauses are %+v, %v; want none", got, err)
	}
}
