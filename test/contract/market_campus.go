package contract

import (
	"slices"
	"testing"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/application/market/talking"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

// marketCampus checks ADMIN_SCOPE=campus: admins of one university see and change only what
// belongs to it.
func marketCampus(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"the reports are those about people of the university":      campusReports,
		"a report stays where it was made":                          campusReportsStay,
		"the admins of a report reach the book, wherever it is":     campusReportsReach,
		"a report of another university is neither read nor solved": campusReportsRefused,
		"each side of a conversation is for its own university":     campusConversation,
		"a book that is listed elsewhere is not unlisted":           campusReportedBook,
		"a book that is not for sale is shown to its university":    campusHiddenBook,
		"the order of a book is shown to its university":            campusSoldBook,
		"the desks are those of the university":                     campusDesks,
		"the places are those of the university":                    campusPlaces,
		"the course lists are those of the university":              campusCourseLists,
		"the reports about who has no profile are for owners":       campusNoProfile,
		"an admin reports strangers of the own university only":     campusStrangers,
	})
}

// campusAdmin is an admin of one university, where ADMIN_SCOPE is campus.
func (b *MarketFixture) campusAdmin(t testing.TB, name, university string) user.Caller {
	t.Helper()
	by := b.JoinAt(t, name, university, user.Admin)
	by.CampusOnly, by.University = true, university
	return by
}

// campuses are people of two universities, with names that are spelled in several ways.
type campuses struct {
	ann, bob      user.Caller // of Yale, and of the École
	dean, dora    user.Caller // the admins of Yale, and of the École
	owner         user.Caller // of Yale
	anns, bobs    market.BookView
	onAnn, onBob  report.ID // by each other, about their books
	unknown, none user.Caller
}

func (b *MarketFixture) twoCampuses(t *testing.T) campuses {
	t.Helper()
	c := campuses{
		ann: b.JoinAt(t, "ann", "Yale University", user.Regular), bob: b.JoinAt(t, "bob", "École Nationale", user.Regular),
		dean: b.campusAdmin(t, "dean", "yale  university"), dora: b.campusAdmin(t, "dora", "ecole nationale"),
		owner: b.JoinAt(t, "owner", "Yale University", user.Owner), unknown: b.campusAdmin(t, "unknown", "Elsewhere"),
		none: b.campusAdmin(t, "none", " . "),
	}
	c.owner.CampusOnly, c.owner.University = true, "Yale University"
	c.anns, c.bobs = b.Post(t, c.ann, Draft("Calculus", "MTH 161", 1000)), b.Post(t, c.bob, Draft("Physics", "PHY 121", 1000))
	c.onAnn, c.onBob = b.report(t, c.bob, about(c.anns)), b.report(t, c.ann, about(c.bobs))
	return c
}

// moveTo changes the university of somebody's profile; "" removes the profile.
func (b *MarketFixture) moveTo(t *testing.T, who user.Caller, university string) {
	t.Helper()
	must.Do(t, change(t.Context(), b.Accounts(b.Deps), b.Clock.Now(), user.Withdrawal{User: who.ID}, func(u *user.User) {
		p := *u.Profile
		p.University = university
		if u.Profile = &p; university == "" {
			u.Profile = nil
		}
	}))
}

// reportsOf lists the reports that an admin sees, two a page.
func (b *MarketFixture) reportsOf(t *testing.T, by user.Caller, open bool) (all []report.ID) {
	t.Helper()
	list := b.Moderation.ListResolved
	if open {
		list = b.Moderation.ListOpen
	}
	for _, page := range walk(t, 2, func(p market.Page) ([]guarding.ReportView, market.Cursor, error) { return list(t.Context(), by, p) }) {
		for _, r := range page {
			all = append(all, r.ID)
		}
	}
	return all
}

