package contract

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/application/market/talking"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
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

func marketReports(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"a report shows a book as it was when it was reported":        reportSnapshot,
		"nobody can report what they cannot see":                      reportInvisible,
		"a report needs one target, a reason and a short text":        reportInvalid,
		"a person reports one thing once, and ten things a day":       reportOften,
		"admins see the oldest open report first":                     reportQueue,
		"only admins see and decide":                                  reportsRefused,
		"a decision is about all reports of a target":                 reportsTogether,
		"of two admins one decides":                                   reportRace,
		"an unlisted book can only be relisted by an admin":           reportUnlist,
		"a warning is mailed":                                         reportWarn,
		"a suspension unlists, cancels and resolves at once":          reportSuspend,
		"a suspension that another one outruns resolves nonetheless":  reportOutrun,
		"an admin can neither suspend an owner nor judge themselves":  reportRank,
		"reports of enough traders hide a book until an admin looked": reportThreshold,
		"puppets that trade with each other unlist nothing":           reportPuppets,
		"a seller reads that a reported book waits for an admin":      reportHidden,
		"a deleted account leaves neither words nor reports about it": reportErased,
		"a conversation is read only through a report of its people":  reportConversation,
		"a report names the order of the two":                         reportOrder,
		"an admin is not told who has reported them":                  reportersSecret,
		"old decisions are deleted":                                   reportsSwept,
		"both people of an order read its reports, and nobody else":   problemShown,
		"photos of a problem are seen by its people and admins alone": problemPhotos,
		"photos of a problem go with their report or their owner":     problemPhotosGone,
	})
}

func about(b market.BookView) []report.Target {
	return []report.Target{{Kind: report.Book, ID: int64(b.ID)}}
}

func person(c user.Caller) []report.Target {
	return []report.Target{{Kind: report.Person, ID: int64(c.ID)}}
}

func (b *MarketFixture) report(t testing.TB, by user.Caller, on []report.Target) report.ID {
	t.Helper()
	id := must.Get(b.Reports.Add(t.Context(), by, guarding.ReportDraft{Targets: on, Reason: report.Wrong, Text: "Not what it says."}))(t)
	b.Clock.Advance(time.Minute)
	return id
}

func reportSnapshot(t *testing.T, b *MarketFixture) {
	ann, bob, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "dean", user.Admin)
	draft := Draft("Calculus", "MTH 161", 1000)
	draft.Comments = "Pay me outside."
	v := b.Post(t, ann, draft)
	at := b.Clock.Now().UTC().Truncate(time.Microsecond)
	id := must.Get(b.Reports.Add(t.Context(), bob, guarding.ReportDraft{Targets: about(v), Reason: report.Spam, Text: " Look:\r\nhe\u200b asks for gift cards. "}))(t)
	must.Get(b.Listings.Update(t.Context(), ann, v.ID, book.Patch{Comments: new("A clean copy.")}))(t)
	found, open := must.Get2(b.Moderation.Get(t.Context(), dean, id))(t)
	seen := found.Seen.Book
	if seen == nil || seen.Comments != "Pay me outside." || seen.Name != "Calculus" || seen.Price != "10.00 USD" || found.Seen.Person.FirstName != "ann" {
		t.Errorf("seen was %+v, %+v", seen, found.Seen)
	}
	if found.Text != "Look:\nhe asks for gift cards." || found.Reason != report.Spam || !found.CreatedAt.Equal(at) || !found.Open() || len(open) != 1 {
		t.Errorf("the report is %+v, open are %d", found, len(open))
	}
	if found.ReporterName != "bob" || found.AboutName != "ann" || found.About != ann.ID || found.Reporter != bob.ID || found.Target != about(v)[0] {
		t.Errorf("the report is %+v", found)
	}
	all, err := b.Moderation.ListAbout(t.Context(), dean, ann.ID)
	if err != nil || len(all) != 1 || all[0].ID != id {
		t.Errorf("about the seller: %+v, %v", all, err)
	}
}

