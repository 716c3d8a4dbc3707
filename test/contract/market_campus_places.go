package contract

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/course"
	"github.com/octavo-books/octavo/domain/desk"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func campusDesks(t *testing.T, b *MarketFixture) {
	c := b.twoCampuses(t)
	must.Do(t, b.Desks.Save(t.Context(), c.dean, aDesk("YALE University", "Hall 1")))
	must.Do(t, b.Desks.Save(t.Context(), c.owner, aDesk("École Nationale", "Hall 2")))
	refused(t, b.Desks.Save(t.Context(), c.dean, aDesk("ecole nationale", "Hall 3")), user.ErrOtherCampus)
	refused(t, b.Desks.Save(t.Context(), c.none, aDesk("ecole nationale", "Hall 3")), user.ErrNoCampus)
	refused(t, b.Desks.Remove(t.Context(), c.dean, "École Nationale"), user.ErrOtherCampus)
	refused(t, b.Desks.Remove(t.Context(), c.unknown, "Yale University"), user.ErrOtherCampus)
	for by, want := range map[user.Caller]string{c.dean: "Hall 1", c.dora: "Hall 2"} {
		if all, err := b.Desks.List(t.Context(), by); err != nil || len(all) != 1 || all[0].Place != want {
			t.Errorf("the desks of %s are %+v, %v", by.University, all, err)
		}
	}
	if all, err := b.Desks.List(t.Context(), c.unknown); err != nil || len(all) != 0 {
		t.Errorf("the desks elsewhere are %+v, %v", all, err)
	}
	if all, err := b.Desks.List(t.Context(), c.owner); err != nil || len(all) != 2 {
		t.Errorf("all desks are %+v, %v", all, err)
	}
	must.Do(t, b.Desks.Remove(t.Context(), c.dora, "ecole  nationale"))
	refused(t, b.Desks.Remove(t.Context(), c.dora, "ecole  nationale"), desk.ErrNotFound)
}

// placesOf lists the places that an admin sees, two a page.
func (b *MarketFixture) placesOf(t *testing.T, by user.Caller) (names []string) {
	t.Helper()
	for _, page := range walk(t, 2, func(p market.Page) ([]meeting.Place, market.Cursor, error) {
		return b.Meetings.ListPlaces(t.Context(), by, p)
	}) {
		for _, p := range page {
			names = append(names, p.Name)
		}
	}
	return names
}

func campusPlaces(t *testing.T, b *MarketFixture) {
	c := b.twoCampuses(t)
	at := func(university, name string) meeting.Place {
		return meeting.Place{University: university, Spot: meeting.Spot{Name: name, Hours: "8–20"}}
	}
	var mine, theirs meeting.Place
	var err error
	for _, name := range []string{"A", "B", "C"} {
		mine = must.Get(b.Meetings.SavePlace(t.Context(), c.dean, at("Yale University", name)))(t)
		theirs = must.Get(b.Meetings.SavePlace(t.Context(), c.dora, at("ÉCOLE nationale", name+" là")))(t)
		b.Clock.Advance(time.Minute)
	}
	if dean, dora, all := b.placesOf(t, c.dean), b.placesOf(t, c.dora), b.placesOf(t, c.owner); len(dean) != 3 || dean[0] != "C" || len(dora) != 3 || dora[0] != "C là" || len(all) != 6 {
		t.Errorf("the places are %v, %v and %v", dean, dora, all)
	}
	if all := b.placesOf(t, c.unknown); len(all) != 0 {
		t.Errorf("the places elsewhere are %v", all)
	}
	refused(t, must.Err(b.Meetings.SavePlace(t.Context(), c.dean, at("École Nationale", "Gate"))), user.ErrOtherCampus)
	moved, taken, replaced := mine, theirs, theirs
	moved.University, taken.University, replaced.Name = "École Nationale", "Yale University", "Gate"
	for _, p := range []meeting.Place{moved, taken, replaced} {
		refused(t, must.Err(b.Meetings.SavePlace(t.Context(), c.dean, p)), user.ErrOtherCampus)
	}
	found, err := b.Meetings.FindPlace(t.Context(), c.dean, theirs.ID)
	refused(t, err, user.ErrOtherCampus)
	if found != (meeting.Place{}) {
		t.Errorf("an error, and %+v", found)
	}
	refused(t, b.Meetings.RemovePlace(t.Context(), c.dean, theirs.ID), user.ErrOtherCampus)
	if found, err := b.Meetings.FindPlace(t.Context(), c.dora, theirs.ID); err != nil || found != theirs {
		t.Errorf("the place is %+v, %v", found, err)
	}
	must.Get(b.Meetings.SavePlace(t.Context(), c.owner, moved))(t)
	refused(t, b.Meetings.RemovePlace(t.Context(), c.dean, moved.ID), user.ErrOtherCampus)
	must.Do(t, b.Meetings.RemovePlace(t.Context(), c.dora, moved.ID))
}

