package contract

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

// marketDecisions checks that nobody decides about an affair of their own.
func marketDecisions(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"an admin neither completes nor cancels an own sale or purchase": ownSales,
		"several orders are confirmed without the own ones":              ownSaleAmongOthers,
		"an admin does not put an own book back on sale":                 ownHeldBook,
		"several books are unlisted without the own and reported ones":   ownBooksAmongOthers,
		"nobody decides about a report that they have made":              ownReport,
		"nobody decides about a report of what they have bought":         boughtAndReported,
		"an owner decides alone where nobody else may":                   ownerAlone,
		"an owner of several campuses decides alone where one has none":  ownerAloneAtCampus,
		"colleagues who are suspended or leave cannot decide instead":    ownerAndSuspended,
	})
}

func ownSales(t *testing.T, b *MarketFixture) {
	dean, dora, bob := b.Join(t, "dean", user.Admin), b.Join(t, "dora", user.Owner), b.Join(t, "bob", user.Regular)
	for name, sold := range map[string]order.Order{"as the seller": b.sell(t, dean, bob, "Topology"), "as the buyer": b.sell(t, bob, dean, "Algebra")} {
		for act, do := range b.acts(sold.Book) {
			if err := do(t.Context(), dean); !errors.Is(err, user.ErrOwnAffair) {
				t.Errorf("%s %s: %v", act, name, err)
			}
		}
		must.Do(t, b.acts(sold.Book)["confirm"](t.Context(), dora))
		refused(t, b.acts(sold.Book)["cancel"](t.Context(), dean), user.ErrOwnAffair)
		refused(t, b.acts(sold.Book)["pay"](t.Context(), dean), user.ErrOwnAffair)
		v := must.Get(b.Orders.Get(t.Context(), dora, sold.ID))(t)
		equal(t, name, v.Status, order.Verified)
	}
	for _, sold := range []order.Order{b.sell(t, dora, bob, "Analysis"), b.sell(t, bob, dora, "Logic")} { // an owner beside an admin
		for _, do := range b.acts(sold.Book) {
			refused(t, do(t.Context(), dora), user.ErrOwnAffair)
		}
		must.Do(t, b.acts(sold.Book)["confirm"](t.Context(), dean))
	}
	b.CheckLedger(t)
}

func ownSaleAmongOthers(t *testing.T, b *MarketFixture) {
	dean, ann, bob := b.Join(t, "dean", user.Admin), b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	first, own, last := b.sell(t, ann, bob, "Topology"), b.sell(t, dean, bob, "Algebra"), b.sell(t, ann, bob, "Logic")
	done := must.Get(b.Orders.ConfirmAll(t.Context(), dean, []order.ID{first.ID, own.ID, last.ID}))(t)
	if len(done) != 3 || done[0].Err != nil || !errors.Is(done[1].Err, user.ErrOwnAffair) || done[1].Order.Status != order.Placed || done[2].Err != nil {
		t.Errorf("confirmed %+v", done)
	}
}

func ownHeldBook(t *testing.T, b *MarketFixture) {
	dean, owner := b.Join(t, "dean", user.Admin), b.Join(t, "owner", user.Owner)
	v := b.Post(t, dean, Draft("Calculus", "MTH 161", 1000))
	must.Get(b.BookAdmin.Unlist(t.Context(), owner, []book.ID{v.ID}, "Not allowed."))(t)
	refused(t, b.BookAdmin.Relist(t.Context(), dean, v.ID), user.ErrOwnAffair)
	_, err := b.Listings.Relist(t.Context(), dean, v.ID) // as any seller
	refused(t, err, user.ErrOwnAffair)
	if len(b.search(t, "calculus")) != 0 {
		t.Error("the book is on sale again")
	}
	must.Do(t, b.BookAdmin.Relist(t.Context(), owner, v.ID))
}

func ownBooksAmongOthers(t *testing.T, b *MarketFixture) {
	dean, ann := b.Join(t, "dean", user.Admin), b.Join(t, "ann", user.Regular)
	first, own := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000)), b.Post(t, dean, Draft("Algebra", "MTH 165", 1000))
	reported, last := b.Post(t, ann, Draft("Logic", "PHL 110", 1000)), b.Post(t, ann, Draft("Physics", "PHY 121", 1000))
	id := b.report(t, dean, about(reported))
	all := []book.ID{first.ID, own.ID, reported.ID, last.ID}
	views := must.Get(b.BookAdmin.Review(t.Context(), dean, all))(t)
	affairs := must.Get(b.BookAdmin.Affairs(t.Context(), dean, views...))(t)
	done := must.Get(b.BookAdmin.Unlist(t.Context(), dean, all, "Not allowed."))(t)
	for i, want := range []bool{true, false, false, true} {
		if err := done[i].Err; (err == nil) != want || err != nil && !errors.Is(err, user.ErrOwnAffair) || affairs[all[i]].Involves(dean.ID) == want {
			t.Errorf("book %d: %v, the affair is %v", i, err, affairs[all[i]])
		}
	}
	must.Get(b.Moderation.Resolve(t.Context(), b.Join(t, "dora", user.Admin), id, report.Dismiss, ""))(t)
	if done, err := b.BookAdmin.Unlist(t.Context(), dean, all[2:3], "Not allowed."); err != nil || done[0].Err != nil {
		t.Errorf("after the decision of another admin: %v, %v", done[0].Err, err)
	}
}

