package contract

import (
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/rating"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func marketTrust(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"both sides rate a sale within 14 days of the delivery":     trustRated,
		"a third person rates nothing":                              trustPrivate,
		"others see a count from three people on":                   trustCounted,
		"of many ratings the newest are counted":                    trustNewest,
		"an upheld report hides the count for a year":               trustReported,
		"a deleted account leaves no words and no ratings about it": trustErased,
		"a seller's record has sales and cancellations":             trustRecord,
	})
}

// delivered sells a book and hands it over.
func (b *MarketFixture) delivered(t *testing.T, seller, buyer, dean user.Caller) order.Order {
	t.Helper()
	v := b.Post(t, seller, Draft("Calculus", "MTH 161", 1000))
	b.Buy(t, buyer, v.ID)
	must.Get(b.Orders.Confirm(t.Context(), dean, v.ID))(t)
	done := must.Get(b.Orders.SetPaid(t.Context(), dean, v.ID))(t)
	return done.Order
}

func (b *MarketFixture) countOf(t *testing.T, who user.Caller) rating.Count {
	t.Helper()
	return must.Get(b.Trust.Of(t.Context(), who.ID))(t)
}

func trustRated(t *testing.T, b *MarketFixture) {
	ann, bob, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "dean", user.Admin)
	v := b.Post(t, ann, Draft("Physics", "PHY 121", 1000))
	refused(t, b.Trust.Rate(t.Context(), bob, b.Buy(t, bob, v.ID).Orders[0].ID, true, ""), rating.ErrEarly)
	o := b.delivered(t, ann, bob, dean)
	must.Do(t, b.Trust.Rate(t.Context(), bob, o.ID, true, " Thank\u200bs. "))
	must.Do(t, b.Trust.Rate(t.Context(), ann, o.ID, true, ""))
	must.Do(t, b.Trust.Rate(t.Context(), bob, o.ID, false, "Pages are missing."))
	for _, by := range []user.Caller{ann, bob, dean} {
		got := must.Get(b.Trust.OfOrder(t.Context(), by, o))(t)
		if got.Buyer == nil || got.Buyer.AsDescribed || got.Buyer.Text != "Pages are missing." || got.Buyer.Of != ann.ID || got.Seller == nil || !got.Seller.AsDescribed || got.Open != (by.ID != dean.ID) {
			t.Errorf("the ratings are %+v", got)
		}
	}
	for _, bad := range []string{"a\nb", "a\x00", strings.Repeat("x", rating.MaxText+1)} {
		if err := b.Trust.Rate(t.Context(), bob, o.ID, true, bad); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: %v", bad, err)
		}
	}
	b.Clock.Advance(rating.Window + time.Minute)
	refused(t, b.Trust.Rate(t.Context(), bob, o.ID, true, ""), rating.ErrLate)
}

func trustPrivate(t *testing.T, b *MarketFixture) {
	ann, bob, dean, eve := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "dean", user.Admin), b.Join(t, "eve", user.Regular)
	o := b.delivered(t, ann, bob, dean)
	for _, by := range []user.Caller{eve, dean} {
		refused(t, b.Trust.Rate(t.Context(), by, o.ID, true, ""), order.ErrNotFound)
	}
	refused(t, b.Trust.Rate(t.Context(), bob, 404, true, ""), order.ErrNotFound)
	refused(t, b.Trust.Rate(t.Context(), user.Caller{}, o.ID, true, ""), user.ErrUnauthenticated)
}

// ratedBy lets somebody buy a book and rate it.
func (b *MarketFixture) ratedBy(t *testing.T, seller, buyer, dean user.Caller, asDescribed bool) {
	t.Helper()
	must.Do(t, b.Trust.Rate(t.Context(), buyer, b.delivered(t, seller, buyer, dean).ID, asDescribed, ""))
}