func reportInvisible(t *testing.T, b *MarketFixture) {
	ann, bob, dean, sold := b.aSale(t)
	eve := b.Join(t, "eve", user.Regular)
	mine := b.Post(t, eve, Draft("Algebra", "MTH 165", 1000))
	for name, test := range map[string]struct {
		by   user.Caller
		on   []report.Target
		want error
	}{
		"a book that was sold":         {eve, []report.Target{{Kind: report.Book, ID: int64(sold.ID)}}, book.ErrNotFound},
		"a book that does not exist":   {eve, []report.Target{{Kind: report.Book, ID: 404}}, book.ErrNotFound},
		"one's own book":               {eve, about(mine), report.ErrOwn},
		"oneself":                      {eve, person(eve), report.ErrOwn},
		"somebody never met":           {eve, person(bob), user.ErrNotFound},
		"nobody":                       {eve, []report.Target{{Kind: report.Person, ID: 404}}, user.ErrNotFound},
		"somebody else's conversation": {eve, []report.Target{{Kind: report.Conversation, ID: 404}}, conversation.ErrNotFound},
	} {
		_, err := b.Reports.Add(t.Context(), test.by, guarding.ReportDraft{Targets: test.on, Reason: report.Abuse})
		if !errors.Is(err, test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	b.report(t, bob, person(ann))
	b.report(t, ann, person(bob))
	b.report(t, ann, person(eve)) // who sells a book
	b.report(t, bob, []report.Target{{Kind: report.Book, ID: int64(sold.ID)}})
	b.report(t, dean, person(bob))
	refused(t, must.Err(b.Reports.Add(t.Context(), user.Caller{}, guarding.ReportDraft{Targets: about(mine), Reason: report.Spam})), user.ErrUnauthenticated)
}

func reportConversation(t *testing.T, b *MarketFixture) {
	ann, bob, eve, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "eve", user.Regular), b.Join(t, "dean", user.Admin)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	first := b.Say(t, bob, talking.Addressee{Book: v.ID}, "Pay me outside, or else.")
	b.Say(t, ann, talking.Addressee{Conversation: first.Conversation}, "No.")
	on := []report.Target{{Kind: report.Conversation, ID: int64(first.Conversation)}}
	for _, by := range []user.Caller{eve, dean} {
		refused(t, must.Err(b.Reports.Add(t.Context(), by, guarding.ReportDraft{Targets: on, Reason: report.Abuse})), conversation.ErrNotFound)
	}
	id := b.report(t, ann, on)
	b.Say(t, ann, talking.Addressee{Conversation: first.Conversation}, "After the report.")
	found, _ := must.Get2(b.Moderation.Get(t.Context(), dean, id))(t)
	if m := found.Seen.Messages; found.About != bob.ID || len(m) != 2 || m[0].Text != "Pay me outside, or else." || m[0].From != bob.ID || m[0].FirstName != "bob" || m[1].Text != "No." {
		t.Errorf("the report is %+v", found)
	}
	refused(t, must.Err(b.Moderation.Resolve(t.Context(), dean, id, report.Unlist, "because")), report.ErrAction)
	b.DeleteUser(t, ann)
	found, _ = must.Get2(b.Moderation.Get(t.Context(), dean, id))(t)
	if m := found.Seen.Messages; len(m) != 2 || m[0].Text == "" || m[1].Text != "" || m[1].FirstName != "" || found.Text != "" {
		t.Errorf("a deleted reporter's words stay: %+v", found)
	}
	refused(t, must.Err(b.Reports.Add(t.Context(), bob, guarding.ReportDraft{Targets: on, Reason: report.Abuse})), conversation.ErrLeft)
	b.DeleteUser(t, bob)
	refused(t, must.Err(b.Moderation.Get(t.Context(), dean, id)), report.ErrNotFound)
}

func reportInvalid(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	for name, d := range map[string]guarding.ReportDraft{
		"no target":   {Reason: report.Spam},
		"two targets": {Targets: slices.Concat(about(v), person(ann)), Reason: report.Spam},
		"no reason":   {Targets: about(v)},
		"bad reason":  {Targets: about(v), Reason: "because"},
		"long text":   {Targets: about(v), Reason: report.Spam, Text: strings.Repeat("é", report.MaxText+1)},
		"NUL":         {Targets: about(v), Reason: report.Spam, Text: "a\x00b"},
		"not UTF-8":   {Targets: about(v), Reason: report.Spam, Text: "a\xff"},
	} {
		if _, err := b.Reports.Add(t.Context(), bob, d); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	must.Get(b.Reports.Add(t.Context(), bob, guarding.ReportDraft{Targets: about(v), Reason: report.Spam, Text: strings.Repeat("é", report.MaxText)}))(t)
}

func reportOften(t *testing.T, b *MarketFixture) {
	ann, bob, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "dean", user.Admin)
	books := make([]market.BookView, 11)
	for i := range books {
		books[i] = b.Post(t, ann, Draft(fmt.Sprint("Calculus ", i), "MTH 161", 1000))
	}
	first := b.report(t, bob, about(books[0]))
	for range 2 {
		refused(t, must.Err(b.Reports.Add(t.Context(), bob, guarding.ReportDraft{Targets: about(books[0]), Reason: report.Spam})), report.ErrReported)
	}
	for _, v := range books[1:10] {
		b.report(t, bob, about(v))
	}
	_, err := b.Reports.Add(t.Context(), bob, guarding.ReportDraft{Targets: about(books[10]), Reason: report.Spam})
	if !errors.Is(err, limit.ErrQuota) || fault.As(err).RetryAfter <= 0 {
		t.Errorf("the eleventh report: %v", err)
	}
	b.Clock.Advance(24 * time.Hour)
	must.Get(b.Moderation.Resolve(t.Context(), dean, first, report.Dismiss, ""))(t)
	b.report(t, bob, about(books[0])) // again, because it is decided
	b.report(t, bob, about(books[10]))
}

func reportQueue(t *testing.T, b *MarketFixture) {
	ann, bob, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "dean", user.Admin)
	var ids []report.ID
	for i := range 5 {
		ids = append(ids, b.report(t, bob, about(b.Post(t, ann, Draft(fmt.Sprint("Calculus ", i), "MTH 161", 1000)))))
	}
	listed := func(list func(context.Context, user.Caller, market.Page) ([]guarding.ReportView, market.Cursor, error)) (all []report.ID) {
		for _, page := range walk(t, 2, func(p market.Page) ([]guarding.ReportView, market.Cursor, error) { return list(t.Context(), dean, p) }) {
			for _, r := range page {
				all = append(all, r.ID)
			}
		}
		return all
	}
	if got := listed(b.Moderation.ListOpen); !slices.Equal(got, ids) {
		t.Errorf("open are %v, want %v", got, ids)
	}
	for _, i := range []int{3, 0, 4, 1} {
		must.Get(b.Moderation.Resolve(t.Context(), dean, ids[i], report.Dismiss, ""))(t)
		if i != 4 { // the last two are decided at the same time
			b.Clock.Advance(time.Minute)
		}
	}
	if got := listed(b.Moderation.ListOpen); !slices.Equal(got, ids[2:3]) {
		t.Errorf("open are %v", got)
	}
	if got := listed(b.Moderation.ListResolved); !slices.Equal(got, []report.ID{ids[4], ids[1], ids[0], ids[3]}) {
		t.Errorf("resolved are %v of %v", got, ids)
	}
	if n, err := b.Moderation.CountOpen(t.Context(), dean); err != nil || n != 1 {
		t.Errorf("%d are open, %v", n, err)
	}
}

