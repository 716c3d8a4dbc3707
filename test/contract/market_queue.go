package contract

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func marketQueue(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"the order that has waited longest is first":                           oldestFirst,
		"each order of a list is confirmed, or the reason why not is returned": confirmAll,
	})
}

func oldestFirst(t *testing.T, b *MarketFixture) {
	_, bob, dean, first := b.aSale(t)
	ann := b.Join(t, "amy", user.Regular)
	books := []book.ID{first.ID}
	for range 3 {
		v := b.Post(t, ann, Draft("Physics", "PHY 121", 2000))
		b.Buy(t, bob, v.ID)
		books = append(books, v.ID)
	}
	queue := func(s buying.Stage) (ids []book.ID) {
		t.Helper()
		for _, page := range walk(t, 1, func(p market.Page) ([]market.OrderView, market.Cursor, error) {
			q, next, err := b.Orders.Queue(t.Context(), dean, s, p)
			if len(q.Orders) > 0 && q.Backlog.N != map[buying.Stage]int{buying.ToCheck: 3, buying.ToHandOver: 1}[s] {
				t.Errorf("the backlog at stage %d is %d", s, q.Backlog.N)
			}
			return q.Orders, next, err
		}) {
			for _, o := range page {
				ids = append(ids, o.Book)
			}
		}
		return ids
	}
	must.Get(b.Orders.Confirm(t.Context(), dean, books[1]))(t)
	if got := queue(buying.ToCheck); !slices.Equal(got, []book.ID{books[0], books[2], books[3]}) {
		t.Errorf("to check: %v", got)
	}
	if n, err := b.Ports.CountOrders(t.Context(), buying.ToCheck, "", 2); err != nil || n != 2 {
		t.Errorf("of three orders, at most two are counted as %d, %v", n, err)
	}
	if got := queue(buying.ToHandOver); !slices.Equal(got, books[1:2]) {
		t.Errorf("to hand over: %v", got)
	}
	if got := queue(buying.ToSettle); len(got) != 0 {
		t.Errorf("to settle: %v", got)
	}
}

func confirmAll(t *testing.T, b *MarketFixture) {
	ann, bob, dean, first := b.aSale(t)
	var ids []order.ID
	for range 3 {
		v := b.Post(t, ann, Draft("Physics", "PHY 121", 2000))
		ids = append(ids, b.Buy(t, bob, v.ID).Orders[0].ID)
	}
	must.Get(b.Orders.Withdraw(t.Context(), bob, ids[1], "because"))(t)
	must.Get(b.Orders.Confirm(t.Context(), dean, first.ID))(t)
	b.Clock.Advance(time.Minute)
	all := append([]order.ID{404, b.orderOf(t, bob).ID - 1_000_000}, ids...)
	done := must.Get(b.Orders.ConfirmAll(t.Context(), dean, all))(t)
	if len(done) != 3 {
		t.Fatalf("%d orders, want 3", len(done))
	}
	for i, c := range done {
		if c.Order.ID != ids[i] || (i == 1) != errors.Is(c.Err, book.ErrTransition) {
			t.Errorf("order %d: %+v", i, c)
		}
		if want := map[bool]order.Status{false: order.Verified, true: order.Cancelled}[i == 1]; c.Order.Status != want {
			t.Errorf("order %d is in status %d, want %d", i, c.Order.Status, want)
		}
	}
	again, err := b.Orders.ConfirmAll(t.Context(), dean, ids) // a replayed form charges nobody twice
	must.Do(t, err)
	for i, c := range again {
		if !errors.Is(c.Err, book.ErrTransition) || i != 1 && c.Order.Status != order.Verified {
			t.Errorf("again, order %d: %+v", i, c)
		}
	}
	b.CheckLedger(t)
	refused(t, must.Err(b.Orders.ConfirmAll(t.Context(), dean, make([]order.ID, market.MaxBulk+1))), buying.ErrTooManyOrders)
}
