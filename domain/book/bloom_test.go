package book_test

import (
	"strconv"
	"testing"

	"github.com/octavo-books/octavo/domain/book"
	"pgregory.net/rapid"
)

// The filters are stored: with other hash functions, existing requests would not be found.
func TestBloomFiltersOfStoredRequestsDoNotChange(t *testing.T) {
	for _, c := range []struct {
		words []string
		want  book.BloomFilter
	}{{nil, 0}, {[]string{"algebra"}, 0x8000000100000}, {[]string{"linear", "algebra"}, 0x8001100100000}, {[]string{"é"}, 0x400000000000001}} {
		if got := book.NewBloomFilter(c.words); got != c.want {
			t.Errorf("%v: %#x", c.words, int64(got))
		}
	}
}

func TestABloomFilterContainsAllItsSubsets(t *testing.T) {
	words := rapid.SliceOf(rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		some, more := words.Draw(t, "some"), words.Draw(t, "more")
		if all := book.NewBloomFilter(append(more, some...)); !all.ContainsAll(book.NewBloomFilter(some)) || all < 0 {
			t.Errorf("%#x", int64(all))
		}
	})
}

func TestABloomFilterHasFewFalsePositives(t *testing.T) {
	taken := 0
	offered := book.NewBloomFilter([]string{"introduction", "linear", "algebra", "applications", "strang"})
	for i := range 1000 {
		if offered.ContainsAll(book.NewBloomFilter([]string{"strang", "essays" + strconv.Itoa(i)})) {
			taken++
		}
	}
	if taken > 100 {
		t.Errorf("%d of 1000 names that lack a word match", taken)
	}
}
