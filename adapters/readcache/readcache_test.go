package readcache_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octavo-books/octavo/adapters/readcache"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
)

// store answers with what a test sets, and records what it was asked.
type store struct {
	rooms.Storage
	places []string
	n      int
	copies map[book.ISBN]int
	err    error
	asked  []string
	pause  func() // while it reads
}

func (s *store) ask(format string, args ...any) {
	s.asked = append(s.asked, fmt.Sprintf(format, args...))
	if s.pause != nil {
		s.pause()
	}
}

func (s *store) ListUniversities(context.Context, int) ([]string, error) {
	places := s.places
	s.ask("universities")
	return places, s.err
}

func (s *store) ListNewCourses(_ context.Context, university string, _ int) ([]string, error) {
	s.ask("courses at %s", university)
	return s.places, s.err
}

func (s *store) CountBooksForSale(_ context.Context, c finding.Criteria, _ int) (int, error) {
	s.ask("count at %q", c.University)
	return s.n, s.err
}

func (s *store) SummariseTitles(_ context.Context, isbns []book.ISBN, _ finding.Criteria, _ finding.Sort, _ market.Position, _ int) (all []finding.TitleSummary, _ error) {
	s.ask("summarise %s", isbns)
	for _, isbn := range isbns {
		if n := s.copies[isbn]; n > 0 {
			all = append(all, finding.TitleSummary{ISBN: isbn, Copies: market.Count{N: n}})
		}
	}
	return all, s.err
}

// reads are reads over a store, with a clock that only the test moves.
type reads struct {
	*readcache.Storage
	t     *testing.T
	store *store
	cache *readcache.Cache
	now   time.Time
}

func open(t *testing.T) *reads {
	t.Helper()
	r := &reads{t: t, store: &store{places: []string{"Campus"}, n: 3, copies: map[book.ISBN]int{"1": 1, "2": 2}}, now: time.Unix(1_800_000_000, 0)}
	r.cache = readcache.New(func() time.Time { return r.now }, readcache.Keep)
	r.Storage = readcache.Over(r.store, r.cache)
	return r
}

// universities fails unless these are listed.
func (r *reads) universities(want ...string) {
	r.t.Helper()
	if got, err := r.ListUniversities(r.t.Context(), 100); err != nil || !slices.Equal(got, want) {
		r.t.Errorf("lists %q, %v, want %q", got, err, want)
	}
}

func (r *reads) count(c finding.Criteria) int {
	r.t.Helper()
	n, err := r.CountBooksForSale(r.t.Context(), c, 1000)
	if err != nil {
		r.t.Error(err)
	}
	return n
}

// titles returns the number of copies of each title that has some.
func (r *reads) titles(at market.Position, isbns ...book.ISBN) map[book.ISBN]int {
	r.t.Helper()
	all, err := r.SummariseTitles(r.t.Context(), isbns, finding.Criteria{}, finding.Newest, at, 200)
	if err != nil {
		r.t.Error(err)
	}
	copies := map[book.ISBN]int{}
	for _, s := range all {
		copies[s.ISBN] = s.Copies.N
	}
	return copies
}

func (r *reads) asks(n int) {
	r.t.Helper()
	if len(r.store.asked) != n {
		r.t.Errorf("the store was asked %d times, want %d: %q", len(r.store.asked), n, r.store.asked)
	}
}

func TestANewUniversityIsOfferedInSearchAtOnceOrWithinAMinute(t *testing.T) {
	r := open(t)
	r.universities("Campus")
	r.store.places = []string{"Campus", "Elsewhere"}
	r.universities("Campus")
	r.asks(1)
	r.cache.Purge("book-7", market.AllLists) // posted in this process
	r.universities("Campus", "Elsewhere")
	r.store.places = nil // sold in another one, which did not say so
	r.now = r.now.Add(readcache.Keep - 1)
	r.universities("Campus", "Elsewhere")
	r.now = r.now.Add(1)
	r.universities()
	if readcache.Keep > time.Minute {
		t.Errorf("a change in another process shows after %s", readcache.Keep)
	}
}

func TestAClockThatIsPutBackKeepsNothingLonger(t *testing.T) {
	r := open(t)
	r.universities("Campus")
	r.store.places = []string{"Campus", "Elsewhere"} // posted in another process, which did not say so
	r.now = r.now.Add(-time.Hour)
	r.universities("Campus", "Elsewhere")
	r.universities("Campus", "Elsewhere")
	r.asks(2)
}

