package contract

import (
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/course"
	"github.com/octavo-books/octavo/domain/desk"
	"github.com/octavo-books/octavo/domain/meeting"
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
