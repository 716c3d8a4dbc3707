package contract

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/savedsearch"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func marketSavedSearches(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"a new book is reported once to each saved search that it fits":       reportedOnce,
		"a saved search finds what the search finds":                          foundAsBySearching,
		"a search mails at most once a day":                                   mailedDaily,
		"a mail leaves out books that were sold":                              soldBeforeMail,
		"the link in a mail stops the mails of that search alone":             mailsStopped,
		"fifty searches of a person are stored":                               fiftySearches,
		"nobody reaches another's searches":                                   othersSearches,
		"a search of a deleted person finds nothing":                          deletedSearcher,
		"many searches are matched in bounded transactions":                   manySearches,
		"a request is made from a search":                                     requestedSearch,
		"a repeated call saves a search once":                                 savedOnce,
		"the searches are part of the export":                                 exportedSearches,
		"records of a delivered book are deleted":                             forgottenHits,
		"a clear price drop is reported to those with the book in their cart": priceDrops,
		"many carts with a cheaper book are told in bounded transactions":     manyCarts,
	})
}

func (b *MarketFixture) save(t *testing.T, by user.Caller, d savedsearch.Draft, mail bool) savedsearch.Search {
	t.Helper()
	s := must.Get(b.SavedSearches.Save(t.Context(), by, d, mail))(t)
	b.Clock.Advance(time.Minute)
	return s
}

// hits counts the notifications of a kind.
func (b *MarketFixture) countNotified(t *testing.T, who user.Caller, kind notification.Kind) (n int) {
	t.Helper()
	b.RunAllJobs(t)
	for _, k := range b.NotificationsOf(t, who) {
		if k == kind {
			n++
		}
	}
	return n
}

func (b *MarketFixture) wantHits(t *testing.T, who user.Caller, want int, when string) {
	t.Helper()
	if got := b.countNotified(t, who, notification.SearchHit); got != want {
		t.Errorf("%s: %d hits, want %d", when, got, want)
	}
}

func reportedOnce(t *testing.T, b *MarketFixture) {
	ann, bob, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "dean", user.Admin)
	most := money.Amount(2000)
	b.save(t, bob, savedsearch.Draft{Query: "calculus"}, false)
	b.save(t, bob, savedsearch.Draft{Course: "mth161", MaxPrice: &most}, false)
	b.save(t, ann, savedsearch.Draft{Query: "calculus"}, false)
	v := b.Post(t, ann, Draft("Calculus: Early Transcendentals", "MTH 161", 3000))
	b.wantHits(t, bob, 1, "posted")
	b.wantHits(t, ann, 0, "her own book")
	price := money.Amount(1500)
	must.Get(b.Listings.Update(t.Context(), ann, v.ID, book.Patch{Price: &price}))(t)
	b.wantHits(t, bob, 2, "cheaper, so that the other search finds it")
	must.Get(b.Listings.Unlist(t.Context(), ann, v.ID))(t)
	must.Get(b.Listings.Relist(t.Context(), ann, v.ID))(t)
	b.wantHits(t, bob, 2, "relisted")
	carl := b.Join(t, "carl", user.Regular)
	b.save(t, carl, savedsearch.Draft{Query: "Transcendental"}, false)
	b.wantHits(t, carl, 0, "saved after the post")
	b.Buy(t, bob, v.ID)
	must.Get(b.Orders.Cancel(t.Context(), dean, v.ID, "Nobody came."))(t)
	b.wantHits(t, carl, 1, "returned")
	b.wantHits(t, bob, 2, "returned")
	all, _ := must.Get2(b.Notifications.List(t.Context(), carl, market.Page{}))(t)
	if all[0].Kind != notification.SearchHit || all[0].Book != v.ID || all[0].Message != "“Calculus: Early Transcendentals” is for sale and fits a search that you saved." {
		t.Errorf("the notification is %+v", all[0])
	}
}

