//go:build !windows

package market_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/application/market/finding"
)

// BenchmarkHits searches for two words with about the same number of hits on a campus of any
// size: the cost of a search grows with its hits, up to the hundred that are ranked.
func BenchmarkHits(b *testing.B) {
	c := open(b)
	for _, wanted := range []int{0, 10, 30, 60, 100} {
		text, hits := c.pairWith(b, wanted)
		b.Run(strconv.Itoa(wanted), func(b *testing.B) {
			do := c.search(text)
			measure(b, func(int) error { return do(b.Context()) })
			b.ReportMetric(float64(hits), "hits")
		})
	}
}

var (
	kindsOfBook = strings.Fields("introduction modern advanced principles essentials concise reader workbook practice cases beginners context problems exploring lectures")
	subjects    = strings.Fields("algebra pragmatics economics immunology spain syntax databases linguistics trade writing computing antennas soil neuroscience anthropology chemistry physics guide wolfcott oldquist torshaw halfeld edgrave")
)

// pairWith returns two words that about the wanted number of books have.
func (c *campus) pairWith(b *testing.B, wanted int) (text string, hits int) {
	hits = -1 << 20
	for _, kind := range kindsOfBook {
		for _, subject := range subjects {
			found, err := c.store.FindBooksByWords(b.Context(), [][]string{{kind}, {subject}}, finding.Criteria{}, 2*wanted+10)
			check(b, err)
			if abs(len(found)-wanted) < abs(hits-wanted) {
				text, hits = kind+" "+subject, len(found)
			}
		}
	}
	return text, hits
}

func abs(n int) int { return max(n, -n) }
