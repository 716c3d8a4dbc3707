package contract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func reportRank(t *testing.T, b *MarketFixture) {
	owner, dean, bob := b.Join(t, "owner", user.Owner), b.Join(t, "dean", user.Admin), b.Join(t, "bob", user.Regular)
	theirs, mine := b.Post(t, owner, Draft("Calculus", "MTH 161", 1000)), b.Post(t, dean, Draft("Physics", "PHY 121", 1000))
	id := b.report(t, bob, about(theirs))
	refused(t, must.Err(b.Moderation.Resolve(t.Context(), dean, id, report.Suspend, "because")), user.ErrForbidden)
	if found, _, err := b.Moderation.Get(t.Context(), dean, id); err != nil || !found.Open() || len(b.search(t, "calculus")) != 1 {
		t.Errorf("the report is %+v, %v", found, err)
	}
	id = b.report(t, bob, about(mine))
	refused(t, must.Err(b.Moderation.Resolve(t.Context(), dean, id, report.Dismiss, "")), report.ErrAboutYou)
	must.Get(b.Moderation.Resolve(t.Context(), owner, id, report.Suspend, "because"))(t)
}

// trader is somebody who has sold to two people, long enough ago.
func (b *MarketFixture) trader(t *testing.T, name string, dean user.Caller) user.Caller {
	t.Helper()
	who := b.Join(t, name, user.Regular)
	for i := range report.MinPartners {
		b.completeSale(t, who, b.Join(t, fmt.Sprint(name, "s buyer ", i), user.Regular), dean, 500)
	}
	b.Clock.Advance(report.MinSaleAge)
	return who
}

// completeSale sells and delivers a book.
func (b *MarketFixture) completeSale(t *testing.T, seller, buyer, dean user.Caller, price money.Amount) {
	t.Helper()
	v := b.Post(t, seller, Draft("Sold once", "ENG 101", price))
	b.Buy(t, buyer, v.ID)
	must.Get(b.Orders.Confirm(t.Context(), dean, v.ID))(t)
	must.Get(b.Orders.SetPaid(t.Context(), dean, v.ID))(t)
}

// reportPuppets are accounts that trade with each other in order to unlist the books of others.
func reportPuppets(t *testing.T, b *MarketFixture) {
	ann, dean := b.Join(t, "ann", user.Regular), b.Join(t, "dean", user.Admin)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	puppets := make([]user.Caller, 6)
	for i := range puppets {
		puppets[i] = b.Join(t, fmt.Sprint("puppet ", i), user.Regular)
	}
	for i := range 2 { // cheap sales, in a ring
		for j, p := range puppets {
			b.completeSale(t, p, puppets[(j+i+1)%len(puppets)], dean, 499)
		}
	}
	for i, p := range puppets { // sales to one other person
		if i%2 == 0 {
			b.completeSale(t, p, puppets[i+1], dean, 5000)
			b.completeSale(t, puppets[i+1], p, dean, 5000)
		}
	}
	b.Clock.Advance(report.MinSaleAge)
	for i, p := range puppets { // sales of today, in a ring
		b.completeSale(t, p, puppets[(i+2)%len(puppets)], dean, 5000)
	}
	for _, p := range puppets {
		b.report(t, p, about(v))
	}
	if found := b.search(t, "calculus"); len(found) != 1 {
		t.Errorf("puppets have unlisted the book: %v is for sale", found)
	}
	b.Clock.Advance(report.MinSaleAge) // now they have two partners each
	b.report(t, b.trader(t, "trader", dean), about(v))
	if found := b.search(t, "calculus"); len(found) != 0 {
		t.Errorf("%v is for sale", found)
	}
}

func reportHidden(t *testing.T, b *MarketFixture) {
	ann, dean := b.Join(t, "ann", user.Regular), b.Join(t, "dean", user.Admin)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	var id report.ID
	for i := range ReportThreshold {
		id = b.report(t, b.trader(t, fmt.Sprint("trader ", i), dean), about(v))
	}
	if all, _, err := b.Notifications.List(t.Context(), ann, market.Page{Limit: 1}); err != nil || !all[0].Hidden() || strings.Contains(all[0].Message, "unlisted") {
		t.Errorf("the seller reads %+v, %v", all, err)
	}
	name := "Calculus for all"
	change := func() (relist, update error) {
		_, relist = b.Listings.Relist(t.Context(), ann, v.ID)
		_, update = b.Listings.Update(t.Context(), ann, v.ID, book.Patch{Name: &name})
		return relist, update
	}
	relist, update := change()
	refused(t, relist, book.ErrHidden)
	refused(t, update, book.ErrHidden)
	must.Get(b.Moderation.Resolve(t.Context(), dean, id, report.Unlist, "Not allowed."))(t)
	relist, update = change()
	refused(t, relist, book.ErrHeld)
	must.Do(t, update)
}

func reportThreshold(t *testing.T, b *MarketFixture) {
	ann, dean := b.Join(t, "ann", user.Regular), b.Join(t, "dean", user.Admin)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	var id report.ID
	for i := range 4 { // newcomers, who do not count
		b.report(t, b.Join(t, fmt.Sprint("new ", i), user.Regular), about(v))
	}
	for i := range ReportThreshold {
		if found := b.search(t, "calculus"); len(found) != 1 {
			t.Fatalf("after %d reports %v is for sale", i, found)
		}
		id = b.report(t, b.trader(t, fmt.Sprint("trader ", i), dean), about(v))
	}
	if found := b.search(t, "calculus"); len(found) != 0 {
		t.Errorf("for sale: %v", found)
	}
	refused(t, must.Err(b.Listings.Relist(t.Context(), ann, v.ID)), book.ErrHidden)
	if h, err := b.BookAdmin.History(t.Context(), dean, v.ID); err != nil || len(h.Changes) != 1 || h.Changes[0].Action != "book.hidden" || h.Changes[0].Actor != 0 {
		t.Errorf("the history is %+v, %v", h.Changes, err)
	}
	if found, open, err := b.Moderation.Get(t.Context(), dean, id); err != nil || !found.Hid || len(open) != 7 {
		t.Errorf("the report is %+v of %d, %v", found, len(open), err)
	}
	must.Get(b.Moderation.Resolve(t.Context(), dean, id, report.Dismiss, ""))(t)
	if found := b.search(t, "calculus"); len(found) != 1 {
		t.Errorf("after a dismissal %v is for sale", found)
	}
}
