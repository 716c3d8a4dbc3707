package contract

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/savedsearch"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func marketDigests(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"two thousand lines of a course are one mail at once and one an hour later": floodMailed,
		"somebody gets five mails about matches a day":                              fiveMails,
		"matches and searches each have their own mails":                            kindsApart,
		"a mail leaves out what was sold, withdrawn or stopped meanwhile":           staleItems,
		"who is suspended or deleted gets no mail of what waited":                   leftMeanwhile,
		"matches at the same moment are one mail":                                   matchesAtOnce,
		"digests are stored until they are spent":                                   digestsStored,
	})
}

// mailsOf are the mails of a kind to a person of the fixture, oldest first.
func (b *MarketFixture) mailsOf(t *testing.T, name string, kind message.Kind) (all []message.Message) {
	t.Helper()
	for _, m := range b.Mails(t) {
		if m.Kind == kind && string(m.To) == name+"@rochester.edu" {
			all = append(all, m)
		}
	}
	return all
}

// mailDigests runs the mailer as a replica does every minute.
func (b *MarketFixture) mailDigests(t *testing.T) {
	t.Helper()
	must.Get(b.DigestMailer.MailDue(t.Context()))(t)
}

// wantDigest compares a mail with how many books it lists, and how many there are in all.
func wantDigest(t *testing.T, m message.Message, listed, all int) {
	t.Helper()
	items := message.SplitItems(m.Params[message.ParamItems])
	if listed == 1 && m.Params[message.ParamItems] == "" {
		items = []message.Item{{Title: m.Params[message.ParamBook]}}
	}
	more := m.Params[message.ParamMore]
	if len(items) != listed || items[0].Title != m.Params[message.ParamBook] || all > 1 && more != fmt.Sprint(all-1) || all == 1 && more != "" {
		t.Errorf("the mail lists %d with %q more, want %d of %d: %v", len(items), more, listed, all, m.Params)
	}
}

func floodMailed(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	b.Request(t, bob, book.RequestDraft{Name: "Anything", Course: "MTH 161"})
	got := must.Get(b.Imports.Import(t.Context(), ann, market.IdempotencyKey{}, csvOf(2000), selling.ImportOptions{}))(t)
	if len(got.Books) != 2000 {
		t.Fatalf("%d books are posted", len(got.Books))
	}
	b.RunAllJobs(t)
	b.mailDigests(t)
	mails := b.mailsOf(t, "bob", message.MatchFound)
	if len(mails) != 1 {
		t.Fatalf("%d mails at once", len(mails))
	}
	wantDigest(t, mails[0], message.DigestItems, 50)
	b.Clock.Advance(message.DigestGap - time.Microsecond)
	b.mailDigests(t)
	if n := len(b.mailsOf(t, "bob", message.MatchFound)); n != 1 {
		t.Errorf("%d mails within an hour", n)
	}
	b.Clock.Advance(time.Microsecond)
	for range 2 {
		b.mailDigests(t)
	}
	if mails = b.mailsOf(t, "bob", message.MatchFound); len(mails) != 2 {
		t.Fatalf("%d mails after an hour", len(mails))
	}
	wantDigest(t, mails[1], message.DigestItems, 1950)
	latest := must.Get(b.Notifications.LatestID(t.Context(), bob))(t)
	if latest != 2002 { // the welcome and the request, too
		t.Errorf("bob was notified %d times", latest)
	}
}

func fiveMails(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	b.Request(t, bob, book.RequestDraft{Name: "Anything", Course: "MTH 161"})
	var sent []time.Time // the times after each mail
	for i := range 60 {
		b.Post(t, ann, Draft(fmt.Sprint("Calculus ", i), "MTH 161", 1000))
		b.Clock.Advance(29 * time.Minute)
		b.mailDigests(t)
		for range len(b.mailsOf(t, "bob", message.MatchFound)) - len(sent) {
			sent = append(sent, b.Clock.Now())
		}
	}
	const step = 30 * time.Minute
	for i, at := range sent {
		if i > 0 && at.Sub(sent[i-1]) < message.DigestGap-step || i >= message.DigestsADay && at.Sub(sent[i-message.DigestsADay]) < message.DigestDay-step {
			t.Errorf("mail %d at %v is too early", i, at)
		}
	}
	mails, told := b.mailsOf(t, "bob", message.MatchFound), 0
	for _, m := range mails {
		told++
		if more := m.Params[message.ParamMore]; more != "" {
			var n int
			must.Get(fmt.Sscan(more, &n))(t)
			told += n
		}
	}
	if len(mails) < 6 || len(mails) > 2*message.DigestsADay {
		t.Errorf("%d mails in 30 hours", len(mails))
	}
	b.Clock.Advance(message.DigestDay)
	b.mailDigests(t)
	last := b.mailsOf(t, "bob", message.MatchFound)
	if len(last) == len(mails)+1 {
		told += len(message.SplitItems(last[len(mails)].Params[message.ParamItems]))
	}
	if told != 60 {
		t.Errorf("the mails are about %d books, not 60", told)
	}
}

