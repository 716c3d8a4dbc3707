package marketstore_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/must"
)

// openRequests are open, half of them for an ISBN.
const openRequests = `INSERT INTO requests (id, owner_id, name, course, isbn, edition, max_price, status, filled_by, created_at)
	SELECT id, 1 + id % 100, 'Topology', '', CASE WHEN id % 2 = 0 THEN id % 3000 || '' ELSE '' END, 0, 0, 0, 0, 1 FROM books`

// manyBooks are for sale at five universities, in all conditions and at 500 prices.
var manyBooks = map[string][]string{
	"sqlite": {`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
		INSERT INTO books SELECT i, 1 + i % 100, 0, 0, 'Topology', 'MTH ' || (i % 900), 1, 100 + i % 500 * 37, 1 + i % 5, 1, '', i % 3000, 'U', 1, 1, 0, 'topology', 'mth' || (i % 900), 'u' || (i / 7 % 5), '' FROM n`,
		"INSERT INTO course_lists SELECT id, 'u' || (id % 5), id, 'U', id, 1, 1, 1, 1 FROM books WHERE id <= 200",
		"INSERT INTO courses SELECT id, 1 + id % 200, id, 'csc' || id, 'CSC ' || id, '', ' csc ' || id, '[]' FROM books",
		"INSERT INTO course_choices SELECT id % 1000, 1 + id % 200, id, 1 FROM books"},
	"postgres": {`INSERT INTO books SELECT i, 1 + i % 100, 0, 0, 'Topology', 'MTH ' || (i % 900), 1, 100 + i % 500 * 37, 1 + i % 5, 1, '', i % 3000, 'U', 1, 1, 0, 'topology', 'mth' || (i % 900), 'u' || (i / 7 % 5), ''
		FROM generate_series(1, 20000) i`,
		"INSERT INTO course_lists SELECT id, 'u' || (id % 5), id, 'U', id, 1, 1, 1, 1 FROM books WHERE id <= 200",
		"INSERT INTO courses SELECT id, 1 + id % 200, id, 'csc' || id, 'CSC ' || id, '', ' csc ' || id, '[]' FROM books",
		"INSERT INTO course_choices SELECT id % 1000, 1 + id % 200, id, 1 FROM books", "ANALYZE"},
}

// everyList combines all criteria.
func everyList() []finding.Criteria {
	all := []finding.Criteria{{}}
	for _, narrow := range []func(*finding.Criteria){
		func(c *finding.Criteria) { c.ISBN = "17" },
		func(c *finding.Criteria) { c.Course = "mth17" },
		func(c *finding.Criteria) { c.University = "u1" },
		func(c *finding.Criteria) { c.Condition = book.Fair },
		func(c *finding.Criteria) { c.MinPrice = new(money.Amount) },
		func(c *finding.Criteria) { most := money.Amount(20_00); c.MaxPrice = &most },
		func(c *finding.Criteria) { c.NotBy = 7 },
	} {
		for _, c := range slices.Clone(all) {
			narrow(&c)
			all = append(all, c)
		}
	}
	return all
}

