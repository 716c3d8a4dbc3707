package pairs_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/stores"
)

// party is what somebody is in the sales, listings and reports of a world.
type party int

const (
	outsider party = iota
	seller
	buyer
	reporter
)

// role is who acts.
type role struct {
	name        string
	as          party
	rank        user.Role
	elsewhere   bool // of another university
	nobody      bool // not signed in
	suspended   bool
	application bool // acts with the token of an application
}

var roles = []role{
	{name: "nobody", nobody: true},
	{name: "a suspended seller", as: seller, suspended: true},
	{name: "a suspended buyer", as: buyer, suspended: true},
	{name: "an application of the seller", as: seller, application: true},
	{name: "an application of an admin", rank: user.Admin, application: true},
	{name: "a stranger"},
	{name: "the seller", as: seller},
	{name: "the buyer", as: buyer},
	{name: "the reporter", as: reporter},
	{name: "an admin elsewhere", rank: user.Admin, elsewhere: true},
	{name: "an admin", rank: user.Admin},
	{name: "an admin who sells", as: seller, rank: user.Admin},
	{name: "an admin who buys", as: buyer, rank: user.Admin},
	{name: "an admin who reports", as: reporter, rank: user.Admin},
	{name: "an owner", rank: user.Owner},
	{name: "an owner who sells", as: seller, rank: user.Owner},
	{name: "an owner who buys", as: buyer, rank: user.Owner},
}

// may reports whether somebody in a role may do something, unless what it is about has changed.
func (a action) may(r role) bool {
	switch {
	case r.nobody, r.suspended, r.application, r.rank < a.rank():
		return false
	case a.who == admin && r.elsewhere && r.rank < user.Owner:
		return false
	case a.parties != nil && !slices.Contains(a.parties, r.as):
		return false
	}
	return !slices.Contains(a.never, r.as)
}

func (a action) rank() user.Role {
	switch a.who {
	case admin:
		return user.Admin
	case owner:
		return user.Owner
	}
	return user.Regular
}

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

// engine keeps a world.
type engine struct {
	backend contract.MarketBackend
	db      *gormstore.DB
}

func over(db *gormstore.DB) engine { return engine{stores.Backend(db), db} }

// snapshot returns all content, to be compared.
func (e engine) snapshot(t testing.TB) map[string]string { return rows(t, e.db) }

// rows returns all rows of all tables but the answers that are kept under idempotency keys: those
// contain refusals.
func rows(t testing.TB, db *gormstore.DB) map[string]string {
	t.Helper()
	list := `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'book_search%'`
	if db.Dialect == gormstore.Postgres {
		list = `SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`
	}
	var tables []string
	must.Do(t, db.Read.WithContext(t.Context()).Raw(list).Scan(&tables).Error)
	all := map[string]string{}
	for _, name := range tables {
		if strings.HasPrefix(name, "goose_") || name == "idempotency_keys" {
			continue
		}
		var found []map[string]any
		must.Do(t, db.Read.WithContext(t.Context()).Raw("SELECT * FROM "+name).Scan(&found).Error)
		lines := make([]string, len(found))
		for i, row := range found {
			lines[i] = fmt.Sprint(row)
		}
		slices.Sort(lines)
		all[name] = strings.Join(lines, "\n")
	}
	return all
}
