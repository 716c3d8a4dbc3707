package demo_test

import (
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/demostore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/workstore"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/cmd/demo"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
)

func open(t testing.TB, fresh func(testing.TB, ...gormstore.Migrations) *gormstore.DB) (*gormstore.DB, *demostore.Store) {
	t.Helper()
	db := fresh(t, authstore.Migrations, outboxstore.Migrations, workstore.Migrations, marketstore.Migrations)
	s := demostore.New(db, marketstore.New(db, nil))
	return db, s
}

func TestACampusFillsTheDatabaseOnce(t *testing.T) {
	for name, fresh := range map[string]func(testing.TB, ...gormstore.Migrations) *gormstore.DB{"sqlite": database.SQLite, "postgres": database.Postgres} {
		t.Run(name, func(t *testing.T) {
			db, s := open(t, fresh)
			totals := must.Get(demo.Fill(t.Context(), s, config(1500, 60), silent))(t)
			for table, want := range map[string]int{"users": totals.Users, "books": totals.Books, "requests": totals.Requests, "matches": totals.Matches, "orders": totals.Orders} {
				var got int
				if err := db.Read.Raw("SELECT count(*) FROM " + table).Scan(&got).Error; err != nil || got != want || got == 0 {
					t.Errorf("%s: %d rows of %d, %v", table, got, want, err)
				}
			}
			must.Refuse(t, must.Err(demo.Fill(t.Context(), s, config(10, 2), silent)), demostore.ErrNotEmpty, "a second time")
			if wrong, err := buying.NewLedger(marketstore.New(db, nil)).Check(t.Context()); err != nil || len(wrong) != 0 {
				t.Errorf("the ledger: %v, %v", wrong, err)
			}
		})
	}
}

func TestTheFullTextIndexOfTheDemoHasOneSegment(t *testing.T) {
	db, s := open(t, database.SQLite)
	must.Get(demo.Fill(t.Context(), s, config(4500, 60), silent))(t)
	var segments int
	if err := db.Read.Raw("SELECT count(DISTINCT segid) FROM book_search_idx").Scan(&segments).Error; err != nil || segments != 1 {
		t.Errorf("there are %d segments, %v", segments, err)
	}
}
