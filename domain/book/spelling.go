package book

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Words too short to be corrected, words long enough for two slips, and words too long:
// every letter of a word is one more key, which is as long as the word.
const (
	minSpelling  = 4
	longSpelling = 8
	maxSpelling  = 32
)

// Spellings are the keys under which a word is found although it is misspelt:
// the word itself and the word without each one of its letters. Two words that
// differ in one letter that is wrong, missing, added or moved share a key. Short and
// very long words and words with digits have none: another digit is another course.
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

// endings is how many letters the ending of a long word may have.
const endings = 2

// Stem is what words with other endings share with a long one, as "statisti" is
// of statistics and statistical; a shorter word is its own.
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

// Near reports whether one word may be a slip for the other: one letter wrong,
// missing, added or swapped with its neighbour, two in words of eight letters
// or more.
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

// distance is the optimal string alignment distance: the fewest insertions,
// deletions, substitutions and swaps of neighbours, none of them edited twice.
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
