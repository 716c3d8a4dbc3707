package contract

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/savedsearch"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

// searchMails are the params of the mails about saved searches.
func (b *MarketFixture) searchMails(t *testing.T) (all []map[string]string) {
	t.Helper()
	b.RunAllJobs(t)
	must.Get(b.SearchMailer.MailDue(t.Context()))(t)
	for _, m := range b.Mails(t) {
		if m.Kind == message.SearchHit {
			all = append(all, m.Params)
		}
	}
	return all
}

func mailedDaily(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	s := b.save(t, bob, savedsearch.Draft{Query: "calculus"}, true)
	b.save(t, bob, savedsearch.Draft{Query: "early"}, false)
	b.Post(t, ann, Draft("Calculus\u202e early", "MTH 161", 1250))
	mails := b.searchMails(t)
	if len(mails) != 1 || mails[0][message.ParamBook] != "Calculus early" || mails[0][message.ParamPrice] != "12.50" || mails[0][message.ParamMore] != "" || mails[0][message.ParamSubscription] != s.ID.Subscription() {
		t.Fatalf("the first book: %v", mails)
	}
	for i := range 3 {
		b.Post(t, ann, Draft(fmt.Sprintf("Calculus %d", i), "MTH 161", 1000))
	}
	if mails = b.searchMails(t); len(mails) != 1 {
		t.Errorf("on the same day: %v", mails[1:])
	}
	b.Clock.Advance(savedsearch.MailInterval)
	if mails = b.searchMails(t); len(mails) != 2 || mails[1][message.ParamBook] != "Calculus 2" || mails[1][message.ParamMore] != "2" {
		t.Errorf("the day after: %v", mails)
	}
	b.Clock.Advance(savedsearch.MailInterval)
	if mails = b.searchMails(t); len(mails) != 2 {
		t.Errorf("without new books: %v", mails)
	}
	b.wantHits(t, bob, 5, "notified of each")
}

func soldBeforeMail(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	b.save(t, bob, savedsearch.Draft{Query: "calculus"}, true)
	b.Post(t, ann, Draft("Calculus 1", "MTH 161", 1000))
	b.RunAllJobs(t)
	sold := b.Post(t, ann, Draft("Calculus 2", "MTH 161", 1000))
	b.RunAllJobs(t)
	b.Buy(t, bob, sold.ID)
	b.Clock.Advance(savedsearch.MailInterval)
	if mails := b.searchMails(t); len(mails) != 1 {
		t.Errorf("a sold book was mailed: %v", mails)
	}
	b.Post(t, ann, Draft("Calculus 3", "MTH 161", 1000))
	if mails := b.searchMails(t); len(mails) != 2 || mails[1][message.ParamBook] != "Calculus 3" {
		t.Errorf("the next book was not mailed at once: %v", mails)
	}
}

func mailsStopped(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	stopped := b.save(t, bob, savedsearch.Draft{Query: "calculus"}, true)
	other := b.save(t, bob, savedsearch.Draft{Course: "MTH 161"}, true)
	for _, name := range []string{stopped.ID.Subscription(), stopped.ID.Subscription(), "search:9", "search:x", "", "conversation:7"} {
		must.Do(t, b.SavedSearches.EndSubscription(t.Context(), name))
	}
	b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	if mails := b.searchMails(t); len(mails) != 1 || mails[0][message.ParamSubscription] != other.ID.Subscription() {
		t.Errorf("mailed %v", mails)
	}
	b.wantHits(t, bob, 2, "notified by both")
	must.Do(t, b.SavedSearches.SetMail(t.Context(), bob, stopped.ID, true))
	b.Clock.Advance(message.DigestGap)
	b.Post(t, ann, Draft("Calculus", "MTH 162", 1000))
	if mails := b.searchMails(t); len(mails) != 2 {
		t.Errorf("switched on again: %v", mails)
	}
	all, _ := must.Get2(b.SavedSearches.List(t.Context(), bob, market.Page{}))(t)
	if len(all) != 2 || all[0].ID != other.ID || all[1].Query != "calculus" || !all[1].Mail || !all[0].Mail {
		t.Errorf("the searches are %+v", all)
	}
}

func priceDrops(t *testing.T, b *MarketFixture) {
	ann, bob, carl := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "carl", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 2000))
	must.Do(t, b.Carts.Add(t.Context(), bob, v.ID))
	reprice := func(to money.Amount) { must.Get(b.Listings.Update(t.Context(), ann, v.ID, book.Patch{Price: &to}))(t) }
	for i, step := range []struct {
		price money.Amount
		want  int
	}{{1950, 0}, {1900, 1}, {2500, 1}, {1900, 1}, {1850, 1}, {1805, 2}} {
		reprice(step.price)
		if got := b.countNotified(t, bob, notification.PriceDrop); got != step.want {
			t.Errorf("step %d: %d notifications, want %d", i, got, step.want)
		}
	}
	must.Do(t, b.Carts.Add(t.Context(), carl, v.ID))
	must.Get(b.Listings.Unlist(t.Context(), ann, v.ID))(t)
	reprice(1000)
	if got := b.countNotified(t, carl, notification.PriceDrop); got != 0 {
		t.Errorf("%d notifications of an unlisted book", got)
	}
}

func manyCarts(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 2000))
	var people []user.Caller
	for i := range 150 {
		p := b.Join(t, "p"+strconv.Itoa(i), user.Regular)
		must.Do(t, b.Carts.Add(t.Context(), p, v.ID))
		people = append(people, p)
	}
	b.RunAllJobs(t)
	price := money.Amount(1000)
	must.Get(b.Listings.Update(t.Context(), ann, v.ID, book.Patch{Price: &price}))(t)
	for i, p := range people {
		if n := b.countNotified(t, p, notification.PriceDrop); n != 1 {
			t.Fatalf("person %d got %d notifications", i, n)
		}
	}
}
