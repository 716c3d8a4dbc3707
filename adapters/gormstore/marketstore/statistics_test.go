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
	"github.com/octavo-books/octavo/adapters/gormstore/workstore"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/must"
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
			run(t, db, "UPDATE campus_tallies SET n = n - 1 WHERE kind = 1 AND key = 1")
			run(t, db, "DELETE FROM campus_course_sales")
			found := must.Get(b.Ledger.Check(t.Context()))(t)
			wrong := []string{}
			for _, i := range found {
				wrong = append(wrong, i.What)
			}
			want := []string{
				"the dashboard counts 3 too many (tally 2, " + strconv.FormatInt(b.Clock.Now().Unix()/900, 10) + ")",
				"the dashboard of universityofrochester counts -1 too many (tally 1, 1)",
				"the dashboard counts 4 sales of the course mth161 too many",
				"the dashboard of universityofrochester counts -1 sales of the course mth161 too many",
			}
			if !slices.Equal(wrong, want) {
				t.Errorf("%q, want %q", wrong, want)
			}
		})
	}
}

// SQLite has counters of whole hours, too.
func TestTheLedgerCheckFindsAWrongCounterOfAnHour(t *testing.T) {
	db := database.SQLite(t, migrations...)
	b := contract.NewMarketFixture(backend(db))
	b.Post(t, b.Join(t, "ann", user.Regular), contract.Draft("Calculus", "MTH 161", 1000))
	run(t, db, "UPDATE hour_tallies SET n = n + 2 WHERE kind = 2 AND university <> ''")
	wrong := must.Get(b.Ledger.Check(t.Context()))(t)
	want := "the dashboard of universityofrochester counts 2 too many (tally 2, hour " + strconv.FormatInt(b.Clock.Now().Unix()/3600, 10) + ")"
	if len(wrong) != 1 || wrong[0].What != want {
		t.Errorf("%v, want %q", wrong, want)
	}
}

const manySales = `INSERT INTO orders (id, book_id, name, name_key, course, course_key, waited, buyer_id, seller_id, price, fee, status, reason,
	created_at, verified_at, delivered_at, cancelled_at, verified_by, delivered_by, cancelled_by, university_key)
	SELECT id, id, name, title_key, course, course_key, id * 7919 % 2000 * 360000000, 1000, seller_id, price, 0, 1, '', 1, 0, 0, 0, 0, 0, 0, university_key FROM books WHERE id <= 2000`

// Books and people leave the counters of one university for those of another, also together with
// what else is counted.
func TestCountersFollowACorrectedUniversity(t *testing.T) {
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			db := open(t, migrations...)
			b := contract.NewMarketFixture(backend(db))
			v := b.Post(t, b.JoinAt(t, "ann", "Yale", user.Regular), contract.Draft("Calculus", "MTH 161", 1000))
			b.Buy(t, b.JoinAt(t, "bob", "Brown", user.Regular), v.ID)
			for _, statement := range []string{
				"UPDATE books SET university_key = 'brown'",
				"UPDATE books SET university_key = 'yale', status = 2",
				"UPDATE books SET university_key = '', status = 1",
				"UPDATE books SET university_key = 'yale'",
				"UPDATE users SET university = 'Brown'",
				"UPDATE users SET university = ''",
				"UPDATE users SET university = 'Yale'",
				"UPDATE users SET university = NULL WHERE email LIKE 'ann%'",
				"UPDATE users SET university = 'Brown' WHERE email LIKE 'ann%'",
				"UPDATE users SET university = NULL, email = NULL, deleted_at = 1 WHERE email LIKE 'bob%'",
			} {
				run(t, db, statement)
				wrong := must.Get(b.Ledger.Check(t.Context()))(t)
				for _, w := range wrong {
					if strings.HasPrefix(w.What, "the dashboard") {
						t.Errorf("after %s: %s", statement, w.What)
					}
				}
			}
		})
	}
}

// However many orders there are, the dashboard reads only the courses that it shows.
func TestTheBusiestCoursesAreReadFromAnIndex(t *testing.T) {
	deep.Only(t, "fills tables with tens of thousands of rows")
	for engine, open := range engines {
		t.Run(engine, func(t *testing.T) {
			db := open(t, migrations...)
			for _, statement := range slices.Concat(manyBooks[engine], []string{manySales, "ANALYZE"}) {
				run(t, db, statement)
			}
			for campus, c := range map[string]struct {
				first   guarding.CourseSales
				indexes []string
			}{
				"":   {guarding.CourseSales{Course: "MTH 1", Sold: 3}, []string{"course_sales_busiest", "orders_course", "_waited"}},
				"u1": {guarding.CourseSales{Course: "MTH 10", Sold: 1}, []string{"campus_tallies", "campus_course_sales_busiest", "orders_course", "_waited"}},
			} {
				store, plans := marketstore.New(db, plain{}), ""
				marketstore.WatchReads(store, func(query string, args []any) { plans += explain(t, engine, db, query, args...) })
				d := must.Get(store.ReadDashboard(t.Context(), campus, []time.Time{time.Unix(0, 0), time.Unix(86400, 0), time.Unix(2*86400, 0)}))(t)
				if len(d.TopCourses) != guarding.MaxTopCourses || d.TopCourses[0] != c.first {
					t.Errorf("top courses %+v", d.TopCourses)
				}
				for _, index := range c.indexes {
					if !strings.Contains(plans, index) {
						t.Errorf("%s is not used:\n%s", index, plans)
					}
				}
			}
		})
	}
}

func TestUsersWhoSignedUpBeforeTheMarketWasInstalledAreCounted(t *testing.T) {
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			db := open(t, authstore.Migrations, outboxstore.Migrations, workstore.Migrations)
			run(t, db, "INSERT INTO users (id, email, university, created_at) VALUES (1, 'ann@mit.edu', 'MIT', 86400000000), (2, 'bob@mit.edu', 'MIT', 86400000000)")
			must.Do(t, db.Migrate(t.Context(), marketstore.Migrations))
			run(t, db, "INSERT INTO users (id, email, university, created_at) VALUES (3, 'cat@mit.edu', 'MIT', 86400000000)")
			for _, counters := range []string{"tallies WHERE", "campus_tallies WHERE university = 'MIT' AND"} {
				var users int
				must.Do(t, db.Read.Raw("SELECT sum(n) FROM "+counters+" kind = 4 AND key = 96").Scan(&users).Error)
				if users != 3 {
					t.Errorf("%d users are counted, want 3: %s", users, counters)
				}
			}
		})
	}
}
