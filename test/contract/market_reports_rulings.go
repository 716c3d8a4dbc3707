package contract

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

// suspender suspends accounts within the rules of the auth service.
type suspender struct{ b *MarketFixture }

func (s suspender) SuspendAccount(ctx context.Context, by user.Caller, id user.ID, _ string, then func(context.Context, market.Stores) error) error {
	by.CampusOnly = by.CampusOnly && !s.b.reportedAt(ctx, by, id)
	in := s.b.Accounts(s.b.Deps, then)
	var u user.User
	err := in.Atomically(ctx, func(ctx context.Context, st auth.Stores) (err error) {
		if u, err = st.LockUser(ctx, id); err != nil {
			return err
		}
		return by.MustOutrank(u)
	})
	if err != nil || u.Suspended() {
		return err
	}
	return change(ctx, in, s.b.Clock.Now(), user.Withdrawal{User: id, SuspendedBy: by.ID}, func(u *user.User) { u.SuspendedAt = s.b.Clock.Now() })
}

// outrun loses the transaction that suspends an account to another suspension.
type outrun struct{ suspender }

func (s outrun) SuspendAccount(ctx context.Context, by user.Caller, id user.ID, note string, then func(context.Context, market.Stores) error) error {
	err := s.suspender.SuspendAccount(ctx, by, id, note, func(ctx context.Context, st market.Stores) error { return errors.Join(then(ctx, st), errBoom) })
	if !errors.Is(err, errBoom) {
		return err
	}
	return s.suspender.SuspendAccount(ctx, by, id, note, func(context.Context, market.Stores) error { return nil })
}

// reportedAt reports whether an admin looks after a report about a person.
func (b *MarketFixture) reportedAt(ctx context.Context, by user.Caller, id user.ID) bool {
	campuses, err := b.Ports.ListReportCampuses(ctx, report.Target{Kind: report.Person, ID: int64(id)})
	return err == nil && slices.ContainsFunc(campuses, by.Oversees)
}

func reportsTogether(t *testing.T, b *MarketFixture) {
	ann, bob, eve, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "eve", user.Regular), b.Join(t, "dean", user.Admin)
	v, other := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000)), b.Post(t, ann, Draft("Physics", "PHY 121", 1000))
	first, second, third := b.report(t, bob, about(v)), b.report(t, eve, about(v)), b.report(t, bob, about(other))
	done := must.Get(b.Moderation.Resolve(t.Context(), dean, second, report.Dismiss, " Fine. "))(t)
	if done.Action != report.Dismiss || done.Note != "Fine." || done.ResolvedBy != dean.ID || done.ResolverName != "dean" || done.Open() {
		t.Errorf("the decision is %+v", done)
	}
	refused(t, must.Err(b.Moderation.Resolve(t.Context(), dean, first, report.Dismiss, "")), report.ErrResolved)
	if found, _, err := b.Moderation.Get(t.Context(), dean, third); err != nil || !found.Open() {
		t.Errorf("the report about another book is %+v, %v", found, err)
	}
	for name, who := range map[user.Email]user.Caller{"bob@rochester.edu": bob, "eve@rochester.edu": eve} {
		if n := count(b.NotificationsOf(t, who), notification.ReportResolved); n != 1 || !slices.Contains(b.MailsTo(t, name), message.ReportResolved) {
			t.Errorf("%s was notified %d times and mailed %v", name, n, b.MailsTo(t, name))
		}
	}
	audited := func(a audit.Entry) bool {
		return a.Action == "report.resolved" && a.Actor == dean.ID && a.Target == first.String()
	}
	if all := b.Audits(t); !slices.ContainsFunc(all, audited) {
		t.Errorf("audited %+v", all)
	}
}

func reportRace(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	admins := []user.Caller{b.Join(t, "dean", user.Admin), b.Join(t, "dora", user.Admin)}
	for _, actions := range [][2]report.Action{{report.Dismiss, report.Unlist}, {report.Suspend, report.Dismiss}} {
		id := b.report(t, bob, about(b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))))
		var errs [2]error
		var wait sync.WaitGroup
		for i, by := range admins {
			wait.Go(func() { _, errs[i] = b.Moderation.Resolve(t.Context(), by, id, actions[i], "because") })
		}
		wait.Wait()
		if (errs[0] == nil) == (errs[1] == nil) || !errors.Is(errors.Join(errs[0], errs[1]), report.ErrResolved) {
			t.Errorf("%v: %v and %v", actions, errs[0], errs[1])
		}
		if n := count(b.NotificationsOf(t, bob), notification.ReportResolved); n == 0 {
			t.Error("the reporter was not notified")
		}
	}
	all := must.Get(b.Ports.ListReports(t.Context(), guarding.ReportSelection{About: ann.ID}, market.Position{}, 1))(t)
	must.Do(t, b.Accounts(b.Deps).Atomically(t.Context(), func(ctx context.Context, st auth.Stores) error {
		u, err := st.LockUser(ctx, ann.ID)
		if u.Suspended() != (all[0].Action == report.Suspend) {
			t.Errorf("suspended %v, but the decision is %v", u.Suspended(), all[0].Action)
		}
		return err
	}))
}