func trustCounted(t *testing.T, b *MarketFixture) {
	ann, dean := b.Join(t, "ann", user.Regular), b.Join(t, "dean", user.Admin)
	bob, cat, eve := b.Join(t, "bob", user.Regular), b.Join(t, "cat", user.Regular), b.Join(t, "eve", user.Regular)
	for range 3 { // one friend has one voice
		b.ratedBy(t, ann, bob, dean, true)
	}
	b.ratedBy(t, ann, cat, dean, true)
	if c := b.countOf(t, ann); c != (rating.Count{}) {
		t.Errorf("two people are shown: %+v", c)
	}
	b.ratedBy(t, ann, eve, dean, false)
	if c := b.countOf(t, ann); c != (rating.Count{AsDescribed: 2, People: 3}) {
		t.Errorf("the count is %+v", c)
	}
	b.ratedBy(t, ann, bob, dean, false) // the newest counts
	if c := b.countOf(t, ann); c != (rating.Count{AsDescribed: 1, People: 3}) {
		t.Errorf("the count is %+v", c)
	}
}

func trustNewest(t *testing.T, b *MarketFixture) {
	ann, dean := b.Join(t, "ann", user.Regular), b.Join(t, "dean", user.Admin)
	bob, cat := b.Join(t, "bob", user.Regular), b.Join(t, "cat", user.Regular)
	b.ratedBy(t, ann, cat, dean, true)
	for _, fine := range []bool{true, true, false} {
		b.ratedBy(t, ann, bob, dean, fine)
	}
	for newest, want := range map[int]rating.Count{1: {People: 1}, 3: {People: 1}, 4: {AsDescribed: 1, People: 2}} {
		c, err := b.Ports.CountRatings(t.Context(), ann.ID, newest)
		if must.Do(t, err); c != want {
			t.Errorf("the count of the newest %d is %+v, want %+v", newest, c, want)
		}
	}
}

func trustReported(t *testing.T, b *MarketFixture) {
	ann, dean := b.Join(t, "ann", user.Regular), b.Join(t, "dean", user.Admin)
	var last user.Caller
	for _, name := range []string{"bob", "cat", "eve"} {
		last = b.Join(t, name, user.Regular)
		b.ratedBy(t, ann, last, dean, true)
	}
	must.Get(b.Moderation.Resolve(t.Context(), dean, b.report(t, last, person(ann)), report.Dismiss, ""))(t)
	if c := b.countOf(t, ann); c.People != 3 {
		t.Errorf("after a dismissed report the count is %+v", c)
	}
	must.Get(b.Moderation.Resolve(t.Context(), dean, b.report(t, last, person(ann)), report.Warn, "Be kind."))(t)
	if c := b.countOf(t, ann); c != (rating.Count{}) {
		t.Errorf("after an upheld report the count is %+v", c)
	}
	b.Clock.Advance(report.TrustGap)
	if c := b.countOf(t, ann); c.People != 3 {
		t.Errorf("a year later the count is %+v", c)
	}
}

func trustErased(t *testing.T, b *MarketFixture) {
	ann, bob, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "dean", user.Admin)
	o := b.delivered(t, ann, bob, dean)
	must.Do(t, b.Trust.Rate(t.Context(), bob, o.ID, true, "Thanks."))
	must.Do(t, b.Trust.Rate(t.Context(), ann, o.ID, true, "Thanks, too."))
	if e := b.export(t, bob, 10); len(e.Ratings) != 1 || e.Ratings[0].Text != "Thanks." || e.Ratings[0].OrderID != o.ID.String() {
		t.Errorf("the export has %+v", e.Ratings)
	}
	b.DeleteUser(t, bob)
	got, err := b.Trust.OfOrder(t.Context(), ann, o)
	if err != nil || got.Seller != nil || got.Buyer == nil || got.Buyer.Text != "" || !got.Buyer.AsDescribed {
		t.Errorf("the ratings are %+v, %v", got, err)
	}
}

func trustRecord(t *testing.T, b *MarketFixture) {
	ann, bob, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "dean", user.Admin)
	b.delivered(t, ann, bob, dean)
	for _, by := range []user.Caller{ann, bob} {
		v := b.Post(t, ann, Draft("Physics", "PHY 121", 1000))
		must.Get(b.Orders.Withdraw(t.Context(), by, b.Buy(t, bob, v.ID).Orders[0].ID, "because"))(t)
	}
	r, err := b.Trust.OfSeller(t.Context(), ann.ID)
	if err != nil || r.Sales.N != 1 || r.Cancelled != (market.Count{N: 1}) || r.MemberSince.IsZero() || r.Ratings.Shown() {
		t.Errorf("the record is %+v, %v", r, err)
	}
	must.Refuse(t, must.Err(b.Trust.OfSeller(t.Context(), 404)), user.ErrNotFound, "nobody")
}
