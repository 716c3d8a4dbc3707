//go:build !windows

package market_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/savedsearch"
	"github.com/octavo-books/octavo/domain/user"
)

// BenchmarkSavedSearches measures a post, and the job that follows it, with and without saved
// searches: 100,000 of them, or as many as OCTAVO_BENCH_SEARCHES says.
func BenchmarkSavedSearches(b *testing.B) {
	c := open(b)
	post := func(n int) error {
		_, err := c.Listings.Post(b.Context(), c.seller, book.Draft{
			Name: fmt.Sprintf("Introduction to Linear Algebra and its Applications %d", n%50), Course: fmt.Sprintf("MTH %d", n%500), Edition: 3,
			Price: 4550, Condition: "Good", Date: time.Now(),
		})
		return err
	}
	rest := func() {
		for {
			if _, found, err := c.Jobs.Take(b.Context(), market.MatchSearches); err != nil || !found {
				check(b, err)
				return
			}
		}
	}
	rest()
	b.Run("PostWithout", func(b *testing.B) { measure(b, post) })
	rest()
	fillSearches(b, c)
	b.Run("PostWith", func(b *testing.B) { measure(b, post) })
	rest()
	b.Run("PostAndJobs", func(b *testing.B) {
		measure(b, func(n int) error {
			err := post(n)
			rest()
			return err
		})
	})
}

// fillSearches saves the searches of a campus: most for words and courses, some for a campus or
// a price alone.
func fillSearches(b *testing.B, c *campus) {
	b.Helper()
	n := 100_000
	if testing.Short() {
		n = 1000
	}
	if s := os.Getenv("OCTAVO_BENCH_SEARCHES"); s != "" {
		var err error
		n, err = strconv.Atoi(s)
		check(b, err)
	}
	for first := 0; first < n; first += 1000 {
		check(b, c.store.Atomically(b.Context(), func(ctx context.Context, s market.Stores) error {
			for i := first; i < min(n, first+1000); i++ {
				d := savedsearch.Details{Query: fmt.Sprintf("calculus %d", i%5000), MaxPrice: money.Amount(2000 + i%5000)}
				switch i % 10 {
				case 0, 1, 2:
					d = savedsearch.Details{Course: fmt.Sprintf("MTH %d", i%3000)}
				case 3:
					d = savedsearch.Details{Query: "algebra", Course: fmt.Sprintf("PHY %d", i%3000)}
				case 4:
					d = savedsearch.Details{University: fmt.Sprintf("University %d", i%50), MaxPrice: 500}
				}
				var words []string
				for _, set := range d.Words() {
					words = append(words, set[len(set)-1])
				}
				search := savedsearch.Search{ID: savedsearch.ID(c.ids.Next()), Owner: user.ID(3 + i/50), Details: d, CreatedAt: time.Now()}
				if err := c.store.FindingStore(s).AddSearch(ctx, search, d.Keys(words), n); err != nil {
					return err
				}
			}
			return nil
		}))
	}
}
