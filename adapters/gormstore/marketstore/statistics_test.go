package marketstore_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/database"
)

var engines = map[string]func(testing.TB, ...gormstore.Migrations) *gormstore.DB{"sqlite": database.SQLite, "postgres": database.Postgres}

func TestTheLedgerCheckFindsAWrongCounterOfTheDashboard(t *testing.T) {
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			db := open(t, migrations...)
			b := contract.NewMarketFixture(backend(db))
			v := b.Post(t, b.Join(t, "ann", user.Regular), contract.Draft("Calculus", "MTH 161", 1000))
			b.Buy(t, b.Join(t, "bob", user.Regular), v.ID)
			b.CheckLedger(t)
			run(t, db, "UPDATE tallies SET n = n + 3 WHERE kind = 2")
			run(t, db, "UPDATE course_sales SET sold = sold + 4")
			wrong, err := b.Ledger.Check(t.Context())
			if err != nil || len(wrong) != 2 || wrong[0].What != "the dashboard counts 3 too many (tally 2, "+strconv.FormatInt(b.Clock.Now().Unix()/900, 10)+")" ||
				wrong[1].What != "the dashboard counts 4 sales of the course mth161 too many" {
				t.Errorf("%+v, %v", wrong, err)
			}
		})
	}
}

const manySales = `INSERT INTO orders (id, book_id, name, name_key, course, course_key, waited, buyer_id, seller_id, price, fee, status, reason,
	created_at, verified_at, delivered_at, cancelled_at, verified_by, delivered_by, cancelled_by)
	SELECT id, id, name, title_key, course, course_key, id, 1000, seller_id, price, 0, 1, '', 1, 0, 0, 0, 0, 0, 0 FROM books WHERE id <= 2000`

// However many orders there are, the dashboard reads only the courses that it shows.
func TestTheBusiestCoursesAreReadFromAnIndex(t *testing.T) {
	for engine, open := range engines {
		t.Run(engine, func(t *testing.T) {
			db := open(t, migrations...)
			for _, statement := range slices.Concat(manyBooks[engine], []string{manySales, "ANALYZE"}) {
				run(t, db, statement)
			}
			store, plans := marketstore.New(db, plain{}), ""
			marketstore.WatchReads(store, func(query string, args []any) { plans += explain(t, engine, db, query, args...) })
			d, err := store.ReadDashboard(t.Context(), []time.Time{time.Unix(0, 0), time.Unix(86400, 0), time.Unix(2*86400, 0)})
			check(t, err)
			if len(d.TopCourses) != market.MaxTopCourses || d.TopCourses[0] != (market.CourseSales{Course: "MTH 1", Sold: 3}) {
				t.Errorf("top courses %+v", d.TopCourses)
			}
			for _, index := range []string{"course_sales_busiest", "orders_course", "orders_waited"} {
				if !strings.Contains(plans, index) {
					t.Errorf("%s is not used:\n%s", index, plans)
				}
			}
		})
	}
}

func TestUsersWhoSignedUpBeforeTheMarketWasInstalledAreCounted(t *testing.T) {
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			db := open(t, authstore.Migrations, outboxstore.Migrations)
			run(t, db, "INSERT INTO users (id, email, created_at) VALUES (1, 'ann@mit.edu', 86400000000), (2, 'bob@mit.edu', 86400000000)")
			check(t, db.Migrate(t.Context(), marketstore.Migrations))
			run(t, db, "INSERT INTO users (id, email, created_at) VALUES (3, 'cat@mit.edu', 86400000000)")
			var users int
			check(t, db.Read.Raw("SELECT sum(n) FROM tallies WHERE kind = 4 AND key = 96").Scan(&users).Error)
			if users != 3 {
				t.Errorf("%d users are counted, want 3", users)
			}
		})
	}
}