// No list scans the table of books, whatever its criteria.
func TestEveryListIsReadFromAnIndex(t *testing.T) {
	deep.NotShort(t, "fills tables with thousands of rows")
	for engine, open := range engines {
		t.Run(engine, func(t *testing.T) {
			db := open(t, migrations...)
			for _, statement := range append(slices.Clone(manyBooks[engine]), openRequests, "ANALYZE") {
				run(t, db, statement)
			}
			store := marketstore.New(db, plain{})
			plans := map[string]string{}
			marketstore.WatchReads(store, func(query string, args []any) {
				if plans[query] == "" {
					plans[query] = explain(t, engine, db, query, args...)
				}
			})
			must.Get(store.ListUniversities(t.Context(), 10))(t)
			must.Get(store.ListNewCourses(t.Context(), "u1", 10))(t)
			must.Get(store.ListCoursesFrom(t.Context(), "mth1", 8, 100))(t)
			must.Get(store.ListISBNsFrom(t.Context(), "17", 8, 100))(t)
			must.Get(store.ListWantedISBNs(t.Context(), 200, 10))(t)
			must.Get(store.CountBooksByTitle(t.Context(), []string{"rare", "rarer"}, 100))(t)
			must.Get(store.FindCourseList(t.Context(), "u1", ""))(t)
			must.Get(store.ListCourseLists(t.Context(), "u1", 0, 10))(t)
			must.Get(store.ListCourses(t.Context(), 1, []string{"data", "csc"}, 5, 40))(t)
			must.Get(store.ListChosenCourses(t.Context(), 7, 0, 200))(t)
			must.Get(store.ListChosenCourseCodes(t.Context(), 7, 4))(t)
			must.Get(store.ListCheapestOfCourses(t.Context(), finding.Criteria{University: "u1", NotBy: 7}, []string{"mth1", "csc2"}, 3))(t)
			for _, c := range everyList() {
				must.Get(store.CountBooksForSale(t.Context(), c, 100))(t)
				for _, sort := range []finding.Sort{finding.Newest, finding.PriceAsc, finding.PriceDesc} {
					must.Get(store.SummariseTitles(t.Context(), []book.ISBN{"17", "18", "19"}, c, sort, market.Position{Key: 1000, ID: 9000}, 20))(t)
					must.Get(store.ListBooksForSale(t.Context(), c, sort, market.Position{Key: 1000, ID: 9000}, 20))(t)
				}
			}
			expired := marketstore.CountListedBefore(store)
			if plan := explain(t, engine, db, expired, 0, 100); !strings.Contains(plan, "books_listed_at") {
				t.Errorf("%s:\n%s", expired, plan)
			}
			for query, plan := range plans {
				for _, scan := range []string{"SCAN b\n", "SCAN books\n", "Seq Scan on books", "SCAN courses\n", "SCAN c\n", "SCAN mine\n", "SCAN l\n", "SCAN r\n", "Seq Scan on requests", "Seq Scan on courses", "Seq Scan on course_choices"} {
					if strings.Contains(plan, scan) {
						t.Errorf("%s:\n%s", query, plan)
					}
				}
			}
			if len(plans) < 100 {
				t.Errorf("only %d queries were seen", len(plans))
			}
		})
	}
}

func explain(t *testing.T, engine string, db *gormstore.DB, query string, args ...any) string {
	t.Helper()
	prefix, columns := "EXPLAIN ", 1
	if engine == "sqlite" {
		prefix, columns = "EXPLAIN QUERY PLAN ", 4
	}
	write, _ := db.SQL()
	rows, err := write.QueryContext(t.Context(), prefix+query, args...)
	must.Do(t, err)
	defer func() { _ = rows.Close() }()
	into, line := make([]any, columns), ""
	for i := range into {
		into[i] = new(sql.NullInt64)
	}
	into[columns-1] = &line
	var plan strings.Builder
	for rows.Next() {
		must.Do(t, rows.Scan(into...))
		plan.WriteString(line + "\n")
	}
	must.Do(t, rows.Err())
	return plan.String()
}

