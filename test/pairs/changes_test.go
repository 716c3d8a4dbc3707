package pairs_test

import (
	"context"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/must"
)

// change is what happens between reading and acting. Some of it may be refused, because the world
// is not as it was.
type change struct {
	name string
	do   func(*testing.T, *world, action)
}

var changes = []change{
	{"nothing changes", func(*testing.T, *world, action) {}},
	{"the price rises", func(t *testing.T, w *world, _ action) {
		price := w.listed.Price + 500
		_, _ = w.Listings.Update(t.Context(), w.seller, w.listed.ID, book.Patch{Price: &price})
	}},
	{"somebody else acts first", otherActs},
	{"the role changes", func(t *testing.T, w *world, _ action) {
		if w.role.rank < user.Admin {
			w.role.rank = user.Admin
		} else {
			w.role.rank = user.Regular
		}
		w.account(t, w.actor.ID, func(u *user.User) { u.Role = w.role.rank })
		w.actor.Role = w.role.rank // the next request reads it
	}},
	{"the seller moves to another campus", func(t *testing.T, w *world, _ action) {
		w.account(t, w.seller.ID, func(u *user.User) {
			moved := *u.Profile
			moved.University = there
			u.Profile = &moved
		})
		if w.role.as == seller {
			w.role.elsewhere = true
			w.actor.University = there
		}
	}},
	{"a party blocks", func(t *testing.T, w *world, _ action) { _ = w.Blocks.Block(t.Context(), w.other(), w.actor.ID) }},
	{"the other side is deleted", func(t *testing.T, w *world, _ action) { w.DeleteUser(t, w.other()) }},
	{"the other side is suspended", func(t *testing.T, w *world, _ action) { w.suspend(t, w.other()) }},
	{"what waits lapses", func(t *testing.T, w *world, _ action) {
		deps := w.Deps
		deps.OrderLapses = 14 * 24 * time.Hour
		sweeper := w.Over(deps).OrderSweeper
		for range 2 { // a reminder first
			w.Clock.Advance(10 * 24 * time.Hour)
			must.Do(t, sweeper.Sweep(t.Context()))
		}
	}},
	{"the answer was lost", func(t *testing.T, w *world, a action) { _ = a.do(t.Context(), w) }},
}

// otherActs does what another buyer or another admin might do.
func otherActs(t *testing.T, w *world, _ action) {
	ctx := t.Context()
	_, _ = w.Checkout.Do(ctx, w.rival, buying.Basket{Books: []book.ID{w.listed.ID}})
	_, _ = w.Orders.Confirm(ctx, w.chief, w.placedBook)
	_, _ = w.Orders.SetPaid(ctx, w.chief, w.verifiedBook)
	_, _ = w.Orders.Settle(ctx, w.chief, w.metBook)
	_ = w.BookAdmin.Relist(ctx, w.chief, w.held.ID)
	_, _ = w.Moderation.Resolve(ctx, w.chief, w.report, report.Unlist, "Because.")
}

// account changes an account as the auth service does.
func (w *world) account(t *testing.T, id user.ID, fn func(*user.User)) {
	t.Helper()
	err := w.Accounts(w.Deps).Atomically(t.Context(), func(ctx context.Context, in auth.Stores) error {
		u, err := in.LockUser(ctx, id)
		if err != nil {
			return err
		}
		fn(&u)
		return in.SaveUser(ctx, u)
	})
	if id != 0 {
		must.Do(t, err)
	}
}

func (w *world) suspend(t *testing.T, c user.Caller) {
	t.Helper()
	must.Do(t, contract.Suspend(t.Context(), w.Accounts(w.Deps), w.Clock.Now(), w.Clock.Now(), c.ID))
}