func ownReport(t *testing.T, b *MarketFixture) {
	dean, dora, ann, bob := b.Join(t, "dean", user.Admin), b.Join(t, "dora", user.Admin), b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	bobs, own := b.report(t, bob, about(v)), b.report(t, dean, about(v))
	for _, id := range []report.ID{own, bobs} { // both are decided together
		for _, a := range report.Actions() {
			refused(t, must.Err(b.Moderation.Resolve(t.Context(), dean, id, a, "because")), user.ErrOwnAffair)
		}
	}
	if len(b.search(t, "calculus")) != 1 || slices.ContainsFunc(b.Audits(t), func(e audit.Entry) bool { return e.Action == "report.resolved" }) {
		t.Error("a refusal has changed something")
	}
	onDean := b.report(t, bob, about(b.Post(t, dean, Draft("Logic", "PHL 110", 1000))))
	for _, a := range report.Actions() {
		refused(t, must.Err(b.Moderation.Resolve(t.Context(), dean, onDean, a, "because")), report.ErrAboutYou)
	}
	for _, id := range []report.ID{own, onDean} {
		must.Get(b.Moderation.Resolve(t.Context(), dora, id, report.Dismiss, ""))(t)
	}
}

func boughtAndReported(t *testing.T, b *MarketFixture) {
	dean, ann, bob := b.Join(t, "dean", user.Admin), b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	id := b.report(t, bob, about(v))
	b.Buy(t, dean, v.ID)
	refused(t, must.Err(b.Moderation.Resolve(t.Context(), dean, id, report.Suspend, "because")), user.ErrOwnAffair)
	found, _ := must.Get2(b.Moderation.Get(t.Context(), dean, id))(t)
	if !found.Affair().Involves(dean.ID) {
		t.Errorf("the page does not know the buyer: %+v", found.Affair())
	}
}

// details are what the audit log says about an action.
func (b *MarketFixture) details(t *testing.T, action string) (all []string) {
	t.Helper()
	for _, e := range b.Audits(t) {
		if e.Action == action {
			all = append(all, e.Detail)
		}
	}
	return all
}

func ownerAlone(t *testing.T, b *MarketFixture) {
	owner, bob := b.Join(t, "owner", user.Owner), b.Join(t, "bob", user.Regular)
	sold, cancelled := b.sell(t, owner, bob, "Topology"), b.sell(t, bob, owner, "Algebra")
	ruling := must.Get(b.Decisions.Of(t.Context(), owner))(t)
	must.Do(t, ruling.Check(sold.Affair()))
	must.Do(t, b.acts(sold.Book)["confirm"](t.Context(), owner))
	must.Do(t, b.acts(sold.Book)["pay"](t.Context(), owner))
	must.Do(t, b.acts(cancelled.Book)["cancel"](t.Context(), owner))
	id := b.report(t, bob, about(b.Post(t, owner, Draft("Logic", "PHL 110", 1000))))
	must.Get(b.Moderation.Resolve(t.Context(), owner, id, report.Dismiss, "Fine."))(t)
	for action, want := range map[string]string{"order.confirmed": "alone", "order.paid": "alone", "order.cancelled": "alone: broken", "report.resolved": "alone: dismiss: Fine."} {
		if got := b.details(t, action); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, want %q", action, got, want)
		}
	}
	foreign := b.sell(t, bob, b.Join(t, "eve", user.Regular), "Physics")
	must.Do(t, b.acts(foreign.Book)["confirm"](t.Context(), owner))
	if got := b.details(t, "order.confirmed"); len(got) != 2 || strings.Contains(got[1], "alone") {
		t.Errorf("an affair of others: %q", got)
	}
	mine := b.sell(t, owner, bob, "Analysis")
	b.Join(t, "dean", user.Admin)
	refused(t, b.acts(mine.Book)["confirm"](t.Context(), owner), user.ErrOwnAffair)
	ruling = must.Get(b.Decisions.Of(t.Context(), owner))(t)
	refused(t, ruling.Check(mine.Affair()), user.ErrOwnAffair)
	b.CheckLedger(t)
}

func ownerAloneAtCampus(t *testing.T, b *MarketFixture) {
	c := b.twoSales(t)
	c.owner.CampusOnly = true
	here, there := b.sell(t, c.hereSeller, c.owner, "Analysis"), b.sell(t, c.thereSeller, c.owner, "Logic")
	refused(t, b.acts(here.Book)["confirm"](t.Context(), c.owner), user.ErrOwnAffair) // the dean can
	must.Do(t, b.acts(there.Book)["confirm"](t.Context(), c.owner))
	b.Join(t, "second", user.Owner)
	refused(t, b.acts(there.Book)["pay"](t.Context(), c.owner), user.ErrOwnAffair)
}

func ownerAndSuspended(t *testing.T, b *MarketFixture) {
	owner, bob := b.Join(t, "owner", user.Owner), b.Join(t, "bob", user.Regular)
	dean, dora, gone := b.Join(t, "dean", user.Admin), b.Join(t, "dora", user.Admin), b.Join(t, "gone", user.Owner)
	sold := b.sell(t, owner, bob, "Topology")
	confirm := func(ctx context.Context) error { return b.acts(sold.Book)["confirm"](ctx, owner) }
	for _, leave := range []func(){
		func() { b.suspend(t, dean) }, func() { b.leave(t, dora) }, func() { b.DeleteUser(t, gone) },
	} {
		refused(t, confirm(t.Context()), user.ErrOwnAffair)
		leave()
	}
	must.Do(t, confirm(t.Context()))
}