func reportsRefused(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	id := b.report(t, bob, about(b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))))
	dean := b.Join(t, "dean", user.Admin)
	for _, by := range []user.Caller{ann, bob} {
		refused(t, must.Err(b.Moderation.ListOpen(t.Context(), by, market.Page{})), user.ErrForbidden)
		refused(t, must.Err(b.Moderation.ListResolved(t.Context(), by, market.Page{})), user.ErrForbidden)
		refused(t, must.Err(b.Moderation.Get(t.Context(), by, id)), user.ErrForbidden)
		refused(t, must.Err(b.Moderation.ListAbout(t.Context(), by, ann.ID)), user.ErrForbidden)
		refused(t, must.Err(b.Moderation.CountOpen(t.Context(), by)), user.ErrForbidden)
		refused(t, must.Err(b.Moderation.Resolve(t.Context(), by, id, report.Suspend, "because")), user.ErrForbidden)
	}
	refused(t, must.Err(b.Moderation.Resolve(t.Context(), dean, 404, report.Dismiss, "")), report.ErrNotFound)
	refused(t, must.Err(b.Moderation.Resolve(t.Context(), dean, id, "hang", "because")), report.ErrAction)
	for _, note := range []string{"", " \u200b", "a\x00b", strings.Repeat("x", report.MaxNote+1)} {
		refused(t, must.Err(b.Moderation.Resolve(t.Context(), dean, id, report.Unlist, note)), report.ErrNote)
	}
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

