package contract

import (
	"testing"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

// campusSees fails the test unless exactly these of the admins see a book and its photo.
func (b *MarketFixture) campusSees(t *testing.T, v market.BookView, p photo.Photo, see, not []user.Caller) {
	t.Helper()
	for _, by := range see {
		must.Get(b.Catalogue.Get(t.Context(), by, v.ID))(t)
		if _, public, err := b.Photos.Find(t.Context(), by, p.ID); public || err != nil {
			t.Errorf("the photo for %v: public is %v, %v", by.University, public, err)
		}
	}
	for _, by := range not {
		found, err := b.Catalogue.Get(t.Context(), by, v.ID)
		refused(t, err, book.ErrNotFound)
		if found.ID != 0 || found.Order != nil {
			t.Errorf("an error, and %+v", found)
		}
		refused(t, must.Err(b.Photos.Find(t.Context(), by, p.ID)), photo.ErrNotFound)
		refused(t, b.Photos.Remove(t.Context(), by, p.ID), photo.ErrNotFound)
		refused(t, must.Err(b.Reports.Add(t.Context(), by, guarding.ReportDraft{Targets: about(v), Reason: report.Spam})), book.ErrNotFound)
	}
}

func campusHiddenBook(t *testing.T, b *MarketFixture) {
	c := b.twoCampuses(t)
	p := b.addPhoto(t, c.bob, c.bobs.ID)
	if _, public, err := b.Photos.Find(t.Context(), c.dean, p.ID); !public || err != nil {
		t.Errorf("the photo of a book for sale: public is %v, %v", public, err)
	}
	must.Get(b.Listings.Unlist(t.Context(), c.bob, c.bobs.ID))(t)
	b.campusSees(t, c.bobs, p, []user.Caller{c.dora, c.owner, c.bob}, []user.Caller{c.dean, c.unknown, c.none})
	b.moveTo(t, c.bob, "Yale University") // the book stays at the École
	b.campusSees(t, c.bobs, p, []user.Caller{c.dora, c.owner}, []user.Caller{c.dean})
}

func campusSoldBook(t *testing.T, b *MarketFixture) {
	c := b.twoCampuses(t)
	p := b.addPhoto(t, c.bob, c.bobs.ID)
	b.Buy(t, c.ann, c.bobs.ID) // somebody of Yale
	b.campusSees(t, c.bobs, p, []user.Caller{c.dora, c.owner, c.ann, c.bob}, []user.Caller{c.dean, c.unknown, c.none})
	if v, err := b.Catalogue.Get(t.Context(), c.dora, c.bobs.ID); err != nil || v.Order == nil || v.Order.BuyerParty.PaymentUsername != "pay-ann" {
		t.Errorf("the book is %+v, %v", v, err)
	}
	for _, by := range []user.Caller{c.dean, c.dora} {
		must.Do(t, b.Carts.Add(t.Context(), by, c.anns.ID))
	}
	b.Buy(t, c.bob, c.anns.ID)
	for by, shown := range map[user.Caller]bool{c.dean: true, c.dora: false} {
		items, _, err := b.Carts.List(t.Context(), by, market.Page{})
		if err != nil || len(items) != 1 || (items[0].Order != nil) != shown {
			t.Errorf("the cart of %s has %+v, %v", by.University, items, err)
		}
	}
}