func kindsApart(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	b.Request(t, bob, book.RequestDraft{Name: "Anything", Course: "MTH 161"})
	one := b.save(t, bob, savedsearch.Draft{Query: "calculus"}, true)
	two := b.save(t, bob, savedsearch.Draft{Query: "geometry"}, true)
	three := b.save(t, bob, savedsearch.Draft{Query: "topology"}, true)
	for _, name := range []string{"Calculus", "Geometry", "Topology"} {
		b.Post(t, ann, Draft(name, "MTH 161", 1000))
		b.RunAllJobs(t)
	}
	if m, s := len(b.mailsOf(t, "bob", message.MatchFound)), len(b.mailsOf(t, "bob", message.SearchHit)); m != 1 || s != 1 {
		t.Errorf("%d mails about matches and %d about searches at once", m, s)
	}
	b.Clock.Advance(message.DigestGap)
	b.mailDigests(t)
	matches, hits := b.mailsOf(t, "bob", message.MatchFound), b.mailsOf(t, "bob", message.SearchHit)
	if len(matches) != 2 || len(hits) != 2 {
		t.Fatalf("%d mails about matches and %d about searches", len(matches), len(hits))
	}
	wantDigest(t, matches[1], 2, 2)
	wantDigest(t, hits[1], 2, 2)
	if got := hits[0].Params[message.ParamSubscription]; got != one.ID.Subscription() {
		t.Errorf("the first mail is about %s", got)
	}
	stop := hits[1].Params[message.ParamSubscription]
	if stop != two.ID.Subscription()+","+three.ID.Subscription() {
		t.Errorf("the second mail is about %s", stop)
	}
	must.Do(t, b.SavedSearches.EndSubscription(t.Context(), stop))
	all, _ := must.Get2(b.SavedSearches.List(t.Context(), bob, market.Page{}))(t)
	for _, s := range all {
		if s.Mail != (s.ID == one.ID) {
			t.Errorf("search %s mails: %v", s.Query, s.Mail)
		}
	}
}

func staleItems(t *testing.T, b *MarketFixture) {
	ann, bob, eve := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "eve", user.Regular)
	wanted := func(name, course string) book.Request {
		r, _ := b.Request(t, bob, book.RequestDraft{Name: name, Course: course})
		return r
	}
	wanted("Anything", "MTH 161")
	withdrawn := wanted("Something", "PHY 121")
	stopped := b.save(t, bob, savedsearch.Draft{Query: "geometry"}, true)
	b.save(t, bob, savedsearch.Draft{Query: "first"}, true)
	b.save(t, bob, savedsearch.Draft{Query: "kept"}, true)
	b.Post(t, ann, Draft("The first", "MTH 161", 1000)) // mailed at once
	b.RunAllJobs(t)
	sold := b.Post(t, ann, Draft("Calculus sold", "MTH 161", 1000))
	unlisted := b.Post(t, ann, Draft("Calculus unlisted", "MTH 161", 1000))
	b.Post(t, ann, Draft("Calculus kept", "MTH 161", 1000))
	b.Post(t, ann, Draft("Mechanics", "PHY 121", 1000))
	b.Post(t, ann, Draft("Geometry", "MTH 200", 1000))
	b.RunAllJobs(t)
	b.Buy(t, eve, sold.ID)
	must.Get(b.Listings.Unlist(t.Context(), ann, unlisted.ID))(t)
	must.Do(t, b.Requests.Delete(t.Context(), bob, withdrawn.ID))
	must.Do(t, b.SavedSearches.StopMails(t.Context(), stopped.ID))
	b.Clock.Advance(message.DigestGap)
	b.mailDigests(t)
	matches, hits := b.mailsOf(t, "bob", message.MatchFound), b.mailsOf(t, "bob", message.SearchHit)
	if len(matches) != 2 || len(hits) != 2 {
		t.Fatalf("%d and %d mails", len(matches), len(hits))
	}
	for _, m := range []message.Message{matches[1], hits[1]} {
		wantDigest(t, m, 1, 1)
		if m.Params[message.ParamBook] != "Calculus kept" {
			t.Errorf("mailed %v", m.Params)
		}
	}
}

