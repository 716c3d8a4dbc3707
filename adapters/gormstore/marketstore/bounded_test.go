package marketstore_test

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/talking"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/must"
)

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