func reportErased(t *testing.T, b *MarketFixture) {
	ann, bob, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "dean", user.Admin)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	w := b.Post(t, bob, Draft("Physics", "PHY 121", 1000))
	byBob, aboutBob := b.report(t, bob, about(v)), b.report(t, ann, about(w))
	b.DeleteUser(t, bob)
	found, _ := must.Get2(b.Moderation.Get(t.Context(), dean, byBob))(t)
	if found.Text != "" || found.ReporterName != "" || found.Seen.Book == nil {
		t.Errorf("the report is %+v", found)
	}
	refused(t, must.Err(b.Moderation.Get(t.Context(), dean, aboutBob)), report.ErrNotFound)
	must.Get(b.Moderation.Resolve(t.Context(), dean, byBob, report.Unlist, "because"))(t)
	b.CheckNothingLeft(t, bob)
}

func reportsSwept(t *testing.T, b *MarketFixture) {
	ann, bob, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "dean", user.Admin)
	old, open := b.report(t, bob, person(b.withBook(t, ann))), b.report(t, bob, about(b.Post(t, ann, Draft("Physics", "PHY 121", 1000))))
	must.Get(b.Moderation.Resolve(t.Context(), dean, old, report.Dismiss, ""))(t)
	b.Clock.Advance(report.Life - time.Minute)
	if n, err := b.Reports.DeleteOld(t.Context()); n != 0 || err != nil {
		t.Errorf("deleted %d, %v", n, err)
	}
	b.Clock.Advance(time.Minute)
	if n, err := b.Reports.DeleteOld(t.Context()); n != 1 || err != nil {
		t.Errorf("deleted %d, %v", n, err)
	}
	refused(t, must.Err(b.Moderation.Get(t.Context(), dean, old)), report.ErrNotFound)
	must.Get2(b.Moderation.Get(t.Context(), dean, open))(t)
}

// withBook posts a book of somebody, who can be reported then.
func (b *MarketFixture) withBook(t *testing.T, who user.Caller) user.Caller {
	t.Helper()
	b.Post(t, who, Draft("Calculus", "MTH 161", 1000))
	return who
}

func reportOrder(t *testing.T, b *MarketFixture) {
	ann, bob, eve, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "eve", user.Regular), b.Join(t, "dean", user.Admin)
	sold, other := b.sell(t, ann, bob, "Topology"), b.sell(t, ann, eve, "Algebra")
	for name, x := range map[string]struct {
		on    []report.Target
		order order.ID
		want  error
	}{
		"an order of somebody else": {person(ann), other.ID, order.ErrNotFound},
		"no order":                  {person(ann), 404, order.ErrNotFound},
		"a book":                    {[]report.Target{{Kind: report.Book, ID: int64(sold.Book)}}, sold.ID, report.ErrTarget},
	} {
		_, err := b.Reports.Add(t.Context(), bob, guarding.ReportDraft{Targets: x.on, Reason: report.Abuse, Order: x.order})
		if !errors.Is(err, x.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for by, on := range map[user.ID]user.Caller{bob.ID: ann, ann.ID: bob} {
		id := must.Get(b.Reports.Add(t.Context(), user.Caller{ID: by, Student: true}, guarding.ReportDraft{Targets: person(on), Reason: report.Abuse, Order: sold.ID}))(t)
		if found, _, err := b.Moderation.Get(t.Context(), dean, id); err != nil || found.Order != sold.ID {
			t.Errorf("the report is %+v, %v", found, err)
		}
	}
}
