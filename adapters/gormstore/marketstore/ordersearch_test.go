package marketstore_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/application/market/talking"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/database"
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
			run(t, db, `INSERT INTO books SELECT i, 1, 2, 3, 'Topology', 'MTH 1', 1, 100, 1, 1, '', '', 'U', 1, 1, 0, 'topology', 'mth1', 'u', '' FROM `+rowsOf[engine])
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

// A search reads each segment of the full-text index. Every post adds one, and a book that
// is no longer for sale leaves a deleted entry.
func TestSearchesStayFastAfterManyPostsOnSQLite(t *testing.T) {
	db := database.SQLite(t, migrations...)
	b := contract.NewMarketFixture(backend(db))
	ann := b.Join(t, "ann", user.Regular)
	const posts, sold = 40, 10
	for i := range posts {
		id := b.Post(t, ann, contract.Draft(fmt.Sprint("Topology ", i), "MTH 440", money.Amount(20_00))).ID
		if i < sold {
			must.Get(b.Listings.Unlist(t.Context(), ann, id))(t)
		}
	}
	store := b.Ports.(*marketstore.Store)
	if n := segments(t, db); n < 2 {
		t.Fatalf("%d segments: there is nothing to merge", n)
	}
	must.Do(t, store.MergeSearchIndex(t.Context()))
	if n := segments(t, db); n != 1 {
		t.Errorf("%d segments, want 1", n)
	}
	found := must.Get(store.FindBooksByWords(t.Context(), [][]string{{"topology"}}, finding.Criteria{}, 2*posts))(t)
	if len(found) != posts-sold {
		t.Errorf("found %d books, want %d", len(found), posts-sold)
	}
}

func segments(t *testing.T, db *gormstore.DB) (n int) {
	t.Helper()
	must.Do(t, db.Read.WithContext(t.Context()).Raw("SELECT count(DISTINCT segid) FROM book_search_idx").Scan(&n).Error)
	return n
}

// Every page of somebody who never opens a conversation would otherwise read all of them.
func TestUnreadMessagesAreCountedInSoManyConversations(t *testing.T) {
	for engine, open := range engines {
		t.Run(engine, func(t *testing.T) {
			db := open(t, migrations...)
			for _, statement := range manyBooks[engine][:2] {
				run(t, db, statement)
			}
			run(t, db, "INSERT INTO conversations SELECT i, i, 1, 0, 1, 0, 0, 2, 1, 3, 0, 0, i, 1, i FROM "+rowsOf[engine]+" WHERE i <= 300")
			store := marketstore.New(db, plain{})
			for who, want := range map[int]int{1: talking.MaxUnreadConversations, 2: 3 * talking.MaxUnreadConversations, 3: 0} {
				n := must.Get(store.CountUnreadMessages(t.Context(), user.ID(who)))(t)
				if n != want {
					t.Errorf("%d has %d unread messages, want %d", who, n, want)
				}
			}
		})
	}
}

// Few of the orders that are placed are to be settled, and of the others, a page has the oldest.
func TestTheOrdersOfAQueueAreReadFromTheirIndex(t *testing.T) {
	deep.NotShort(t, "fills tables with thousands of rows")
	for engine, open := range engines {
		t.Run(engine, func(t *testing.T) {
			db := open(t, migrations...)
			for _, statement := range manyBooks[engine] {
				run(t, db, statement)
			}
			run(t, db, `INSERT INTO orders (id, book_id, name, name_key, course, course_key, waited, buyer_id, seller_id, price, fee, status, reason, created_at, verified_at, delivered_at, cancelled_at, verified_by, delivered_by, cancelled_by, university, university_key, handover)
				SELECT i, i, 'Topology', 'topology', 'MTH 1', 'mth1', 1, 2, 1, 1, 1, 1, '', 1, 0, 0, 0, 0, 0, 0, 'U', 'u', CASE WHEN i < 4 THEN 2 ELSE 0 END FROM `+rowsOf[engine])
			if engine == "postgres" {
				run(t, db, "ANALYZE orders")
			}
			store, index := marketstore.New(db, plain{}), "orders_to_check"
			marketstore.WatchReads(store, func(query string, args []any) {
				if plan := explain(t, engine, db, query, args...); !strings.Contains(plan, index) {
					t.Errorf("%s\n%s", query, plan)
				}
			})
			must.Do(t, only(store.ListOrderQueue(t.Context(), buying.ToCheck, "", 0, 20)))
			must.Do(t, only(store.CountOrders(t.Context(), buying.ToCheck, "", 1_000)))
			index = "orders_to_settle"
			for _, campus := range []string{"", "u"} {
				n := must.Get(store.CountOrders(t.Context(), buying.ToSettle, campus, 1_000))(t)
				if n != 3 {
					t.Errorf("%d orders of %q are to be settled, want 3", n, campus)
				}
				must.Do(t, only(store.ListOrderQueue(t.Context(), buying.ToSettle, campus, 0, 20)))
			}
		})
	}
}

func TestATermOfARolledBackTransactionIsStoredWithTheNextBook(t *testing.T) {
	rolledBack(t, func(t *testing.T, store *marketstore.Store, books int) {
		known := must.Get(store.FindTerms(t.Context(), []string{"topology"}))(t)
		if slices.Contains(known, "topology") != (books > 0) {
			t.Errorf("with %d books the terms are %v", books, known)
		}
	})
}

// rolledBack adds three books with the same words, rolls the first one back, and calls inspect
// after each.
func rolledBack(t *testing.T, inspect func(t *testing.T, store *marketstore.Store, books int)) {
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			db := open(t, migrations...)
			b := contract.NewMarketFixture(backend(db))
			ann := b.Join(t, "ann", user.Regular)
			store, boom := marketstore.New(db, plain{}), errors.New("boom")
			for books, outcome := range []error{boom, nil, nil} {
				err := store.Atomically(t.Context(), func(ctx context.Context, s market.Stores) error {
					d, err := contract.Draft("Topology", "MTH 440", 1234).Check(money.Currency{}, time.Now())
					must.Do(t, err)
					return errors.Join(store.SellingStore(s).AddBook(ctx, book.Post(book.ID(b.IDs.Next()), ann.ID, "Rochester", d, b.Clock.Now())), outcome)
				})
				if !errors.Is(err, outcome) {
					t.Fatal(err)
				}
				inspect(t, store, books)
			}
		})
	}
}

// The letters of some names fold to six or eighteen times as many.
func TestANameOfLigaturesTakesLittleSpaceInTheVocabulary(t *testing.T) {
	db := database.SQLite(t, migrations...)
	b := contract.NewMarketFixture(backend(db))
	ann := b.Join(t, "Ann", user.Regular)
	_, read := db.SQL()
	for _, letter := range []string{"㌖", "ﷺ", "a", "\U00020000"} {
		b.Post(t, ann, contract.Draft(strings.Repeat(letter, book.MaxName), "CSC 172", 500))
	}
	var bytes int
	must.Do(t, read.QueryRow("SELECT (SELECT sum(length(CAST(spelling AS BLOB)) + length(CAST(term AS BLOB))) FROM spellings) + (SELECT sum(length(CAST(term AS BLOB))) FROM terms)").Scan(&bytes))
	if bytes > 8<<10 {
		t.Errorf("four names take %d bytes", bytes)
	}
}