// Nobody reads all books of a title or an ISBN to find those of one university.
func TestWhatAdminsLookForIsReadFromAnIndex(t *testing.T) {
	deep.NotShort(t, "fills tables with thousands of rows")
	for engine, open := range engines {
		t.Run(engine, func(t *testing.T) {
			db := open(t, migrations...)
			for _, statement := range append(slices.Clone(manyBooks[engine]), "UPDATE books SET status = 5 WHERE id % 2 = 0", "ANALYZE") {
				run(t, db, statement)
			}
			store := marketstore.New(db, plain{})
			var wanted []string
			marketstore.WatchReads(store, func(query string, args []any) {
				plan := explain(t, engine, db, query, args...)
				for _, index := range wanted {
					if !strings.Contains(plan, index) || strings.Contains(plan, "Seq Scan on books") || strings.Contains(plan, "SCAN b\n") {
						t.Errorf("%s is not read from %s:\n%s", query, index, plan)
					}
				}
			})
			for _, campus := range []string{"", "u1"} {
				wanted = []string{"books_isbn", "books_isbn_others"}
				must.Get(store.ListBooksOfISBN(t.Context(), "17", campus, 20))(t)
				wanted = []string{"books_title_others"}
				must.Get(store.ListBooksTitled(t.Context(), "topol", campus, 20))(t)
			}
		})
	}
}

// This is the price of the bound: a search misses a book behind many newer ones with the
// same word and almost the same price.
func TestASearchByPriceConsidersOnlyTheNewestHits(t *testing.T) {
	b := contract.NewMarketFixture(backend(database.SQLite(t, migrations...)))
	ann := b.Join(t, "ann", user.Regular)
	const hits = 20
	for i := range hits + 1 {
		b.Post(t, ann, contract.Draft(fmt.Sprint("Topology ", i), "MTH 440", money.Amount(20_00+min(i, 1))))
	}
	price := money.Amount(20_00)
	for bound, want := range map[int]int{hits: 0, hits + 1: 1} {
		store := b.Ports.(*marketstore.Store)
		marketstore.BoundHits(store, bound)
		found := must.Get(store.FindBooksByWords(t.Context(), [][]string{{"topology"}}, finding.Criteria{MinPrice: &price, MaxPrice: &price}, 10))(t)
		if len(found) != want {
			t.Errorf("of %d books %d are considered and %d found, want %d", hits+1, bound, len(found), want)
		}
	}
}

// If few books are within the prices, Postgres compares each of them, however common the word is.
func TestACommonWordWithinRarePricesIsFoundHoweverOldTheBookOnPostgres(t *testing.T) {
	b := contract.NewMarketFixture(backend(database.Postgres(t, migrations...)))
	ann := b.Join(t, "ann", user.Regular)
	const entries = 5
	for i := range 2 * entries {
		b.Post(t, ann, contract.Draft(fmt.Sprint("Topology ", i), "MTH 440", money.Amount(20_00+min(i, 1))))
	}
	store := b.Ports.(*marketstore.Store)
	marketstore.BoundEntries(store, entries, entries, entries)
	price := money.Amount(20_00) // of the oldest
	found := must.Get(store.FindBooksByWords(t.Context(), [][]string{{"topology"}}, finding.Criteria{MinPrice: &price, MaxPrice: &price}, 10))(t)
	if len(found) != 1 {
		t.Errorf("found %d books, want 1", len(found))
	}
}

// The full-text index of Postgres finds every hit before it returns the first. A search for
// words and filters of many books within a price of few would take longest.
func TestASearchForManyBooksDoesNotFindThemAllOnPostgres(t *testing.T) {
	db := database.Postgres(t, migrations...)
	b := contract.NewMarketFixture(backend(db))
	ann := b.Join(t, "ann", user.Regular)
	for i := range 40 {
		b.Post(t, ann, contract.Draft(fmt.Sprint("Topology ", i), "MTH 440", money.Amount(20_00+i%4)))
	}
	run(t, db, "ANALYZE book_search")
	store := marketstore.WithSmallBounds(b.Ports.(*marketstore.Store))
	marketstore.BoundEntries(store, 10, 20, 40)
	var all []string
	marketstore.WatchReads(store, func(query string, _ []any) { all = append(all, query) })
	price := money.Amount(20_00) // of ten books: more than are compared, and few of the newest
	found := must.Get(store.FindBooksByWords(t.Context(), [][]string{{"topology"}}, finding.Criteria{MinPrice: &price, MaxPrice: &price}, 9))(t)
	if len(found) != 9 {
		t.Errorf("found %d books, want 9", len(found))
	}
	for _, query := range all {
		if strings.Contains(query, "s.rowid + 0 <") {
			t.Errorf("this query finds all hits: %s", query)
		}
	}
}