func campusCourseLists(t *testing.T, b *MarketFixture) {
	c := b.twoCampuses(t)
	file := []byte("course,title,name\nCSC 172,Data,Algorithms\n")
	yale, ecole := course.List{University: "YALE University", Term: "2026-fall"}, course.List{University: "École Nationale", Term: "2026-fall"}
	for _, x := range []struct {
		by user.Caller
		of course.List
	}{{c.dean, yale}, {c.dora, ecole}} {
		must.Get(b.CourseLists.Import(t.Context(), x.by, x.of, file, false))(t)
	}
	for _, dry := range []bool{true, false} {
		out, err := b.CourseLists.Import(t.Context(), c.dean, ecole, file, dry)
		refused(t, err, user.ErrOtherCampus)
		if out.Accepted != 0 {
			t.Errorf("an error, and %+v", out)
		}
	}
	refused(t, b.CourseLists.Remove(t.Context(), c.dean, ecole), user.ErrOtherCampus)
	for by, want := range map[user.Caller]int{c.dean: 1, c.dora: 1, c.unknown: 0, c.owner: 2} {
		all, _, err := b.CourseLists.List(t.Context(), by, market.Page{})
		if err != nil || len(all) != want || want == 1 && !user.SameUniversity(all[0].University, by.University) {
			t.Errorf("the lists of %s are %+v, %v", by.University, all, err)
		}
	}
	must.Do(t, b.CourseLists.Remove(t.Context(), c.dora, ecole))
	refused(t, b.CourseLists.Remove(t.Context(), c.owner, ecole), course.ErrNoList)
}

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

func marketDesks(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"a university has one desk":                                         oneDesk,
		"an order leads to the desk of the seller's and the buyer's campus": desksOfAnOrder,
		"the number of desks is bounded":                                    tooManyDesks,
	})
}

func aDesk(university, place string) desk.Desk {
	return desk.Desk{University: university, Place: place, Hours: "Mon–Fri 10:00–16:00", Notes: "Ring\nthe bell."}
}

func oneDesk(t *testing.T, b *MarketFixture) {
	dean := b.Join(t, "dean", user.Admin)
	for _, d := range []desk.Desk{aDesk("Yale", "Hall 1"), aDesk("Cornell University", "Hall 2"), aDesk("cornell  university", "Hall 3")} {
		must.Do(t, b.Desks.Save(t.Context(), dean, d))
	}
	refused(t, b.Desks.Save(t.Context(), dean, desk.Desk{University: "Yale"}), desk.ErrInvalid)
	all := must.Get(b.Desks.List(t.Context(), dean))(t)
	want := aDesk("cornell  university", "Hall 3")
	want.UpdatedAt = b.Clock.Now()
	if len(all) != 2 || all[0] != want || all[1].Place != "Hall 1" {
		t.Errorf("the desks are %+v", all)
	}
	must.Do(t, b.Desks.Remove(t.Context(), dean, "Cornell university"))
	refused(t, b.Desks.Remove(t.Context(), dean, "Cornell university"), desk.ErrNotFound)
	actions := ""
	for _, e := range b.Audits(t) {
		actions += e.Action + " "
	}
	if actions != "desk.saved desk.saved desk.saved desk.removed " {
		t.Errorf("the audit log has %s, want desk.saved desk.saved desk.saved desk.removed ", actions)
	}
}

func desksOfAnOrder(t *testing.T, b *MarketFixture) {
	ann, bob, dean := b.JoinAt(t, "ann", "Cornell", user.Regular), b.JoinAt(t, "bob", "Yale", user.Regular), b.Join(t, "dean", user.Admin)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	b.Buy(t, bob, v.ID)
	o := b.orderOf(t, bob)
	none := must.Get(b.Desks.OfOrder(t.Context(), o))(t)
	if none != (buying.OrderDesks{}) {
		t.Errorf("without desks the order has %+v", none)
	}
	for _, d := range []desk.Desk{aDesk("CORNELL", "Hall 1"), aDesk("yale", "Hall 2"), aDesk("MIT", "Hall 3")} {
		must.Do(t, b.Desks.Save(t.Context(), dean, d))
	}
	found := must.Get(b.Desks.OfOrder(t.Context(), o))(t)
	if found.HandIn == nil || found.HandIn.Place != "Hall 1" || found.PickUp == nil || found.PickUp.Place != "Hall 2" {
		t.Errorf("the order has %+v", found)
	}
}

func tooManyDesks(t *testing.T, b *MarketFixture) {
	err := b.atomically(t, func(ctx context.Context, s Stores) error {
		for i := range 3 {
			must.Do(t, s.Buying.SaveDesk(ctx, aDesk(fmt.Sprint("University ", i), "Hall"), 3))
		}
		must.Do(t, s.Buying.SaveDesk(ctx, aDesk("University 1", "Room"), 3))
		return s.Buying.SaveDesk(ctx, aDesk("University 3", "Hall"), 3)
	})
	refused(t, err, desk.ErrTooMany)
}
