package contract

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/application/market/talking"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

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
