package marketstore_test

import (
	"io/fs"
	"path"
	"slices"
	"strconv"
	"testing"
	"testing/fstest"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/database"
)

var engines = map[string]func(testing.TB, ...gormstore.Migrations) *gormstore.DB{"sqlite": database.SQLite, "postgres": database.Postgres}

func TestTheCheckOfTheLedgerFindsAWrongCountOfTheDashboard(t *testing.T) {
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			db := open(t, migrations...)
			b := contract.NewBazaar(side(db))
			b.Post(t, b.Join(t, "ann", user.Regular), contract.Draft("Calculus", "MTH 161", 1000))
			b.Balanced(t)
			run(t, db, "UPDATE tallies SET n = n + 3 WHERE kind = 2")
			wrong, err := b.Ledger.Check(t.Context())
			if err != nil || len(wrong) != 1 || wrong[0].What != "the dashboard counts 3 too many (tally 2, "+strconv.FormatInt(b.Clock.Now().Unix()/86400, 10)+")" {
				t.Errorf("%+v, %v", wrong, err)
			}
		})
	}
}

func TestWhatWasThereBeforeTheTalliesIsCounted(t *testing.T) {
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			db, upgrade := outdated(t, open)
			b := contract.NewBazaar(side(db))
			ann, bob, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "dean", user.Admin)
			v := b.Post(t, ann, contract.Draft("Calculus", "MTH 161", 1000))
			b.Buy(t, bob, v.ID)
			_, err := b.Orders.Confirm(t.Context(), dean, v.ID)
			check(t, err)
			upgrade()
			b.Post(t, ann, contract.Draft("Calculus", "MTH 161", 1000))
			b.Balanced(t)
			d, err := b.Statistics.OfMarket(t.Context(), dean)
			if err != nil || d.Users != 3 || d.MoneyMoved != 1000 || d.FeesEarned != 50 || d.Daily[len(d.Daily)-1].Posted != 2 || len(d.TopCourses) != 1 {
				t.Errorf("%+v, %v", d, err)
			}
		})
	}
}

func TestARequestOfBeforeSignaturesIsFound(t *testing.T) {
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			db, upgrade := outdated(t, open)
			b := contract.NewBazaar(side(db))
			ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
			b.Request(t, bob, book.Want{Name: "Calculus of Variations", Course: "MTH 490"})
			upgrade()
			var signed []int64
			check(t, db.Read.WithContext(t.Context()).Raw("SELECT words FROM request_keys ORDER BY key").Scan(&signed).Error)
			if want := []int64{0, int64(book.Sign([]string{"calculus", "variations"}))}; !slices.Equal(signed, want) {
				t.Errorf("signed %v, want %v", signed, want)
			}
			b.Post(t, ann, contract.Draft("Calculus", "MTH 161", 1000))
			b.Post(t, ann, contract.Draft("The Variations of Calculus", "MTH 162", 1000))
			if told := b.Told(t, bob); !slices.Equal(told, []notification.Kind{notification.RequestRecorded, notification.MatchFound}) {
				t.Errorf("told %v", told)
			}
		})
	}
}

// outdated is a database after the first step alone, and what takes the others. The
// program fills it, for which this lends it a column and a table.
func outdated(t *testing.T, open func(testing.TB, ...gormstore.Migrations) *gormstore.DB) (db *gormstore.DB, upgrade func()) {
	t.Helper()
	db = open(t, authstore.Migrations, outboxstore.Migrations, first(t, marketstore.Migrations))
	run(t, db, "ALTER TABLE request_keys ADD COLUMN words BIGINT")
	run(t, db, "CREATE TABLE prices (price BIGINT PRIMARY KEY)")
	return db, func() {
		run(t, db, "DROP TABLE prices")
		run(t, db, "ALTER TABLE request_keys DROP COLUMN words")
		check(t, db.Migrate(t.Context(), marketstore.Migrations))
	}
}

// first is the first step alone.
func first(t *testing.T, m gormstore.Migrations) gormstore.Migrations {
	t.Helper()
	some := fstest.MapFS{}
	for _, dialect := range []string{"sqlite", "postgres"} {
		files, err := fs.Glob(m.FS, dialect+"/00001*")
		check(t, err)
		for _, name := range files {
			text, err := fs.ReadFile(m.FS, name)
			check(t, err)
			some[path.Join(dialect, path.Base(name))] = &fstest.MapFile{Data: text}
		}
	}
	return gormstore.Migrations{Name: m.Name, FS: some}
}