func campusReports(t *testing.T, b *MarketFixture) {
	c := b.twoCampuses(t)
	again := b.report(t, c.bob, person(c.ann))
	for i := range 3 { // more than a page of the other university in between
		b.report(t, c.ann, about(b.Post(t, c.bob, Draft("Physics "+string(rune('A'+i)), "PHY 122", 1000))))
	}
	last := b.report(t, c.bob, about(b.Post(t, c.ann, Draft("Calculus II", "MTH 162", 1000))))
	for name, x := range map[string]struct {
		by   user.Caller
		want int
	}{"yale": {c.dean, 3}, "the école": {c.dora, 4}, "an owner": {c.owner, 7}, "elsewhere": {c.unknown, 0}} {
		n := must.Get(b.Moderation.CountOpen(t.Context(), x.by))(t)
		if all := b.reportsOf(t, x.by, true); n != x.want || len(all) != x.want {
			t.Errorf("%s has %d open reports %v, want %d", name, n, all, x.want)
		}
	}
	if all := b.reportsOf(t, c.dean, true); !slices.Equal(all, []report.ID{c.onAnn, again, last}) {
		t.Errorf("open are %v", all)
	}
	for _, id := range b.reportsOf(t, c.owner, true) {
		must.Get(b.Moderation.Resolve(t.Context(), c.owner, id, report.Dismiss, ""))(t)
	}
	if all := b.reportsOf(t, c.dean, false); !slices.Equal(all, []report.ID{last, again, c.onAnn}) {
		t.Errorf("done are %v", all)
	}
	if dora, all := b.reportsOf(t, c.dora, false), b.reportsOf(t, c.owner, false); len(dora) != 4 || len(all) != 7 {
		t.Errorf("done are %v of %v", dora, all)
	}
}

func campusReportsRefused(t *testing.T, b *MarketFixture) {
	c := b.twoCampuses(t)
	for _, x := range []struct {
		by  user.Caller
		why error
	}{{c.dean, user.ErrOtherCampus}, {c.unknown, user.ErrOtherCampus}, {c.none, user.ErrNoCampus}} {
		found, open, err := b.Moderation.Get(t.Context(), x.by, c.onBob)
		refused(t, err, x.why)
		about, err := b.Moderation.ListAbout(t.Context(), x.by, c.bob.ID)
		refused(t, err, x.why)
		if found.ID != 0 || len(open)+len(about) != 0 {
			t.Errorf("an error, and %+v, %v, %v", found, open, about)
		}
		for _, a := range report.Actions() {
			refused(t, must.Err(b.Moderation.Resolve(t.Context(), x.by, c.onBob, a, "because")), x.why)
		}
	}
	refused(t, must.Err(b.Moderation.ListAbout(t.Context(), c.dean, 404)), user.ErrOtherCampus)
	refused(t, must.Err(b.Moderation.Get(t.Context(), c.dean, 404)), report.ErrNotFound)
	if found, _, err := b.Moderation.Get(t.Context(), c.dora, c.onBob); err != nil || !found.Open() || found.University != "École Nationale" {
		t.Errorf("the report is %+v, %v", found, err)
	}
	if all, err := b.Moderation.ListAbout(t.Context(), c.dora, c.bob.ID); err != nil || len(all) != 1 {
		t.Errorf("about bob: %v, %v", all, err)
	}
	done, err := b.Moderation.Resolve(t.Context(), c.dora, c.onBob, report.Suspend, "Fraud.")
	if err != nil || done.Action != report.Suspend {
		t.Errorf("the decision is %+v, %v", done, err)
	}
	done, err = b.Moderation.Resolve(t.Context(), c.dean, c.onAnn, report.Unlist, "Not allowed.")
	if err != nil || done.Action != report.Unlist || len(b.search(t, "calculus")) != 0 {
		t.Errorf("the decision is %+v, %v", done, err)
	}
}