func TestEachListHasItsOwnNumberAndCourses(t *testing.T) {
	r := open(t)
	low, same, high := money.Amount(100), money.Amount(100), money.Amount(200)
	for i, c := range []finding.Criteria{{}, {University: "campus"}, {MinPrice: &low}, {MaxPrice: &low}, {MinPrice: &high}, {NotUniversity: "campus"}} {
		if r.store.n = i; r.count(c) != i {
			t.Errorf("%+v has the number of another list", c)
		}
	}
	if n := r.count(finding.Criteria{MinPrice: &same}); n != 2 {
		t.Errorf("the same price counts %d, want 2", n)
	}
	r.asks(6)
	for _, university := range []string{"", "campus", ""} {
		if _, err := r.ListNewCourses(t.Context(), university, 400); err != nil {
			t.Error(err)
		}
	}
	r.asks(8)
}

func TestWhatIsCountedForOnePersonIsNotShownToOthers(t *testing.T) {
	r := open(t)
	r.count(finding.Criteria{NotBy: 7})
	r.store.n = 4
	if n := r.count(finding.Criteria{NotBy: 7}); n != 4 {
		t.Errorf("counted %d, want 4", n)
	}
}

func TestOnlyTheTitlesThatHaveChangedAreSummarisedAgain(t *testing.T) {
	r := open(t)
	r.titles(market.Position{}, "1", "2", "3")
	r.store.copies = map[book.ISBN]int{"1": 10, "2": 20, "3": 30}
	if got := r.titles(market.Position{}, "1", "2", "3"); got["1"] != 1 || got["2"] != 2 || got["3"] != 0 {
		t.Errorf("summarised %v", got)
	}
	r.cache.Purge(market.AllLists, market.ISBNKey("2"), market.ISBNKey("3"))
	if got := r.titles(market.Position{}, "1", "2", "3"); got["1"] != 1 || got["2"] != 20 || got["3"] != 30 {
		t.Errorf("summarised %v after the change", got)
	}
	r.asks(2)
	if asked := r.store.asked[1]; asked != "summarise [2 3]" {
		t.Errorf("asked %q", asked)
	}
	r.titles(market.Position{ID: 7}, "1") // says which titles an earlier page has
	r.asks(3)
	r.cache.Purge(market.Everything)
	r.titles(market.Position{}, "1")
	r.asks(4)
}

func TestAFailureIsNotKept(t *testing.T) {
	r := open(t)
	r.store.err = errors.New("down")
	if _, err := r.ListUniversities(t.Context(), 100); err == nil {
		t.Error("no error")
	}
	if _, err := r.SummariseTitles(t.Context(), []book.ISBN{"1"}, finding.Criteria{}, finding.Newest, market.Position{}, 200); err == nil {
		t.Error("no error")
	}
	r.store.err = nil
	r.universities("Campus")
	if got := r.titles(market.Position{}, "1"); got["1"] != 1 {
		t.Errorf("summarised %v", got)
	}
}

func TestManyReadersAtOnceCauseOneRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t)
		r.store.pause = func() { time.Sleep(time.Second) } //nolint:forbidigo // of the time of the bubble
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { r.universities("Campus") })
		}
		all.Wait()
		r.asks(1)
	})
}

func TestAChangeDuringAReadIsNotHiddenByIt(t *testing.T) {
	r := open(t)
	r.store.pause = func() { // a book is posted after the store has read
		r.store.pause, r.store.places = nil, []string{"Campus", "Elsewhere"}
		r.cache.Purge(market.AllLists)
	}
	r.universities("Campus")
	r.universities("Campus", "Elsewhere")
}

func TestWhoeverGivesUpWaitingDoesNotDisturbTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t)
		r.store.pause = func() { time.Sleep(time.Second) } //nolint:forbidigo // of the time of the bubble
		var all sync.WaitGroup
		all.Go(func() { r.universities("Campus") })
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, _ = r.ListUniversities(ctx, 100) // ends as the store ends it
		all.Wait()
		r.universities("Campus")
	})
}

func TestNobodyFillsTheMemoryWithFilters(t *testing.T) {
	r := open(t)
	for i := range 3 * readcache.MaxEntries {
		price := money.Amount(i)
		r.count(finding.Criteria{MinPrice: &price})
		r.titles(market.Position{}, book.ISBN(fmt.Sprint(i)))
		if n := r.cache.Len(); n > readcache.MaxEntries {
			t.Fatalf("%d entries", n)
		}
	}
}