func leftMeanwhile(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	away, gone := b.Join(t, "away", user.Regular), b.Join(t, "gone", user.Regular)
	for _, who := range []user.Caller{away, gone} {
		b.Request(t, who, book.RequestDraft{Name: "Anything", Course: "MTH 161"})
	}
	for i := range 3 {
		b.Post(t, ann, Draft(fmt.Sprint("Calculus ", i), "MTH 161", 1000))
	}
	b.withdraw(t, away)
	b.DeleteUser(t, gone)
	b.Clock.Advance(message.DigestGap)
	b.mailDigests(t)
	if n := len(b.mailsOf(t, "away", message.MatchFound)); n != 1 {
		t.Errorf("%d mails to somebody who is suspended", n)
	}
	for _, m := range b.Mails(t) {
		if strings.HasPrefix(string(m.To), "gone") {
			t.Errorf("mailed %v", m)
		}
	}
	if left := b.allDigests(t); len(left) != 0 {
		t.Errorf("left are %+v", left)
	}
}

// withdraw suspends somebody.
func (b *MarketFixture) withdraw(t *testing.T, who user.Caller) {
	t.Helper()
	must.Do(t, change(t.Context(), b.Accounts(b.Deps), b.Clock.Now(), user.Withdrawal{User: who.ID, SuspendedBy: 1}, func(u *user.User) { u.SuspendedAt = b.Clock.Now() }))
}

// allDigests are those stored.
func (b *MarketFixture) allDigests(t *testing.T) (all []message.Digest) {
	t.Helper()
	must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) (err error) {
		all, err = s.LockDueDigests(ctx, b.Clock.Now().Add(1000*time.Hour), 100)
		return err
	}))
	return all
}

func matchesAtOnce(t *testing.T, b *MarketFixture) {
	const sellers = 8
	bob := b.Join(t, "bob", user.Regular)
	b.Request(t, bob, book.RequestDraft{Name: "Anything", Course: "MTH 161"})
	var group sync.WaitGroup
	for i := range sellers {
		who := b.Join(t, fmt.Sprint("seller", i), user.Regular)
		group.Go(func() {
			if _, err := b.Listings.Post(t.Context(), who, Draft("Calculus", "MTH 161", 1000)); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := len(b.mailsOf(t, "bob", message.MatchFound)); n != 1 {
		t.Errorf("%d mails at once", n)
	}
	if n := count(b.NotificationsOf(t, bob), notification.MatchFound); n != sellers {
		t.Errorf("notified %d times", n)
	}
	b.Clock.Advance(message.DigestGap)
	for range 2 {
		group.Go(func() {
			if _, err := b.DigestMailer.MailDue(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	mails := b.mailsOf(t, "bob", message.MatchFound)
	if len(mails) != 2 {
		t.Fatalf("%d mails", len(mails))
	}
	wantDigest(t, mails[1], sellers-1, sellers-1)
}

func digestsStored(t *testing.T, b *MarketFixture) {
	now := b.Clock.Now().Truncate(time.Microsecond)
	people := []user.ID{user.ID(b.IDs.Next()), user.ID(b.IDs.Next()), user.ID(b.IDs.Next())}
	lock := func(ctx context.Context, s Stores) []message.Digest {
		all := must.Get(s.LockDigests(ctx, message.MatchFound, []user.ID{people[2], people[0], people[1]}))(t)
		if len(all) != 3 || all[0].To != people[0] || all[2].To != people[2] || all[1].Kind != message.MatchFound {
			t.Fatalf("locked %+v", all)
		}
		return all
	}
	item := message.Item{Book: 7, Source: 8, Title: "Çalculus\t“x”", Course: "MTH 161", Price: "1.00", Reason: "isbn", Subscription: "search:8"}
	must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error {
		all := lock(ctx, s)
		all[0].Sent, all[0].More = []time.Time{now.Add(-time.Hour), now}, 3
		all[0].Items = []message.Item{item, {Book: 9}}
		all[1].Sent = []time.Time{now.Add(-time.Hour)}
		return s.SaveDigests(ctx, all, now)
	}))
	if all := b.allDigests(t); len(all) != 2 || all[0].To != people[0] || all[1].To != people[1] {
		t.Fatalf("stored %+v", all)
	}
	must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error {
		due := must.Get(s.LockDueDigests(ctx, now.Add(time.Hour-time.Microsecond), 10))(t)
		if len(due) != 0 {
			t.Errorf("due are %+v", due)
		}
		if due, err := s.LockDueDigests(ctx, now.Add(time.Hour), 10); err != nil || len(due) != 1 || due[0].To != people[0] {
			t.Errorf("due are %+v, %v", due, err)
		}
		return nil
	}))
	must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error {
		all := lock(ctx, s)
		if d := all[0]; len(d.Sent) != 2 || !d.Sent[1].Equal(now) || d.More != 3 || len(d.Items) != 2 || d.Items[0] != item || len(all[2].Sent) != 0 {
			t.Errorf("loaded %+v", all)
		}
		must.Do(t, s.ForgetUser(ctx, people[0]))
		return s.SaveDigests(ctx, all[1:], now.Add(message.DigestDay))
	}))
	if all := b.allDigests(t); len(all) != 0 {
		t.Errorf("left are %+v", all)
	}
}
