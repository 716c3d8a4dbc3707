package marketstore_test

import (
	"database/sql"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/must"
)

// The orders of a database that was made before each had its university get that of their book.
func TestOrdersOfAnOlderDatabaseGetTheUniversityOfTheirBook(t *testing.T) {
	deep.NotShort(t, "fills tables with thousands of rows")
	for engine, open := range engines {
		t.Run(engine, func(t *testing.T) {
			older := make([]gormstore.Migrations, len(migrations))
			for i, m := range migrations {
				older[i] = m
				if m.Name == "market" {
					older[i].FS = before(t, m.FS, "00335_campuses.sql")
				}
			}
			db := open(t, older...)
			if engine == "postgres" { // what counted then takes long
				run(t, db, "ALTER TABLE books DISABLE TRIGGER USER")
				run(t, db, "ALTER TABLE orders DISABLE TRIGGER USER")
			}
			for _, statement := range manyBooks[engine] {
				if strings.Contains(statement, "INTO books") {
					run(t, db, statement)
				}
			}
			for _, statement := range manyPeople {
				if strings.HasPrefix(statement, "INSERT INTO orders") {
					statement = strings.NewReplacer(", university, university_key", "", ", 'U' || i % 300, 'u' || i % 300", "").Replace(statement)
					run(t, db, statement+rowsOf[engine])
				}
			}
			must.Do(t, db.Migrate(t.Context(), migrations...))
			_, read := db.SQL()
			var name, key string
			var other sql.NullInt64
			must.Do(t, read.QueryRow("SELECT university, university_key FROM orders WHERE id = 15").Scan(&name, &key))
			must.Do(t, read.QueryRow("SELECT min(o.id) FROM orders o JOIN books b ON b.id = o.book_id WHERE o.university_key <> b.university_key").Scan(&other))
			if name != "U" || key != "u2" || other.Valid {
				t.Errorf("order 15 is at %q, %q, and %v at another than its book", name, key, other)
			}
		})
	}
}

// before returns a copy of the migrations that come before a file.
func before(t *testing.T, all fs.FS, file string) fs.FS {
	t.Helper()
	left := fstest.MapFS{}
	must.Do(t, fs.WalkDir(all, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() >= file {
			return err
		}
		text, err := fs.ReadFile(all, path)
		left[path] = &fstest.MapFile{Data: text}
		return err
	}))
	return left
}

// The reports of a database that was made before each had a university get that of what was seen.
func TestReportsOfAnOlderDatabaseGetTheUniversityAtWhichTheyWereMade(t *testing.T) {
	for engine, open := range engines {
		t.Run(engine, func(t *testing.T) {
			older := make([]gormstore.Migrations, len(migrations))
			for i, m := range migrations {
				if older[i] = m; m.Name == "market" {
					older[i].FS = before(t, m.FS, "00500_report_campus.sql")
				}
			}
			db := open(t, older...)
			for id, seen := range map[int]string{
				1: `{"Book":{"Name":"Calculus","University":"École"},"Person":{"FirstName":"Ann","University":"Yale"},"Messages":null}`,
				2: `{"Book":null,"Person":{"FirstName":"Ann","University":"Yale \"1\""},"Messages":[{"From":1,"FirstName":"Bob","Text":"a\\u0000b \u2028"}]}`,
				3: `{"Book":null,"Person":{"FirstName":"","University":""},"Messages":null}`,
			} {
				run(t, db, `INSERT INTO reports (id, reporter_id, target_kind, target_id, about_id, reason, text, seen, hid, created_at, action, note, resolved_by, resolved_at)
					VALUES (?, 7, 2, ?, 8, 'spam', '', ?, 0, 1, '', '', 0, 0)`, id, id, seen)
			}
			must.Do(t, db.Migrate(t.Context(), migrations...))
			_, read := db.SQL()
			for id, want := range map[int]string{1: "École", 2: `Yale "1"`, 3: ""} {
				var got string
				if must.Do(t, read.QueryRow("SELECT university FROM reports WHERE id = "+string(rune('0'+id))).Scan(&got)); got != want {
					t.Errorf("report %d is at %q, want %q", id, got, want)
				}
			}
		})
	}
}