// manyDigests wait for as many people, who have requested books and saved searches.
var manyDigests = []string{
	"INSERT INTO mail_digests SELECT i, 'match_found', '[]', '[]', 1, i FROM ",
	"INSERT INTO requests SELECT i, i, 'Topology', 'MTH 440', '', 0, 0, 0, 0, 1, '' FROM ",
	"INSERT INTO matches SELECT i, i, i, i, 'isbn', 1, 1 FROM ",
	"INSERT INTO saved_search_hits SELECT i, i, 1 FROM ",
}

func TestDigestsAndThresholdsReadNoWholeTable(t *testing.T) {
	deep.Only(t, "fills tables with tens of thousands of rows")
	for engine, open := range engines {
		t.Run(engine, func(t *testing.T) {
			db := open(t, migrations...)
			fillDigests(t, engine, db)
			plans := map[string]string{"due": "SELECT * FROM mail_digests WHERE wake_at <= 7 ORDER BY wake_at LIMIT 50", "partners": marketstore.Partners(marketstore.New(db, plain{}))}
			for _, q := range marketstore.HoldingItems() {
				plans[q] = strings.ReplaceAll(q, "IN ?", "IN (3, 4, 5, 6, 7, 8, 9)")
			}
			for name, query := range plans {
				var args []any
				if name == "partners" {
					args = []any{7, 1, 1, 7, 1, 1}
				}
				plan := explain(t, engine, db, query, args...)
				for step := range strings.SplitSeq(plan, "\n") {
					if strings.Contains(step, "Seq Scan") || strings.HasPrefix(step, "SCAN ") && !strings.Contains(step, "SCAN p") {
						t.Errorf("%s in the plan of %s:\n%s", step, query, plan)
					}
				}
			}
		})
	}
}

func fillDigests(t *testing.T, engine string, db *gormstore.DB) {
	t.Helper()
	for _, statement := range manyBooks[engine] {
		run(t, db, statement)
	}
	for _, statement := range append(manyDigests, manyPeople...) {
		run(t, db, statement+rowsOf[engine])
	}
	if engine == "postgres" {
		run(t, db, "ANALYZE")
	}
}

var manyRequests = []string{
	"INSERT INTO requests SELECT i, i, 'Topology', 'MTH 440', '', 0, 0, 0, 0, 1, '' FROM ",
	"INSERT INTO request_keys (key, request_id, words) SELECT 'w:' || (i % 50), i, 1 FROM ",
}

// However many requests are open, a post reads a bounded range of their index, and then only requests
// whose words it has.
func TestAPostReadsTheOpenRequestsFromTheirIndex(t *testing.T) {
	deep.NotShort(t, "fills tables with tens of thousands of rows")
	for engine, open := range engines {
		t.Run(engine, func(t *testing.T) {
			db := open(t, migrations...)
			if engine == "postgres" {
				run(t, db, "ALTER TABLE requests DISABLE TRIGGER USER")
			}
			for _, statement := range manyRequests {
				run(t, db, statement+rowsOf[engine])
			}
			run(t, db, "ANALYZE")
			scan := marketstore.RequestScan(marketstore.New(db, plain{}))
			plan := explain(t, engine, db, scan, "w:1", "w:2", "c:csc7", "i:17", 2000, 0, 100, "w:1", "w:2", "c:csc7", "i:17", 1999)
			for _, whole := range []string{"Seq Scan", "SCAN request_keys", "SCAN r\n", "SCAN requests"} {
				if strings.Contains(plan, whole) {
					t.Errorf("%s:\n%s", scan, plan)
				}
			}
		})
	}
}
