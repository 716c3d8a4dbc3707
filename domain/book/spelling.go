package book

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Lengths in letters. Shorter words than minSpelling are not corrected: too many are alike.
// Longer ones than maxSpelling are not either: each letter adds a key as long as the word.
// From longSpelling on, a word may have two errors.
const (
	minSpelling  = 4
	longSpelling = 8
	maxSpelling  = 32

	spelledPrefix = 6 // so many letters have keys
)

// Spellings are the keys by which a misspelled word is found: the first letters of the word, and those
// without each one of them. Two words that are Near share a key, unless both of two errors are in these
// letters. Short and very long words have no keys, nor have words with digits: another digit is another
// course.
func Spellings(w string) []string {
	if !correctable(w) {
		return nil
	}
	letters := []rune(w)
	first := letters[:min(len(letters), spelledPrefix)]
	keys := []string{string(first)}
	for i := range first {
		keys = append(keys, string(slices.Delete(slices.Clone(first), i, i+1)))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func correctable(w string) bool {
	letters := utf8.RuneCountInString(w)
	return letters >= minSpelling && letters <= maxSpelling && strings.IndexFunc(w, unicode.IsNumber) < 0
}

// Near reports whether one word may be a misspelling of the other: one letter is
// substituted, missing, added or transposed with its neighbour, or two in words of eight
// letters or more.
func Near(a, b string) bool {
	if !correctable(a) || !correctable(b) {
		return false
	}
	x, y := []rune(a), []rune(b)
	allowed := 1
	if len(x) >= longSpelling && len(y) >= longSpelling {
		allowed = 2
	}
	if len(x)-len(y) > allowed || len(y)-len(x) > allowed {
		return false
	}
	return distance(x, y) <= allowed
}

// distance is the optimal string alignment distance: the fewest insertions, deletions,
// substitutions and transpositions of neighbours, without editing a letter twice.
func distance(a, b []rune) int {
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}