// Of each book, which is alone for sale, the search page and the saved searches say the same.
func foundAsBySearching(t *testing.T, b *MarketFixture) {
	ann, bob := b.JoinAt(t, "ann", "Cornell", user.Regular), b.Join(t, "bob", user.Regular)
	low, high := money.Amount(1000), money.Amount(2000)
	searches := map[savedsearch.ID]savedsearch.Draft{}
	for _, q := range []string{
		"calculus", "CALC", "l'énergie", "energie solaire", "csc 172", "Csc-172 textbook", "172", "9780262033848", "0-262-03384-4", "ISBN: 0262033844", "c", "C++", "the art",
		"art of", "introduction to algorithms, 3rd edition", "algorithms books", "calc early", "transcendentals calculus", "x", "solaire csc172", "\" OR *",
	} {
		if d := (savedsearch.Draft{Query: q}); q != "\" OR *" {
			searches[b.save(t, bob, d, false).ID] = d
		}
	}
	for _, d := range []savedsearch.Draft{
		{University: "CORNELL"}, {University: "Yale"}, {Course: "csc172"}, {Condition: "good"}, {Condition: "New"}, {MinPrice: &low, MaxPrice: &high}, {MinPrice: &high},
		{Query: "calculus", MaxPrice: &high}, {Query: "algorithms", University: "cornell", Condition: "Good", Course: "CSC 172"}, {Query: "art", Course: "csc173"}, {University: "cornell", Condition: "Good"},
	} {
		searches[b.save(t, bob, d, false).ID] = d
	}
	for i, d := range []book.Draft{
		Draft("Calculus: Early Transcendentals", "MTH 161", 1500), Draft("L’Énergie solaire", "CSC 172", 2500), Draft("Introduction to Algorithms", "CSC172", 1000),
		Draft("The Art of C", "C 1", 2000), Draft("Zoology", "BIO 7", 900),
	} {
		if i == 2 {
			d.ISBN = "0262033844"
		}
		v := b.Post(t, ann, d)
		b.RunAllJobs(t)
		for id, s := range searches {
			filter := finding.Filter{University: s.University, Course: s.Course, Condition: s.Condition, MinPrice: s.MinPrice, MaxPrice: s.MaxPrice}
			var found []market.BookView
			var err error
			if s.Query == "" {
				found, _, err = b.Catalogue.List(t.Context(), bob, filter, market.Page{})
			} else {
				found, _, err = b.Catalogue.Search(t.Context(), bob, s.Query, filter, market.Page{})
			}
			must.Do(t, err)
			if isNew := b.addHit(t, id, v.ID); isNew == (len(found) == 1) {
				t.Errorf("%+v and %q: the page finds %d, the saved search has not found it: %v", s, d.Name, len(found), isNew)
			}
		}
		must.Get(b.Listings.Unlist(t.Context(), ann, v.ID))(t)
	}
}

// addHit reports whether a search has not found a book before.
func (b *MarketFixture) addHit(t *testing.T, id savedsearch.ID, found book.ID) (isNew bool) {
	t.Helper()
	must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) (err error) {
		must.Get(s.Finding.LockSearches(ctx, id))(t)
		isNew, err = s.Finding.AddHit(ctx, id, found, b.Clock.Now())
		return err
	}))
	return isNew
}

