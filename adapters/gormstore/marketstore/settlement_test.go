package marketstore_test

import (
	"fmt"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/test/must"
)

// soldBefore are sales of a database that did not record how books were handed over: the seller
// has typed a code, an admin has charged and paid, an admin has done so for an own book in two
// calls, the buyer is charged, was refunded, and waits.
var soldBefore = []struct {
	status, verified, delivered int
	verifiedBy, deliveredBy     int
	handover, at                int // afterwards
}{
	{3, 70, 70, 2, 2, 2, 70}, {3, 70, 80, 9, 9, 1, 70}, {3, 70, 80, 2, 2, 1, 70}, {2, 70, 0, 9, 0, 1, 70}, {-1, 70, 0, 9, 0, 1, 70}, {1, 0, 0, 0, 0, 0, 0},
}

func TestAnOlderDatabaseLearnsHowItsBooksWereHandedOver(t *testing.T) {
	for engine, open := range engines {
		t.Run(engine, func(t *testing.T) {
			older := make([]gormstore.Migrations, len(migrations))
			for i, m := range migrations {
				if older[i] = m; m.Name == "market" {
					older[i].FS = before(t, m.FS, "00510_settlement.sql")
				}
			}
			db := open(t, older...)
			for i, o := range soldBefore {
				book := o.status
				buyer := 3
				if o.status < 0 {
					book, buyer = 0, 0
				}
				run(t, db, fmt.Sprintf(`INSERT INTO books (id, seller_id, buyer_id, status, name, course, edition, price, grade, available_at, comments, isbn, university, created_at, listed_at, title_key, course_key, university_key)
					VALUES (%d, 2, %d, %d, 'A', 'A', 1, 1000, 1, 0, '', '', 'U', 1, 1, 'a', 'a', 'u')`, i+1, buyer, book))
				run(t, db, fmt.Sprintf(`INSERT INTO orders (id, book_id, name, name_key, course, course_key, waited, buyer_id, seller_id, price, fee, status, reason,
					created_at, verified_at, delivered_at, cancelled_at, verified_by, delivered_by, cancelled_by, university, university_key)
					VALUES (%d, %d, 'A', 'a', 'A', 'a', 1, 3, 2, 1000, 50, %d, '', 5, %d, %d, 0, %d, %d, 0, 'U', 'u')`, i+1, i+1, o.status, o.verified, o.delivered, o.verifiedBy, o.deliveredBy))
			}
			run(t, db, "INSERT INTO ledger (order_id, movement, account, amount, at) VALUES (4, 1, 1, -1050, 70), (4, 1, 2, 1050, 70), (4, 2, 2, -50, 70), (4, 2, 3, 50, 70)")
			must.Do(t, db.Migrate(t.Context(), migrations...))
			_, read := db.SQL()
			for i, o := range soldBefore {
				var handover, at int
				must.Do(t, read.QueryRow(fmt.Sprintf("SELECT handover, handed_over_at FROM orders WHERE id = %d", i+1)).Scan(&handover, &at))
				if handover != o.handover || at != o.at {
					t.Errorf("order %d was handed over in way %d at %d, want %d at %d", i+1, handover, at, o.handover, o.at)
				}
			}
			ledgerStays(t, db)
		})
	}
}

// ledgerStays checks what the ledger of a migrated database holds and refuses.
func ledgerStays(t *testing.T, db *gormstore.DB) {
	t.Helper()
	write, read := db.SQL()
	var n int
	must.Do(t, read.QueryRow("SELECT count(*) FROM ledger").Scan(&n))
	if n != 4 {
		t.Errorf("the ledger has %d entries, want 4", n)
	}
	run(t, db, "INSERT INTO ledger (order_id, movement, account, amount, at) VALUES (6, 5, 1, -1000, 90), (6, 5, 4, 1000, 90)")
	for _, statement := range []string{
		"DELETE FROM ledger WHERE order_id = 4", "UPDATE ledger SET amount = 1 WHERE order_id = 4",
		"INSERT INTO ledger (order_id, movement, account, amount, at) VALUES (6, 6, 1, 1, 90)",
	} {
		if _, err := write.ExecContext(t.Context(), statement); err == nil {
			t.Errorf("%s is not refused", statement)
		}
	}
}
