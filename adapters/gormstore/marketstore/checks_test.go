package marketstore_test

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
)

const (
	aBook = `INSERT INTO books (id, seller_id, buyer_id, status, name, course, edition, price, grade, available_at, comments, isbn,
	university, created_at, listed_at, title_key, course_key, university_key) VALUES (?, 7, ?, ?, '', '', 1, 1, 1, 1, '', '', '', 1, 1, '', '', '')`
	anOrder = `INSERT INTO orders (id, book_id, name, name_key, course, course_key, waited, buyer_id, seller_id, price, fee, status, reason,
	created_at, verified_at, delivered_at, cancelled_at, verified_by, delivered_by, cancelled_by) VALUES (?, ?, '', '', '', '', 1, 8, 7, 1, 1, ?, '', 1, 0, 0, 0, 0, 0, 0)`
)

func TestTheDatabaseRefusesUndefinedStatuses(t *testing.T) {
	for name, db := range map[string]*gormstore.DB{
		"sqlite": database.SQLite(t, migrations...), "postgres": database.Postgres(t, migrations...),
	} {
		t.Run(name, func(t *testing.T) {
			accepts := func(statement string, args ...any) bool {
				return db.Write.WithContext(t.Context()).Exec(statement, args...).Error == nil
			}
			id := 0
			for status := -2; status < 8; status++ {
				for buyer := range 2 {
					id++
					sold := status == 1 || status == 2 || status == 3
					legal := sold && buyer == 1 || (status == 0 || status == 5) && buyer == 0
					if accepts(aBook, id, buyer, status) != legal {
						t.Errorf("a book of status %d and buyer %d: accepted is not %v", status, buyer, legal)
					}
				}
				must.Do(t, db.Write.WithContext(t.Context()).Exec(aBook, 100+status, 0, 0).Error)
				legal := status == -1 || status == 1 || status == 2 || status == 3
				if accepts(anOrder, 100+status, 100+status, status) != legal {
					t.Errorf("an order of status %d: accepted is not %v", status, legal)
				}
			}
			if name == "sqlite" && accepts(aBook, 200, 0, 0.5) {
				t.Error("a book of status 0.5 was accepted")
			}
		})
	}
}

// SQLite would create an ephemeral table for each row that it checks.
func TestCheckConstraintsNeedNoEphemeralTable(t *testing.T) {
	db := database.SQLite(t, migrations...)
	for _, statement := range []string{aBook, anOrder} {
		var steps []struct{ Opcode string }
		must.Do(t, db.Write.WithContext(t.Context()).Raw("EXPLAIN "+strings.ReplaceAll(statement, "?", "1")).Scan(&steps).Error)
		for _, s := range steps {
			if s.Opcode == "OpenEphemeral" {
				t.Errorf("an ephemeral table is created for %.20s…", statement)
			}
		}
	}
	var broken string
	must.Do(t, db.Write.WithContext(t.Context()).Raw("PRAGMA integrity_check").Scan(&broken).Error)
	if broken != "ok" {
		t.Error(broken)
	}
}
