package marketstore_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/must"
)

var engines = map[string]func(testing.TB, ...gormstore.Migrations) *gormstore.DB{"sqlite": database.SQLite, "postgres": database.Postgres}

// manySales are in all statuses; a part of them was refunded or paid directly.
const manySales = `INSERT INTO orders (id, book_id, name, name_key, course, course_key, waited, buyer_id, seller_id, price, fee, status, reason,
	created_at, verified_at, delivered_at, cancelled_at, verified_by, delivered_by, cancelled_by, university_key)
	SELECT id, id, name, title_key, course, course_key, id * 7919 % 20000 * 360000000, 1000, seller_id, price, 0, CASE WHEN id % 10 = 0 THEN -1 ELSE 3 END, '',
	id * 50000000, id % 9, 1, CASE WHEN id % 10 = 0 THEN 1 ELSE 0 END, 0, 0, 0, university_key FROM books`

// readsRows is a step of a plan that reads rows of a table, not of an index that has all columns. Postgres
// does so where rows are few and short, and SQLite says so of books and people, but needs no column of them.
var readsRows = regexp.MustCompile(`(?m)^(?:SCAN|SEARCH) orders(?: USING INDEX .*)?$|^SCAN (?:books|users)$|^.*Seq Scan on books.*$`)

// However many books there are, statistics read narrow indexes only.
func TestStatisticsAreCountedWithinIndexes(t *testing.T) {
	deep.Only(t, "fills tables with tens of thousands of rows")
	for engine, open := range engines {
		t.Run(engine, func(t *testing.T) {
			db := open(t, migrations...)
			for _, statement := range slices.Concat(manyBooks[engine], []string{manySales, manyPeople[0] + rowsOf[engine]}) {
				run(t, db, statement)
			}
			if engine == "postgres" { // SQLite is not told how many rows there are
				run(t, db, "VACUUM ANALYZE")
			}
			for campus, first := range map[string]guarding.CourseSales{"": {Course: "MTH 1", Sold: 23}, "u1": {Course: "MTH 112", Sold: 7}} {
				store, plans := marketstore.New(db, plain{}), ""
				marketstore.WatchReads(store, func(query string, args []any) {
					if !strings.HasPrefix(query, "WITH RECURSIVE names") { // the universities of people
						plans += explain(t, engine, db, query, args...)
					}
				})
				d := must.Get(store.ReadDashboard(t.Context(), campus, []time.Time{time.Unix(0, 0), time.Unix(86400, 0), time.Unix(2*86400, 0)}))(t)
				if len(d.TopCourses) != guarding.MaxTopCourses || d.TopCourses[0] != first {
					t.Errorf("top courses %+v", d.TopCourses)
				}
				for _, index := range []string{"books_posted", "orders_sold", "orders_charged", "orders_refunded", "orders_paid_directly", "orders_by_wait", "orders_by_course", "users_joined"} {
					if !strings.Contains(plans, index) {
						t.Errorf("%s is not used:\n%s", index, plans)
					}
				}
				for _, step := range readsRows.FindAllString(plans, -1) {
					t.Errorf("%q reads rows: %s", campus, step)
				}
			}
		})
	}
}