func fiftySearches(t *testing.T, b *MarketFixture) {
	bob := b.Join(t, "bob", user.Regular)
	var last savedsearch.Search
	for i := range savedsearch.Max {
		last = b.save(t, bob, savedsearch.Draft{Query: "calculus " + strconv.Itoa(i)}, false)
	}
	refused(t, must.Err(b.SavedSearches.Save(t.Context(), bob, savedsearch.Draft{Query: "one more"}, false)), savedsearch.ErrTooMany)
	refused(t, must.Err(b.SavedSearches.Save(t.Context(), bob, savedsearch.Draft{Query: " !"}, false)), savedsearch.ErrInvalid)
	must.Do(t, b.SavedSearches.Delete(t.Context(), bob, last.ID))
	b.save(t, bob, savedsearch.Draft{Query: "one more"}, false)
	first, next := must.Get2(b.SavedSearches.List(t.Context(), bob, market.Page{Limit: 30}))(t)
	rest, end := must.Get2(b.SavedSearches.List(t.Context(), bob, market.Page{Limit: 30, Cursor: next}))(t)
	if len(first) != 30 || len(rest) != 20 || end != "" || first[0].Query != "one more" || rest[19].Query != "calculus 0" {
		t.Errorf("pages of %d and %d: %+v", len(first), len(rest), first[0])
	}
}

func othersSearches(t *testing.T, b *MarketFixture) {
	bob, eve := b.Join(t, "bob", user.Regular), b.Join(t, "eve", user.Owner)
	s := b.save(t, bob, savedsearch.Draft{Query: "calculus"}, true)
	refused(t, b.SavedSearches.Delete(t.Context(), eve, s.ID), savedsearch.ErrNotFound)
	refused(t, b.SavedSearches.SetMail(t.Context(), eve, s.ID, false), savedsearch.ErrNotFound)
	refused(t, must.Err(b.SavedSearches.Request(t.Context(), eve, market.IdempotencyKey{}, s.ID)), savedsearch.ErrNotFound)
	refused(t, b.SavedSearches.Delete(t.Context(), bob, s.ID+1), savedsearch.ErrNotFound)
	if all, _, err := b.SavedSearches.List(t.Context(), eve, market.Page{}); err != nil || len(all) != 0 {
		t.Errorf("another sees %+v, %v", all, err)
	}
	if all, _, err := b.SavedSearches.List(t.Context(), bob, market.Page{}); err != nil || len(all) != 1 || !all[0].Mail {
		t.Errorf("the owner sees %+v, %v", all, err)
	}
}

func deletedSearcher(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	b.save(t, bob, savedsearch.Draft{Query: "calculus"}, true)
	b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	b.RunAllJobs(t)
	if mails := b.searchMails(t); len(mails) != 1 {
		t.Fatalf("%d mails", len(mails))
	}
	b.DeleteUser(t, bob)
	b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	b.Clock.Advance(savedsearch.MailInterval)
	if mails := b.searchMails(t); len(mails) > 1 {
		t.Errorf("%d mails", len(mails))
	}
	if all, err := b.Ports.ListSearchesOf(t.Context(), bob.ID, 0, 10); err != nil || len(all) != 0 {
		t.Errorf("stored after the deletion: %+v, %v", all, err)
	}
}

func manySearches(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	var people []user.Caller
	for i := range 6 {
		people = append(people, b.Join(t, "p"+strconv.Itoa(i), user.Regular))
	}
	for i := range 2500 { // stored directly, because a person has at most fifty
		s := savedsearch.Search{ID: savedsearch.ID(b.IDs.Next()), Owner: people[i/10%6].ID, Details: savedsearch.Details{Query: "calculus"}, CreatedAt: b.Clock.Now()}
		if i%10 != 0 {
			s.University = "Yale"
		}
		must.Do(t, b.atomically(t, func(ctx context.Context, st Stores) error {
			return st.Finding.AddSearch(ctx, s, s.Keys([]string{"calculus"}), 5000)
		}))
	}
	b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	if steps := b.RunAllJobs(t); steps < 3 || steps > 5 {
		t.Errorf("%d transactions", steps)
	}
	for _, p := range people {
		if n := b.countNotified(t, p, notification.SearchHit); n < 40 {
			t.Errorf("%d of 41 were notified", n)
		}
	}
	total := 0
	for _, p := range people {
		total += b.countNotified(t, p, notification.SearchHit)
	}
	if total != 250 {
		t.Errorf("%d hits, want 250", total)
	}
}

