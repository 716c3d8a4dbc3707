package book

import (
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
)

// Spellings are the keys by which a misspelled word is found: the word itself, and the word
// with each one of its letters deleted. Two words share a key if they differ by one
// substituted, missing, added or transposed letter. Short and very long words have no keys,
// nor have words with digits: another digit is another course.
func Spellings(w string) []string {
	if !correctable(w) {
		return nil
	}
	keys := []string{w}
	for i, r := range w {
		keys = append(keys, w[:i]+w[i+utf8.RuneLen(r):])
	}
	return distinct(keys)
}

// endings is how many letters Stem removes.
const endings = 2

// Stem returns the common prefix of a long word and of words with other endings:
// "statisti" for statistics and statistical. A shorter word is its own stem.
func Stem(w string) string {
	if !correctable(w) || utf8.RuneCountInString(w) < longSpelling {
		return w
	}
	letters := []rune(w)
	return string(letters[:len(letters)-endings])
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
