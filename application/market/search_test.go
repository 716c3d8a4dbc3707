package market_test

import (
	"context"
	"slices"
	"testing"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/contract"
)

// asked notes which reads a search makes.
type asked struct {
	contract.MarketPorts
	reads []string
}

func (a *asked) ListBooksForSale(ctx context.Context, c market.Criteria, s market.Sort, after market.Position, n int) ([]market.BookView, error) {
	a.reads = append(a.reads, "list")
	return a.MarketPorts.ListBooksForSale(ctx, c, s, after, n)
}

func (a *asked) FindBooksByCourseOrTitle(ctx context.Context, course, title string, c market.Criteria, n int) ([]book.Candidate, error) {
	if course != "" || title != "" {
		a.reads = append(a.reads, "exact")
	}
	return a.MarketPorts.FindBooksByCourseOrTitle(ctx, course, title, c, n)
}

func (a *asked) FindBooksByWords(ctx context.Context, groups [][]string, c market.Criteria, n int) ([]book.Candidate, error) {
	a.reads = append(a.reads, "words")
	return a.MarketPorts.FindBooksByWords(ctx, groups, c, n)
}

// A read of the index costs as much as all else in a search.
func TestASearchReadsNothingTwice(t *testing.T) {
	b := contract.NewMarketFixture(open(t))
	ann := b.Join(t, "ann", user.Regular)
	b.Post(t, ann, contract.Draft("Linear Algebra", "MTH 165", 10_00))
	b.Post(t, ann, contract.Draft("Topology", "MTH 165H", 10_00))
	for range 100 {
		b.Post(t, ann, contract.Draft("Calculus", "MTH 161", 10_00))
	}
	for text, want := range map[string][]string{
		"xyzzyplugh":      nil,                        // no term begins with it or is like it
		"csc 172":         nil,                        // nor is there such a course
		"algebra":         {"list", "words"},          // the word might be a course; no other term begins with it
		"linear algebra":  {"words"},                  // both together are none
		"mth 165":         {"list", "words", "words"}, // the last is the beginning of 165h
		"calculus":        {"list", "words", "exact"}, // there may be older ones with that title
		"calculus xyzzyp": nil,                        // nothing has both
		"mth 161":         {"list"},                   // a page of them
		"algebra linaer":  {"words"},                  // a slip
	} {
		a := &asked{MarketPorts: b.Ports}
		_, _, err := market.NewCatalogue(a, a, a).Search(t.Context(), user.Caller{}, text, market.Filter{}, market.Page{Limit: 20})
		if err != nil || !slices.Equal(a.reads, want) {
			t.Errorf("%s: read %q, want %q, %v", text, a.reads, want, err)
		}
	}
}
