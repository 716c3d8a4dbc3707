package marketstore_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/poll"
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

// claimed claims a key and calls more in the same transaction.
func claimed(ctx context.Context, s *marketstore.Store, owner user.ID, key string, now time.Time, more func() error) error {
	return s.Atomically(ctx, func(ctx context.Context, st market.Stores) error {
		stored, err := st.ClaimKey(ctx, owner, key, now.Add(-market.IdempotencyKeyLife), now)
		if stored != nil {
			err = errors.Join(err, errors.New("the key was used before"))
		}
		return errors.Join(err, st.SaveResponse(ctx, owner, key, market.StoredResponse{}), more())
	})
}

func done() error { return nil }

// Each claim deletes a few expired responses.
func TestExpiredResponsesAreDeletedAFewAtATime(t *testing.T) {
	for name, open := range map[string]func(testing.TB, ...gormstore.Migrations) *gormstore.DB{"sqlite": database.SQLite, "postgres": database.Postgres} {
		t.Run(name, func(t *testing.T) {
			db := open(t, migrations...)
			s, start := marketstore.New(db, plain{}), time.Now()
			for i := range 50 {
				must.Do(t, claimed(t.Context(), s, 1, "old "+strconv.Itoa(i), start, done))
			}
			late := start.Add(market.IdempotencyKeyLife + time.Second)
			must.Do(t, claimed(t.Context(), s, 1, "old 49", late, done))
			if got := responses(t, db); got != 30 { // 29 expired ones, and the renewed one
				t.Errorf("%d responses are left of 50", got)
			}
			for i := range 2 {
				must.Do(t, claimed(t.Context(), s, 1, "new "+strconv.Itoa(i), late, done))
			}
			if got := responses(t, db); got != 3 {
				t.Errorf("%d responses are left, and 3 are new", got)
			}
		})
	}
}

func responses(t *testing.T, db *gormstore.DB) (n int64) {
	t.Helper()
	must.Do(t, db.Write.WithContext(t.Context()).Raw("SELECT count(*) FROM idempotency_keys").Scan(&n).Error)
	return n
}

func TestClaimsDoNotWaitForEachOthersSweep(t *testing.T) {
	s, start := marketstore.New(database.Postgres(t, migrations...), plain{}), time.Now()
	for i := range 5 {
		must.Do(t, claimed(t.Context(), s, 1, "old "+strconv.Itoa(i), start, done))
	}
	late := start.Add(market.IdempotencyKeyLife + time.Second)
	ctx, cancel := context.WithTimeout(t.Context(), poll.Limit)
	defer cancel()
	must.Do(t, claimed(ctx, s, 2, "key", late, func() error {
		return claimed(ctx, s, 3, "key", late, done) // would wait for the outer transaction, which deletes expired responses
	}))
}

const (
	aBook = `INSERT INTO books (id, seller_id, buyer_id, status, name, course, edition, price, condition, available_at, comments, isbn,
	university, created_at, listed_at, title_key, course_key, university_key) VALUES (?, 7, ?, ?, '', '', 1, 1, 1, 1, '', '', '', 1, 1, '', '', '')`
	anOrder = `INSERT INTO orders (id, book_id, name, name_key, course, course_key, waited, buyer_id, seller_id, price, fee, status, reason,
	created_at, verified_at, delivered_at, cancelled_at, verified_by, delivered_by, cancelled_by) VALUES (?, ?, '', '', '', '', 1, 8, 7, 1, 1, ?, '', 1, 0, 0, 0, 0, 0, 0)`
)

func TestTheDatabaseRefusesUndefinedStatuses(t *testing.T) {
	for name, db := range map[string]*gormstore.DB{
		"sqlite": database.SQLite(t, migrations...), "postgres": database.Postgres(t, migrations...),
	} {
		t.Run(name, func(t *testing.T) {
			accepts := func(statement string, args ...any) bool {
				return db.Write.WithContext(t.Context()).Exec(statement, args...).Error == nil
			}
			id := 0
			for status := -2; status < 8; status++ {
				for buyer := range 2 {
					id++
					sold := status == 1 || status == 2 || status == 3
					legal := sold && buyer == 1 || (status == 0 || status == 5) && buyer == 0
					if accepts(aBook, id, buyer, status) != legal {
						t.Errorf("a book of status %d and buyer %d: accepted is not %v", status, buyer, legal)
					}
				}
				must.Do(t, db.Write.WithContext(t.Context()).Exec(aBook, 100+status, 0, 0).Error)
				legal := status == -1 || status == 1 || status == 2 || status == 3
				if accepts(anOrder, 100+status, 100+status, status) != legal {
					t.Errorf("an order of status %d: accepted is not %v", status, legal)
				}
			}
			if name == "sqlite" && accepts(aBook, 200, 0, 0.5) {
				t.Error("a book of status 0.5 was accepted")
			}
		})
	}
}

// SQLite would create an ephemeral table for each row that it checks.
func TestCheckConstraintsNeedNoEphemeralTable(t *testing.T) {
	db := database.SQLite(t, migrations...)
	for _, statement := range []string{aBook, anOrder} {
		var steps []struct{ Opcode string }
		must.Do(t, db.Write.WithContext(t.Context()).Raw("EXPLAIN "+strings.ReplaceAll(statement, "?", "1")).Scan(&steps).Error)
		for _, s := range steps {
			if s.Opcode == "OpenEphemeral" {
				t.Errorf("an ephemeral table is created for %.20s…", statement)
			}
		}
	}
	var broken string
	must.Do(t, db.Write.WithContext(t.Context()).Raw("PRAGMA integrity_check").Scan(&broken).Error)
	if broken != "ok" {
		t.Error(broken)
	}
}
