package market_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/course"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/must"
)

// fakeStandby is fresh until a read fails.
type fakeStandby struct {
	fresh  bool
	failed error
}

func (s *fakeStandby) IsFresh() bool    { return s.fresh }
func (s *fakeStandby) Failed(err error) { s.fresh, s.failed = false, err }

// marksOf are the marks of who has just written.
type marksOf []user.ID

func (m marksOf) IsMarked(_ context.Context, id user.ID) (bool, error) {
	return slices.Contains(m, id), nil
}

func (marksOf) MarkWriter(context.Context, user.ID, time.Duration) error { return nil }

// downMarks are marks that cannot be read.
type downMarks struct{ market.WriteMarks }

func (downMarks) IsMarked(context.Context, user.ID) (bool, error) { return false, errors.New("down") }

// twoMarkets are a primary and a standby, each with a book of its own name.
func twoMarkets(t *testing.T) (primary, standby *contract.MarketFixture) {
	primary, standby = contract.NewMarketFixture(open(t)), contract.NewMarketFixture(open(t))
	primary.Post(t, primary.Join(t, "ann", user.Regular), contract.Draft("Primary", "MTH 161", 10_00))
	standby.Post(t, standby.Join(t, "ann", user.Regular), contract.Draft("Standby", "MTH 161", 10_00))
	return primary, standby
}

// listOver returns the titles that a catalogue over both lists for a caller.
func listOver(t *testing.T, primary, standby *contract.MarketFixture, reads *market.StandbyReads, by user.Caller) string {
	t.Helper()
	views, _, err := primary.Catalogue.WithStandby(market.OnStandby[finding.Catalogue]{UseCase: standby.Catalogue, Reads: reads}).
		List(t.Context(), by, finding.Filter{}, market.Page{})
	must.Do(t, err)
	return titles(views)
}

func titles(views []market.BookView) string {
	var all []string
	for _, v := range views {
		all = append(all, v.Name)
	}
	return strings.Join(all, ", ")
}

func TestWhoReadsFromTheStandby(t *testing.T) {
	primary, standby := twoMarkets(t)
	marks := marksOf{7}
	anonymous, reader, writer := user.Caller{}, user.Caller{ID: 8}, user.Caller{ID: 7}
	for name, c := range map[string]struct {
		stale bool
		marks market.WriteMarks
		by    user.Caller
		want  string
	}{
		"nobody in particular":                      {by: anonymous, want: "Standby"},
		"nobody, while it is not fresh":             {stale: true, by: anonymous, want: "Primary"},
		"somebody whose credential is not accepted": {by: user.Caller{Unknown: true}, want: "Primary"},
		"somebody, without marks":                   {by: reader, want: "Primary"},
		"somebody who has written nothing":          {marks: marks, by: reader, want: "Standby"},
		"somebody who has just written":             {marks: marks, by: writer, want: "Primary"},
		"an application of who has just written":    {marks: marks, by: user.Caller{ID: 7, Client: "app"}, want: "Primary"},
		"somebody, while the marks are down":        {marks: downMarks{}, by: reader, want: "Primary"},
		"nobody, while the marks are down":          {marks: downMarks{}, by: anonymous, want: "Standby"},
	} {
		reads := market.NewStandbyReads(&fakeStandby{fresh: !c.stale}, c.marks)
		if got := listOver(t, primary, standby, reads, c.by); got != c.want {
			t.Errorf("%s reads from %s, want %s", name, got, c.want)
		}
		if onStandby, onPrimary := reads.CountReads(); onStandby+onPrimary != 1 || (onStandby == 1) != (c.want == "Standby") {
			t.Errorf("%s: %d reads on the standby and %d on the primary are counted", name, onStandby, onPrimary)
		}
	}
}

// failingReader is a market whose lists fail or hang.
type failingReader struct {
	contract.MarketPorts
	err   error
	calls int
}

