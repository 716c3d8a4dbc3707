package market_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/stores"
)

// recorder records the reads of a search.
type recorder struct {
	contract.MarketPorts
	reads []string
}

func (r *recorder) ListBooksForSale(ctx context.Context, c finding.Criteria, s finding.Sort, after market.Position, n int) ([]market.BookView, error) {
	r.reads = append(r.reads, "list")
	return r.MarketPorts.ListBooksForSale(ctx, c, s, after, n)
}

func (r *recorder) FindBooksByCourseOrTitle(ctx context.Context, course, title string, c finding.Criteria, n int) ([]book.Candidate, error) {
	if course != "" || title != "" {
		r.reads = append(r.reads, "exact")
	}
	return r.MarketPorts.FindBooksByCourseOrTitle(ctx, course, title, c, n)
}

func (r *recorder) FindBooksByWords(ctx context.Context, groups [][]string, c finding.Criteria, n int) ([]book.Candidate, error) {
	r.reads = append(r.reads, "words")
	return r.MarketPorts.FindBooksByWords(ctx, groups, c, n)
}

// One read of the index costs as much as the rest of a search.
func TestASearchDoesNotReadMoreThanItNeeds(t *testing.T) {
	b := contract.NewMarketFixture(open(t))
	ann := b.Join(t, "ann", user.Regular)
	b.Post(t, ann, contract.Draft("Linear Algebra", "MTH 165", 10_00))
	b.Post(t, ann, contract.Draft("Topology", "MTH 165H", 10_00))
	for range 100 {
		b.Post(t, ann, contract.Draft("Calculus", "MTH 161", 10_00))
	}
	for text, want := range map[string][]string{
		"xyzzyplugh":      nil,                        // no term begins with it or resembles it
		"csc 172":         nil,                        // there is no such course either
		"algebra":         {"list", "words"},          // the word may be a course; no other term begins with it
		"linear algebra":  {"words"},                  // together they are no course
		"mth 165":         {"list", "words", "words"}, // the last word is a prefix of 165h
		"calculus":        {"list", "words", "exact"}, // older books may have that title
		"calculus xyzzyp": nil,                        // no book has both
		"mth 161":         {"list"},                   // a full page
		"algebra linaer":  {"words"},                  // a misspelling
	} {
		r := &recorder{MarketPorts: b.Ports}
		_, _, err := rooms.New(b.Deps, r, rooms.Config{}).Catalogue.Search(t.Context(), user.Caller{}, text, finding.Filter{}, market.Page{Limit: 20})
		if err != nil || !slices.Equal(r.reads, want) {
			t.Errorf("%s: read %q, want %q, %v", text, r.reads, want, err)
		}
	}
}

// A search completes its last word if there are few results. With a filter, few results are
// normal, so the search does not complete the word.
func TestAFilterDoesNotMakeASearchCompleteItsLastWord(t *testing.T) {
	b := contract.NewMarketFixture(open(t))
	ann := b.Join(t, "ann", user.Regular)
	b.Post(t, ann, contract.Draft("Art", "ART 100", 10_00))
	b.Post(t, ann, contract.Draft("Arthurian Legends", "LIT 200", 10_00))
	b.Post(t, ann, contract.Draft("Arthurian Romance", "LIT 201", 20_00))
	cheap, dear := money.Amount(15_00), money.Amount(25_00)
	for name, c := range map[string]struct {
		filter finding.Filter
		want   int
	}{
		"no filter":              {finding.Filter{}, 3},
		"a filter with the word": {finding.Filter{MaxPrice: &cheap}, 1},
		"a filter without it":    {finding.Filter{MinPrice: &cheap, MaxPrice: &dear}, 1},
	} {
		views, _, err := b.Catalogue.Search(t.Context(), user.Caller{}, "art", c.filter, market.Page{})
		if err != nil || len(views) != c.want {
			t.Errorf("%s: found %d books, want %d, %v", name, len(views), c.want, err)
		}
	}
}

// others are the other processes of a market.
type others struct {
	mu   sync.Mutex
	sent []user.ID
	wake func([]user.ID)
}

func (o *others) Send(ids []user.ID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sent = append(o.sent, ids...)
}

func (o *others) Receive(wake func([]user.ID)) { o.wake = wake }

func TestNotificationsWakeSubscribersInEveryProcess(t *testing.T) {
	b := contract.NewMarketFixture(open(t))
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	signals, stop := b.Signals(ann)
	defer stop()
	o := &others{}
	b.Deps.Notifier.Connect(o)
	o.wake(nil)
	<-signals
	o.wake([]user.ID{bob.ID, ann.ID})
	<-signals
	b.Post(t, ann, contract.Draft("Calculus", "MTH 161", 1000))
	<-signals
	o.mu.Lock()
	defer o.mu.Unlock()
	if !slices.Equal(o.sent, []user.ID{ann.ID}) {
		t.Errorf("the other processes receive %v", o.sent)
	}
}

var _ market.Signals = (*others)(nil)

func open(t testing.TB) contract.MarketBackend {
	t.Helper()
	return stores.Backend(database.SQLite(t, stores.Schema...))
}
