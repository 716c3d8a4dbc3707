package marketstore_test

import (
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/must"
)

// An order behind thousands of newer ones is found through indexes, which SQLite has only for texts of three
// characters or more.
func TestASearchFindsOrdersHoweverOldTheyAre(t *testing.T) {
	deep.NotShort(t, "fills tables with thousands of rows")
	for engine, open := range engines {
		t.Run(engine, func(t *testing.T) {
			db := open(t, migrations...)
			run(t, db, "INSERT INTO users (id, email, created_at, first_name, name_key) VALUES (1, 'ann@a.edu', 1, 'Ann', 'ann'), (2, 'bob@a.edu', 1, 'Bob', 'bob'), (3, 'zoe@b.edu', 1, 'Zoë', 'zoe quux'), (4, 'rhet@b.edu', 1, 'Al', 'al')")
			run(t, db, `INSERT INTO books SELECT i, 1, 2, 3, 'Topology', 'MTH 1', 1, 100, 1, 1, '', '', 'U', 1, 1, 0, 'topology', 'mth1', 'u' FROM `+rowsOf[engine])
			const columns = `INSERT INTO orders (id, book_id, name, name_key, course, course_key, waited, buyer_id, seller_id, price, fee, status, reason, created_at, verified_at, delivered_at, cancelled_at, verified_by, delivered_by, cancelled_by, university, university_key) `
			run(t, db, columns+`SELECT i, i, 'Topology', 'topology', 'MTH 1', 'mth1', 1, 2, 1, 1, 1, 3, '', 1, 1, 1, 0, 1, 1, 0, 'U', 'u' FROM `+rowsOf[engine]+" WHERE i > 3")
			run(t, db, columns+`VALUES (1, 1, 'Zymurgy for Beginners', 'zymurgy for beginners', 'CHE 1', 'che1', 1, 2, 1, 1, 1, 3, '', 1, 1, 1, 0, 1, 1, 0, 'U', 'u'),
				(2, 2, 'Topology', 'topology', 'MTH 1', 'mth1', 1, 3, 1, 1, 1, 1, '', 1, 0, 0, 0, 0, 0, 0, 'U', 'u'),
				(3, 3, 'Topology', 'topology', 'MTH 1', 'mth1', 1, 2, 3, 1, 1, 3, '', 1, 1, 1, 0, 1, 1, 0, 'V', 'v')`)
			// Behind the newest thousand, but not so far that its index is needed.
			run(t, db, "UPDATE orders SET name = 'Rhetoric', name_key = 'rhetoric' WHERE id BETWEEN 17000 AND 17003")
			run(t, db, "UPDATE orders SET buyer_id = 4 WHERE id = 18000")
			run(t, db, "UPDATE orders SET name = 'Xylem', name_key = 'xylem' WHERE id = 19990") // among the newest, where a page has room
			store := marketstore.New(db, plain{})
			for text, want := range map[string][]order.ID{
				"zymurgy": {1}, "Urgy for": {1}, "quux": {3, 2}, "ZOË": {3, 2}, "zoe@b": {3, 2}, "zo": {3, 2}, "topo": {20000, 19999, 19998}, "rhet": {18000, 17003, 17002}, "xy": {19990}, "nothing": nil,
			} {
				if engine == "sqlite" && text == "zo" {
					want = nil
				}
				found := must.Get(store.ListOrders(t.Context(), buying.OrderSelection{Text: text}, 0, 3))(t)
				if len(found) != len(want) {
					t.Errorf("%q: %d orders, want %v", text, len(found), want)
					continue
				}
				for i, id := range want {
					if found[i].ID != id {
						t.Errorf("%q: order %d, want %d", text, found[i].ID, id)
					}
				}
			}
			for _, f := range []buying.OrderSelection{{Text: "quux", Status: order.Placed}, {Text: "quux", Campus: "u"}} {
				if found, err := store.ListOrders(t.Context(), f, 0, 3); err != nil || len(found) != 1 || found[0].ID != 2 {
					t.Errorf("%+v: %d orders, %v", f, len(found), err)
				}
			}
		})
	}
}
