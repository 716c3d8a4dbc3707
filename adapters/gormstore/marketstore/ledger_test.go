package marketstore_test

import (
	"testing"

	"github.com/octavo-books/octavo/test/must"
)

// Not even somebody with a shell of the database changes what was booked.
func TestTheLedgerRefusesWhateverChangesItsEntries(t *testing.T) {
	for engine, open := range engines {
		t.Run(engine, func(t *testing.T) {
			db := open(t, migrations...)
			run(t, db, `INSERT INTO books (id, seller_id, buyer_id, status, name, course, edition, price, condition, available_at, comments, isbn, university, created_at, listed_at, title_key, course_key, university_key)
				VALUES (1, 2, 3, 2, 'A', 'A', 1, 1000, 1, 0, '', '', 'U', 1, 1, 'a', 'a', 'u')`)
			run(t, db, `INSERT INTO orders (id, book_id, name, name_key, course, course_key, waited, buyer_id, seller_id, price, fee, status, reason,
				created_at, verified_at, delivered_at, cancelled_at, verified_by, delivered_by, cancelled_by) VALUES (1, 1, 'A', 'a', 'A', 'a', 1, 3, 2, 1000, 50, 2, '', 5, 70, 0, 0, 9, 0, 0)`)
			run(t, db, "INSERT INTO ledger (order_id, movement, account, amount, at) VALUES (1, 1, 1, -1050, 70), (1, 1, 2, 1050, 70), (1, 5, 1, -1000, 90), (1, 5, 4, 1000, 90)")
			write, read := db.SQL()
			for _, statement := range []string{
				"DELETE FROM ledger WHERE order_id = 1", "UPDATE ledger SET amount = 1 WHERE order_id = 1",
				"INSERT INTO ledger (order_id, movement, account, amount, at) VALUES (1, 6, 1, 1, 90)",
			} {
				if _, err := write.ExecContext(t.Context(), statement); err == nil {
					t.Errorf("%s is not refused", statement)
				}
			}
			var n, sum int
			must.Do(t, read.QueryRow("SELECT count(*), sum(amount) FROM ledger").Scan(&n, &sum))
			if n != 4 || sum != 0 {
				t.Errorf("the ledger has %d entries with the sum %d, want 4 with 0", n, sum)
			}
		})
	}
}
