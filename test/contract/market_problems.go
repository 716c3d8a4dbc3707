package contract

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/application/market/talking"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/fake"
	"github.com/octavo-books/octavo/test/must"
)

// problem reports a problem with an order.
func (b *MarketFixture) problem(t testing.TB, by user.Caller, of order.ID) report.ID {
	t.Helper()
	return b.report(t, by, []report.Target{{Kind: report.Order, ID: int64(of)}})
}

func problemShown(t *testing.T, b *MarketFixture) {
	ann, bob, eve, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "eve", user.Regular), b.Join(t, "dean", user.Admin)
	far := b.JoinAt(t, "far", "Another University", user.Admin)
	far.CampusOnly, far.University = true, "Another University"
	o := b.sell(t, ann, bob, "Topology")
	b.Say(t, bob, talking.Addressee{Book: o.Book}, "Half of the pages are missing.")
	_, err := b.Reports.Add(t.Context(), eve, guarding.ReportDraft{Targets: []report.Target{{Kind: report.Order, ID: int64(o.ID)}}, Reason: report.Wrong})
	if !errors.Is(err, order.ErrNotFound) {
		t.Errorf("a stranger reports an order: %v", err)
	}
	id := b.problem(t, bob, o.ID)
	if n := count(b.NotificationsOf(t, ann), notification.ProblemReported); n != 1 || !slices.Contains(b.MailsTo(t, "ann@rochester.edu"), message.ProblemReported) {
		t.Errorf("the seller is told %d times: %v", n, b.MailsTo(t, "ann@rochester.edu"))
	}
	found, _ := must.Get2(b.Moderation.Get(t.Context(), dean, id))(t)
	if found.Order != o.ID || found.About != ann.ID || found.Seen.Book == nil || found.Seen.Book.Name != "Topology" || len(found.Seen.Messages) != 1 {
		t.Errorf("the case is %+v", found)
	}
	b.problem(t, ann, o.ID) // what she has seen
	for who, want := range map[*user.Caller]int{&ann: 2, &bob: 2, &dean: 2, &eve: 0, &far: 0, {}: 0} {
		if all, err := b.Problems.List(t.Context(), *who, o.ID); err != nil || len(all) != want {
			t.Errorf("%d sees %d of the reports: %v", who.ID, len(all), err)
		}
	}
	if reported := must.Get(b.Problems.ListReported(t.Context(), dean, o.ID, 404))(t); !slices.Equal(reported, []order.ID{o.ID}) {
		t.Errorf("reported are %v", reported)
	}
	must.Get(b.Moderation.Resolve(t.Context(), dean, id, report.Dismiss, ""))(t)
	for name, who := range map[string]user.Caller{"ann": ann, "bob": bob} {
		if n := b.NotificationsOf(t, who); count(n, notification.ReportResolved) != 1 || count(n, notification.ProblemClosed) != 0 {
			t.Errorf("%s is told %v", name, n)
		}
	}
	again := b.problem(t, bob, o.ID)
	must.Get(b.Moderation.Resolve(t.Context(), dean, again, report.Warn, "Please be careful."))(t)
	if n := count(b.NotificationsOf(t, ann), notification.ProblemClosed); n != 1 {
		t.Errorf("the seller is told %d times that it is closed", n)
	}
}

func problemPhotos(t *testing.T, b *MarketFixture) {
	ann, bob, eve, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "eve", user.Regular), b.Join(t, "dean", user.Admin)
	o := b.sell(t, ann, bob, "Topology")
	id := b.problem(t, bob, o.ID)
	add := func(by user.Caller, of report.ID) error {
		return must.Err(b.Problems.AddPhoto(t.Context(), by, of, fake.Picture))
	}
	p := must.Get(b.Problems.AddPhoto(t.Context(), bob, id, fake.Picture))(t)
	for range report.MaxPhotos - 1 {
		must.Do(t, add(bob, id))
	}
	refused(t, add(bob, id), report.ErrPhotos)
	refused(t, add(ann, id), report.ErrNotFound)
	refused(t, add(bob, b.report(t, bob, person(ann))), report.ErrNotFound)
	refused(t, must.Err(b.Problems.AddPhoto(t.Context(), bob, id, []byte("no picture"))), photo.ErrFormat)
	for who, want := range map[*user.Caller]error{&ann: nil, &bob: nil, &dean: nil, &eve: photo.ErrNotFound, {}: photo.ErrNotFound} {
		if _, err := b.Problems.FindPhoto(t.Context(), *who, p.ID); !errors.Is(err, want) {
			t.Errorf("%d: %v, want %v", who.ID, err, want)
		}
	}
	if data := must.Get(b.Problems.ReadPhoto(t.Context(), p, photo.Large))(t); !p.LargeSum.Fits(data) {
		t.Error("another picture is stored")
	}
	all := must.Get(b.Problems.List(t.Context(), ann, o.ID))(t)
	if len(all) != 1 || len(all[0].Photos) != report.MaxPhotos || all[0].Photos[0].ID != p.ID {
		t.Errorf("the seller sees %+v", all)
	}
	reports := b.export(t, bob, 10).Reports
	if i := slices.IndexFunc(reports, func(r guarding.ExportedReport) bool { return r.Kind == "order" }); i < 0 || !slices.Contains(reports[i].Photos, p.Path(photo.Large)) {
		t.Errorf("the export has %+v", reports)
	}
	must.Get(b.Moderation.Resolve(t.Context(), dean, id, report.Dismiss, ""))(t)
	refused(t, add(bob, id), report.ErrResolved)
}

func problemPhotosGone(t *testing.T, b *MarketFixture) {
	ann, bob, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "dean", user.Admin)
	o := b.sell(t, ann, bob, "Topology")
	id, answer := b.problem(t, bob, o.ID), b.problem(t, ann, o.ID)
	of := func(by user.Caller, id report.ID) photo.ID {
		return must.Get(b.Problems.AddPhoto(t.Context(), by, id, fake.Picture))(t).ID
	}
	photos := []photo.ID{of(bob, id), of(ann, answer)}
	failing := b.Over(b.Deps)
	b.Pictures.During(func() error { return photo.ErrDamaged })
	refused(t, must.Err(failing.Problems.AddPhoto(t.Context(), bob, id, fake.Picture)), photo.ErrDamaged)
	b.Pictures.During(nil)
	sweep := func() (n int) {
		for range 2 { // removed, and then deleted
			b.Clock.Advance(time.Hour + time.Minute)
			n += must.Get(b.Problems.SweepPhotos(t.Context()))(t)
		}
		return n
	}
	if n := sweep(); n != 1 || b.Blobs.Len() != 4 {
		t.Errorf("%d photos are swept after a failure, %d pictures stay", n, b.Blobs.Len())
	}
	must.Get(b.Moderation.Resolve(t.Context(), dean, id, report.Dismiss, ""))(t)
	b.DeleteUser(t, ann) // her report, and those about her
	for _, p := range photos {
		refused(t, must.Err(b.Problems.FindPhoto(t.Context(), dean, p)), photo.ErrNotFound)
	}
	if n := sweep(); n != 2 || b.Blobs.Len() != 0 {
		t.Errorf("%d photos are swept, %d pictures stay", n, b.Blobs.Len())
	}
}