func requestedSearch(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	most := money.Amount(2000)
	s := b.save(t, bob, savedsearch.Draft{Query: "Calculus", MaxPrice: &most}, false)
	anywhere := b.save(t, bob, savedsearch.Draft{University: "Yale"}, false)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	got, replayed := must.Get2(b.SavedSearches.Request(t.Context(), bob, market.IdempotencyKey{Value: "k"}, s.ID))(t)
	if got.Request.Name != "Calculus" || got.Request.MaxPrice != 2000 || len(got.Matches) != 1 || got.Matches[0].Book.ID != v.ID || replayed {
		t.Errorf("requested %+v", got)
	}
	_, replayed = must.Get2(b.SavedSearches.Request(t.Context(), bob, market.IdempotencyKey{Value: "k"}, s.ID))(t)
	if all, _, err := b.Requests.ListMine(t.Context(), bob, market.Page{}); err != nil || len(all) != 1 || !replayed {
		t.Errorf("requested again: %+v, %v", all, err)
	}
	refused(t, must.Err(b.SavedSearches.Request(t.Context(), bob, market.IdempotencyKey{}, anywhere.ID)), savedsearch.ErrNoRequest)
}

func savedOnce(t *testing.T, b *MarketFixture) {
	bob := b.Join(t, "bob", user.Regular)
	k := market.IdempotencyKey{Value: "k", BodyHash: [32]byte{1}}
	first, _ := must.Get2(b.SavedSearches.SaveWithKey(t.Context(), bob, k, savedsearch.Draft{Query: "calculus"}, true))(t)
	b.Clock.Advance(time.Minute)
	again, replayed := must.Get2(b.SavedSearches.SaveWithKey(t.Context(), bob, k, savedsearch.Draft{Query: "calculus"}, true))(t)
	if !replayed || again != first {
		t.Errorf("%+v, then %+v", first, again)
	}
	refused(t, must.Err(b.SavedSearches.SaveWithKey(t.Context(), bob, market.IdempotencyKey{Value: "k"}, savedsearch.Draft{Query: "algebra"}, true)), market.ErrKeyReused)
}

func exportedSearches(t *testing.T, b *MarketFixture) {
	bob := b.Join(t, "bob", user.Regular)
	most := money.Amount(2000)
	s := b.save(t, bob, savedsearch.Draft{Query: "calculus", Condition: "good", MaxPrice: &most}, true)
	want := finding.ExportedSearch{ID: s.ID.String(), Query: "calculus", Condition: "Good", MinPrice: "0.00", MaxPrice: "20.00", Mail: true, CreatedAt: s.CreatedAt}
	if got := b.export(t, bob, 100).SavedSearches; !slices.Equal(got, []finding.ExportedSearch{want}) {
		t.Errorf("exported %+v", got)
	}
}

func forgottenHits(t *testing.T, b *MarketFixture) {
	ann, bob, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "dean", user.Admin)
	s := b.save(t, bob, savedsearch.Draft{Query: "calculus"}, false)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	b.wantHits(t, bob, 1, "posted")
	b.Buy(t, bob, v.ID)
	must.Get(b.Orders.Confirm(t.Context(), dean, v.ID))(t)
	if b.addHit(t, s.ID, v.ID) {
		t.Error("the record was deleted while the book can be returned")
	}
	must.Get(b.Orders.SetPaid(t.Context(), dean, v.ID))(t)
	b.RunAllJobs(t)
	if !b.addHit(t, s.ID, v.ID) {
		t.Error("the record is still stored")
	}
	b.addHit(t, s.ID, v.ID+1)
	must.Do(t, b.atomically(t, func(ctx context.Context, st Stores) error {
		more := must.Get(st.Finding.DeleteHits(ctx, v.ID, 1))(t)
		again, err := st.Finding.DeleteHits(ctx, v.ID, 1)
		if !more || again {
			t.Errorf("more %v, then %v", more, again)
		}
		return err
	}))
}