func (f *failingReader) ListBooksForSale(ctx context.Context, _ finding.Criteria, _ finding.Sort, _ market.Position, _ int) ([]market.BookView, error) {
	f.calls++
	if f.err == nil {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return nil, f.err
}

func TestAReadThatFailsOnTheStandbyIsRepeatedOnThePrimary(t *testing.T) {
	for name, err := range map[string]error{"fails": errors.New("canceling statement due to conflict with recovery"), "hangs": nil} {
		primary, standby := twoMarkets(t)
		synctest.Test(t, func(t *testing.T) {
			broken := &failingReader{MarketPorts: standby.Ports, err: err}
			standby.Catalogue = rooms.New(standby.Deps, broken, rooms.Config{}).Catalogue
			server := &fakeStandby{fresh: true}
			reads := market.NewStandbyReads(server, nil)
			for range 2 {
				if got := listOver(t, primary, standby, reads, user.Caller{}); got != "Primary" {
					t.Errorf("a standby that %s lists %s", name, got)
				}
			}
			if server.failed == nil || broken.calls != 1 {
				t.Errorf("a standby that %s was asked %d times, failed: %v", name, broken.calls, server.failed)
			}
		})
	}
}

func TestARefusalIsNotRepeatedOnThePrimary(t *testing.T) {
	primary, standby := twoMarkets(t)
	server := &fakeStandby{fresh: true}
	reads := market.NewStandbyReads(server, nil)
	_, _, err := primary.Catalogue.WithStandby(market.OnStandby[finding.Catalogue]{UseCase: standby.Catalogue, Reads: reads}).
		List(t.Context(), user.Caller{}, finding.Filter{}, market.Page{Cursor: "?"})
	if _, onPrimary := reads.CountReads(); !errors.Is(err, market.ErrCursor) || server.failed != nil || onPrimary != 0 {
		t.Errorf("error %v, failed: %v, %d reads on the primary", err, server.failed, onPrimary)
	}
}

// Whatever else a use case reads, one book is read from the primary.
func TestWhatTheStandbyServes(t *testing.T) {
	primary, standby := twoMarkets(t)
	reads := market.NewStandbyReads(&fakeStandby{fresh: true}, marksOf{})
	ann := primary.Join(t, "bea", user.Owner)
	catalogue := primary.Catalogue.WithStandby(market.OnStandby[finding.Catalogue]{UseCase: standby.Catalogue, Reads: reads})
	discovery := primary.Discovery.WithStandby(market.OnStandby[finding.Discovery]{UseCase: standby.Discovery, Reads: reads})
	statistics := primary.Statistics.WithStandby(market.OnStandby[guarding.Statistics]{UseCase: standby.Statistics, Reads: reads})
	prices := primary.Prices.WithStandby(market.OnStandby[selling.Prices]{UseCase: standby.Prices, Reads: reads})
	courses := primary.Courses.WithStandby(market.OnStandby[finding.Courses]{UseCase: standby.Courses, Reads: reads})
	ctx, anyone := t.Context(), user.Caller{}
	for name, read := range map[string]func() error{
		"List": func() error { _, _, err := catalogue.List(ctx, anyone, finding.Filter{}, market.Page{}); return err },
		"Search": func() error {
			return must.Err(catalogue.Search(ctx, anyone, "standby", finding.Filter{}, market.Page{}))
		},
		"SuggestSearch": func() error { return must.Err(catalogue.Suggest(ctx, anyone, "x")) },
		"ListByOffset":  func() error { _, err := catalogue.ListByOffset(ctx, anyone, 1, 0); return err },
		"Browse":        func() error { _, err := discovery.Browse(ctx, anyone, "", finding.Filter{}, market.Page{}); return err },
		"Title": func() error {
			return must.Err(discovery.Title(ctx, anyone, "9780262033848", finding.Filter{}, market.Page{}))
		},
		"ListOthers": func() error {
			return must.Err(discovery.ListOthers(ctx, anyone, book.Book{Details: book.Details{Name: "x"}}))
		},
		"Suggest":   func() error { _, err := discovery.Suggest(ctx, anyone, finding.Filter{}); return err },
		"ForUser":   func() error { _, err := statistics.ForUser(ctx, ann); return err },
		"Dashboard": func() error { _, err := statistics.Dashboard(ctx, ann, ""); return err },
		"OfPeriod":  func() error { return must.Err(statistics.OfPeriod(ctx, ann, "", time.Time{}, time.Time{})) },
		"Hint":      func() error { _, err := prices.Hint(ctx, anyone, selling.PriceQuery{Name: "x"}); return err },
		"Terms":     func() error { _, err := courses.Terms(ctx, ann, "x"); return err },
		"Find": func() error {
			return must.Err(courses.Find(ctx, ann, finding.Term{University: "x"}, "", market.Page{}))
		},
	} {
		before, _ := reads.CountReads()
		if err := read(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if after, onPrimary := reads.CountReads(); after != before+1 || onPrimary != 0 {
			t.Errorf("%s reads %d times from the standby, %d times from the primary", name, after-before, onPrimary)
		}
	}
	if v, err := catalogue.Get(ctx, anyone, onlyBook(t, standby)); err != nil || v.Name != "Primary" { // the ids are the same
		t.Errorf("one book is read from %s, %v", v.Name, err)
	}
	must.Refuse(t, courses.Choose(ctx, ann, finding.Term{University: "x"}, nil), course.ErrNoList, "choose")
}

func onlyBook(t *testing.T, b *contract.MarketFixture) book.ID {
	t.Helper()
	views, err := b.Catalogue.ListByOffset(t.Context(), user.Caller{}, 1, 0)
	if err != nil || len(views) != 1 {
		t.Fatalf("%d books, %v", len(views), err)
	}
	return views[0].ID
}