func campusConversation(t *testing.T, b *MarketFixture) {
	c := b.twoCampuses(t)
	first := b.Say(t, c.bob, talking.Addressee{Book: c.anns.ID}, "Pay me outside, or else.")
	on := []report.Target{{Kind: report.Conversation, ID: int64(first.Conversation)}}
	onBob, onAnn := b.report(t, c.ann, on), b.report(t, c.bob, on)
	for _, x := range []struct {
		by         user.Caller
		own, other report.ID
	}{{c.dean, onAnn, onBob}, {c.dora, onBob, onAnn}} {
		found, open, err := b.Moderation.Get(t.Context(), x.by, x.own)
		if err != nil || len(found.Seen.Messages) != 1 || len(open) != 1 || open[0].ID != x.own {
			t.Errorf("the report is %+v beside %v, %v", found, open, err)
		}
		found, _, err = b.Moderation.Get(t.Context(), x.by, x.other)
		refused(t, err, user.ErrOtherCampus)
		if len(found.Seen.Messages) != 0 {
			t.Errorf("an error, and %+v", found.Seen)
		}
		_, err = b.Reports.Add(t.Context(), x.by, guarding.ReportDraft{Targets: on, Reason: report.Abuse})
		if err == nil {
			t.Error("an admin reported a conversation of others")
		}
	}
	must.Get(b.Moderation.Resolve(t.Context(), c.dean, onAnn, report.Warn, "Be kind."))(t)
	found, open, err := b.Moderation.Get(t.Context(), c.owner, onBob)
	if err != nil || !found.Open() || len(open) != 1 {
		t.Errorf("yale has decided about the other side: %+v, %v, %v", found, open, err)
	}
	must.Get(b.Moderation.Resolve(t.Context(), c.dora, onBob, report.Dismiss, ""))(t)
}

func campusReportedBook(t *testing.T, b *MarketFixture) {
	c := b.twoCampuses(t)
	b.moveTo(t, c.ann, "École Nationale") // the book stays at Yale
	refused(t, must.Err(b.Moderation.Get(t.Context(), c.dora, c.onAnn)), user.ErrOtherCampus)
	refused(t, must.Err(b.Moderation.Resolve(t.Context(), c.dora, c.onAnn, report.Dismiss, "")), user.ErrOtherCampus)
	again := b.report(t, c.bob, []report.Target{{Kind: report.Person, ID: int64(c.ann.ID)}})
	if found, _, err := b.Moderation.Get(t.Context(), c.dora, again); err != nil || found.University != "École Nationale" {
		t.Errorf("the report about the person is %+v, %v", found, err)
	}
	must.Get(b.Moderation.Resolve(t.Context(), c.dean, c.onAnn, report.Unlist, "Not allowed."))(t)
	if len(b.search(t, "calculus")) != 0 {
		t.Error("the book is for sale")
	}
}

// campusMoved reports somebody of Yale and a book of theirs, and moves both to the École.
func (b *MarketFixture) campusMoved(t *testing.T) (c campuses, onBook, onPerson report.ID) {
	t.Helper()
	c = b.twoCampuses(t)
	onPerson = b.report(t, c.bob, person(c.ann))
	b.moveTo(t, c.ann, "École Nationale")
	must.Get(b.Listings.Update(t.Context(), c.ann, c.anns.ID, book.Patch{Comments: new("Moved.")}))(t)
	if v, err := b.Catalogue.Get(t.Context(), c.ann, c.anns.ID); err != nil || v.University != "École Nationale" {
		t.Fatalf("the book is at %s, %v", v.University, err)
	}
	return c, c.onAnn, onPerson
}

