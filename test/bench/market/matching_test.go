//go:build !windows

package market_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

// BenchmarkPostBesideRequests measures a post that fits one open request, beside few and beside
// 200,000 of them, or as many as OCTAVO_BENCH_REQUESTS says.
func BenchmarkPostBesideRequests(b *testing.B) {
	c := open(b)
	n := 200_000
	if testing.Short() {
		n = 1000
	}
	if s := os.Getenv("OCTAVO_BENCH_REQUESTS"); s != "" {
		var err error
		n, err = strconv.Atoi(s)
		check(b, err)
	}
	const few = 100 // one for each name that is posted
	post := func(i int) error {
		_, err := c.Listings.Post(b.Context(), c.seller, book.Draft{
			Name: requestedName(i % few), Course: fmt.Sprintf("NEW %d", i%few), Edition: 3, Price: 4550, Condition: "Good", Date: time.Now(),
		})
		return err
	}
	request := func(i int) {
		owner := user.Caller{ID: user.ID(3 + i%(c.size/20-3)), Student: true}
		_, _, err := c.Requests.Add(b.Context(), owner, book.RequestDraft{Name: requestedName(i), Course: fmt.Sprintf("REQ %d", i%7000)})
		check(b, err)
	}
	for i := range few {
		request(i)
	}
	b.Run("Few", func(b *testing.B) { measure(b, post) })
	for i := few; i < n; i++ {
		request(i)
	}
	b.Run("Many", func(b *testing.B) { measure(b, post) })
}

// requestedName returns one of any number of titles, whose words each occur in thousands.
func requestedName(i int) string {
	words := []string{"organic", "linear", "modern", "applied", "general", "discrete", "cellular", "financial", "classical", "social"}
	subjects := []string{"chemistry", "algebra", "physics", "statistics", "biology", "mathematics", "genetics", "accounting", "mechanics", "psychology"}
	return fmt.Sprintf("%s %s volume %d", words[i%10], subjects[i/10%10], i)
}