func reportUnlist(t *testing.T, b *MarketFixture) {
	ann, bob, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "dean", user.Admin)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	refused(t, must.Err(b.Moderation.Resolve(t.Context(), dean, b.report(t, bob, person(ann)), report.Unlist, "Not allowed.")), report.ErrAction)
	must.Get(b.Moderation.Resolve(t.Context(), dean, b.report(t, bob, about(v)), report.Unlist, "Not allowed."))(t)
	refused(t, must.Err(b.Listings.Relist(t.Context(), ann, v.ID)), book.ErrHeld)
	mails := b.Mails(t)
	if !slices.ContainsFunc(mails, func(m message.Message) bool {
		return m.Kind == message.BookUnlisted && m.Params[message.ParamReason] == "Not allowed."
	}) {
		t.Errorf("mailed %+v", mails)
	}

	own := b.Post(t, ann, Draft("Physics", "PHY 121", 1000))
	id := b.report(t, bob, about(own))
	must.Get(b.Listings.Unlist(t.Context(), ann, own.ID))(t)
	must.Get(b.Moderation.Resolve(t.Context(), dean, id, report.Unlist, "Not allowed."))(t)
	refused(t, must.Err(b.Listings.Relist(t.Context(), ann, own.ID)), book.ErrHeld)
	must.Do(t, b.BookAdmin.Relist(t.Context(), dean, own.ID))

	sold := b.Post(t, ann, Draft("Biology", "BIO 110", 1000))
	id = b.report(t, bob, about(sold))
	b.Buy(t, bob, sold.ID)
	refused(t, must.Err(b.Moderation.Resolve(t.Context(), dean, id, report.Unlist, "Not allowed.")), book.ErrTransition)
	if found, _, err := b.Moderation.Get(t.Context(), dean, id); err != nil || !found.Open() {
		t.Errorf("a decision that failed is stored: %+v, %v", found, err)
	}
}

func reportWarn(t *testing.T, b *MarketFixture) {
	ann, bob, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "dean", user.Admin)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	must.Get(b.Moderation.Resolve(t.Context(), dean, b.report(t, bob, about(v)), report.Warn, "Describe books as they are."))(t)
	if !slices.Contains(b.MailsTo(t, "ann@rochester.edu"), message.Warning) || len(b.search(t, "calculus")) != 1 {
		t.Errorf("mailed %v, for sale %v", b.MailsTo(t, "ann@rochester.edu"), b.search(t, "calculus"))
	}
}

func reportOutrun(t *testing.T, b *MarketFixture) {
	ann, bob, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "dean", user.Admin)
	id := b.report(t, bob, about(b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))))
	slow := b.Over(b.Deps, func(c *rooms.Config) { c.Suspend = outrun{suspender{b}}.SuspendAccount })
	r, err := slow.Moderation.Resolve(t.Context(), dean, id, report.Suspend, "Fraud.")
	if must.Do(t, err); r.Open() {
		t.Error("the account is suspended, and the report is open")
	}
}

func reportSuspend(t *testing.T, b *MarketFixture) {
	ann, bob, eve, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "eve", user.Regular), b.Join(t, "dean", user.Admin)
	sold, listed := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000)), b.Post(t, ann, Draft("Calculus II", "MTH 162", 1000))
	b.Buy(t, bob, sold.ID)
	done := must.Get(b.Moderation.Resolve(t.Context(), dean, b.report(t, eve, about(listed)), report.Suspend, "Fraud."))(t)
	if done.Action != report.Suspend || len(b.search(t, "calculus")) != 0 {
		t.Errorf("the decision is %+v, for sale are %v", done, b.search(t, "calculus"))
	}
	for _, id := range []book.ID{sold.ID, listed.ID} {
		if h, err := b.BookAdmin.History(t.Context(), dean, id); err != nil || h.Status != book.Unlisted {
			t.Errorf("the book is in status %v, %v", h.Status, err)
		}
	}
	if n := count(b.NotificationsOf(t, eve), notification.ReportResolved); n != 1 {
		t.Errorf("the reporter was notified %d times", n)
	}
	again := b.report(t, bob, person(ann)) // from their order
	done, err := b.Moderation.Resolve(t.Context(), dean, again, report.Suspend, "Fraud.")
	if err != nil || done.Open() {
		t.Errorf("somebody who is suspended already: %+v, %v", done, err)
	}
	b.CheckLedger(t)
}