func campusReportsStay(t *testing.T, b *MarketFixture) {
	c, onBook, onPerson := b.campusMoved(t)
	if all := b.reportsOf(t, c.dean, true); !slices.Equal(all, []report.ID{onBook, onPerson}) {
		t.Errorf("yale sees %v", all)
	}
	if n, err := b.Moderation.CountOpen(t.Context(), c.dean); n != 2 || err != nil {
		t.Errorf("yale counts %d, %v", n, err)
	}
	if all := b.reportsOf(t, c.dora, true); !slices.Equal(all, []report.ID{c.onBob}) {
		t.Errorf("the école sees %v", all)
	}
	for _, id := range []report.ID{onBook, onPerson} {
		must.Get2(b.Moderation.Get(t.Context(), c.dean, id))(t)
		refused(t, must.Err(b.Moderation.Get(t.Context(), c.dora, id)), user.ErrOtherCampus)
	}
	if all, err := b.Moderation.ListAbout(t.Context(), c.dean, c.ann.ID); err != nil || len(all) != 2 {
		t.Errorf("about her, yale sees %d, %v", len(all), err)
	}
	if all, err := b.Moderation.ListAbout(t.Context(), c.dora, c.ann.ID); err != nil || len(all) != 0 {
		t.Errorf("about her, the école sees %d, %v", len(all), err)
	}
	must.Get(b.Moderation.Resolve(t.Context(), c.dean, onBook, report.Dismiss, ""))(t)
	done, err := b.Moderation.Resolve(t.Context(), c.dean, onPerson, report.Suspend, "Fraud.")
	if err != nil || done.Action != report.Suspend || len(b.search(t, "calculus")) != 0 {
		t.Errorf("the decision is %+v, %v", done, err)
	}
	if all := b.reportsOf(t, c.dean, false); len(all) != 2 {
		t.Errorf("yale has decided about %v", all)
	}
}

func campusReportsReach(t *testing.T, b *MarketFixture) {
	c, onBook, _ := b.campusMoved(t)
	p := b.addPhoto(t, c.ann, c.anns.ID)
	refused(t, must.Err(b.BookAdmin.History(t.Context(), c.unknown, c.anns.ID)), user.ErrOtherCampus)
	for range 2 { // open, then decided about
		for _, by := range []user.Caller{c.dean, c.dora} {
			must.Get(b.BookAdmin.History(t.Context(), by, c.anns.ID))(t)
			done := must.Get(b.BookAdmin.Unlist(t.Context(), by, []book.ID{c.anns.ID}, "Not allowed."))(t)
			must.Do(t, done[0].Err)
			must.Get2(b.Photos.Find(t.Context(), by, p.ID))(t)
			must.Do(t, b.BookAdmin.Relist(t.Context(), by, c.anns.ID))
		}
		_, err := b.Moderation.Resolve(t.Context(), c.dean, onBook, report.Dismiss, "")
		if err != nil {
			refused(t, err, report.ErrResolved)
		}
	}
	b.Buy(t, c.bob, c.anns.ID)
	for _, do := range b.acts(c.anns.ID) { // the sale is the école's
		refused(t, do(t.Context(), c.dean), user.ErrOtherCampus)
	}
}

func campusStrangers(t *testing.T, b *MarketFixture) {
	c := b.twoCampuses(t)
	near, far := b.JoinAt(t, "near", "Yale University", user.Regular), b.JoinAt(t, "far", "École Nationale", user.Regular)
	b.report(t, c.dean, person(near))
	refused(t, must.Err(b.Reports.Add(t.Context(), c.dean, guarding.ReportDraft{Targets: person(far), Reason: report.Abuse})), user.ErrNotFound)
	b.report(t, c.dean, person(c.bob)) // who sells a book
	b.report(t, c.owner, person(far))
}

func campusNoProfile(t *testing.T, b *MarketFixture) {
	c := b.twoCampuses(t)
	b.moveTo(t, c.ann, "")
	onAnn := b.report(t, c.owner, person(c.ann))
	for _, by := range []user.Caller{c.dean, c.dora, c.unknown} {
		refused(t, must.Err(b.Moderation.Get(t.Context(), by, onAnn)), user.ErrOtherCampus)
		refused(t, must.Err(b.Moderation.Resolve(t.Context(), by, onAnn, report.Dismiss, "")), user.ErrOtherCampus)
		if all := b.reportsOf(t, by, true); slices.Contains(all, onAnn) {
			t.Errorf("%v sees %v", by.University, all)
		}
	}
	must.Get(b.Moderation.Resolve(t.Context(), b.Join(t, "second", user.Owner), onAnn, report.Dismiss, ""))(t)
}
