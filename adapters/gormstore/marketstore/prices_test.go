package marketstore_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/must"
)

// manyDelivered are 4,000 delivered sales, every second of one ISBN, one course and one title.
const manyDelivered = `INSERT INTO orders (id, book_id, name, name_key, course, course_key, isbn, waited, buyer_id, seller_id, price, fee, status, reason,
	created_at, verified_at, delivered_at, cancelled_at, verified_by, delivered_by, cancelled_by)
	SELECT id, id, name, 'title' || (id % 2 * id), course, 'course' || (id % 2 * id), 'isbn' || (id % 2 * id), 1, 1000 + id, 1, id, 0, 3, '', 1, 1, id, 0, 1, 1, 0 FROM books WHERE id <= 4000`

// However many sales and posts there are, a hint reads the last ones and a suggestion the
// newest, in the order of an index.
func TestHintsAndSuggestionsReadOnlyTheNewestRowsOfAnIndex(t *testing.T) {
	deep.NotShort(t, "fills tables with thousands of rows")
	for engine, open := range engines {
		t.Run(engine, func(t *testing.T) {
			db := open(t, migrations...)
			for _, statement := range slices.Concat(manyBooks[engine], []string{manyDelivered, "UPDATE books SET status = 5 WHERE id <= 4000", "ANALYZE"}) {
				run(t, db, statement)
			}
			store, plans := marketstore.New(db, plain{}), ""
			marketstore.WatchReads(store, func(query string, args []any) { plans += explain(t, engine, db, query, args...) })
			for basis, text := range map[book.Reason]string{book.ByISBN: "isbn0", book.ByCourse: "course0", book.ByTitle: "title0"} {
				sales := must.Get(store.ListDeliveredSales(t.Context(), selling.SalesKey{Basis: basis, Text: text}, time.UnixMicro(100), 300))(t)
				if len(sales) != 300 || sales[0].Price != 4_000 || sales[299].Price != money.Amount(4_000-2*299) {
					t.Errorf("%s: %d sales", basis, len(sales))
				}
			}
			must.Get(store.ListPostsWithISBN(t.Context(), "17", 100))(t)
			covering := map[string]string{"sqlite": "COVERING INDEX ", "postgres": "Index Only Scan Backward using "}[engine]
			for _, index := range []string{covering + "orders_isbn_sold", covering + "orders_course_sold", "orders_name_delivered", "books_isbn", "books_isbn_others"} {
				if !strings.Contains(plans, index) {
					t.Errorf("%s is not used:\n%s", index, plans)
				}
			}
			for _, scan := range []string{"SCAN o\n", "SCAN books\n", "Seq Scan", "TEMP B-TREE FOR ORDER BY o"} {
				if strings.Contains(plans, scan) {
					t.Errorf("%s:\n%s", scan, plans)
				}
			}
		})
	}
}
