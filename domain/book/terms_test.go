package book_test

import (
	"slices"
	"testing"

	"github.com/octavo-books/octavo/domain/book"
	"pgregory.net/rapid"
)

// TestEachTermOfABookHasAReadingAmongItsParts is what an index of combined parts
// rests on.
func TestEachTermOfABookHasAReadingAmongItsParts(t *testing.T) {
	word := rapid.StringMatching(`([a-c]{1,3}|[0-3]{1,2}|[éÄ数]|the|of|en){1,4}`)
	text := rapid.Custom(func(t *rapid.T) (s string) {
		for _, w := range rapid.SliceOfN(word, 1, 5).Draw(t, "words") {
			s += w + rapid.SampledFrom([]string{" ", "-", "", "/"}).Draw(t, "after")
		}
		return s
	})
	rapid.Check(t, func(t *rapid.T) {
		b := book.Book{Details: book.Details{Name: text.Draw(t, "name"), Course: text.Draw(t, "course")}}
		parts := b.Parts()
		for _, term := range b.Terms() {
			readings := book.Readings(term)
			among := func(reading []string) bool {
				return len(reading) > 0 && !slices.ContainsFunc(reading, func(p string) bool { return !slices.Contains(parts, p) })
			}
			if readings != nil && !slices.ContainsFunc(readings, among) {
				t.Fatalf("%q is read as %q, which are not among %q", term, readings, parts)
			}
		}
	})
}

func TestThePartsOfACourseCodeAreKeptOnce(t *testing.T) {
	for course, want := range map[string][]string{
		"CSC 172": {"logic", "csc", "172"},
		"csc172":  {"logic", "csc", "172"},
		"CSC172L": {"logic", "csc", "172", "l"},
		"AH ABC":  {"logic", "ah", "abc", "ahabc"},
		"A 1":     {"logic", "1"},
		"1A2B3C":  {"logic", "1", "2", "b", "3", "c", "1a2b3c"},
	} {
		b := book.Book{Details: book.Details{Name: "The Logic", Course: course}}
		if got := b.Parts(); !slices.Equal(got, want) {
			t.Errorf("%s has the parts %q", course, got)
		}
	}
}
