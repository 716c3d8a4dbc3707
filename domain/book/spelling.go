package book

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/lexicon"
)

// Lengths in letters. Shorter words than minSpelling are not corrected: too many are alike.
// Longer ones than maxSpelling are not either: each letter adds a key as long as the word.
// From longSpelling on, a word may have two errors.
const (
	minSpelling  = 4
	minSpelled   = 3 // of a word that a longer one may be a misspelling of
	minMoved     = 5 // a letter of such a word may be in another place, but not of its first two
	sameLetters  = 2
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

// SpellingsOf are the keys under which a term is found. One of three letters is found as what remains of four.
func SpellingsOf(term string) []string {
	if lettersFrom(minSpelled, term) && !correctable(term) {
		return []string{term}
	}
	return Spellings(term)
}

func correctable(w string) bool { return lettersFrom(minSpelling, w) }

// lettersFrom reports whether a word has so many letters, not too many, and no digits.
func lettersFrom(least int, w string) bool {
	letters := utf8.RuneCountInString(w)
	return letters >= least && letters <= maxSpelling && strings.IndexFunc(w, unicode.IsNumber) < 0
}

// Near reports whether a word may be a misspelling of a term: one letter is substituted, missing,
// added, or transposed with its neighbour or, in words of five letters or more, moved; or two in words of
// eight letters or more.
func Near(word, term string) bool {
	if !correctable(word) || !lettersFrom(minSpelled, term) {
		return false
	}
	x, y := []rune(word), []rune(term)
	allowed := 1
	if len(x) >= longSpelling && len(y) >= longSpelling {
		allowed = 2
	}
	if len(x)-len(y) > allowed || len(y)-len(x) > allowed {
		return false
	}
	return distance(x, y) <= allowed || moved(x, y)
}

// moved reports whether two words are the same but for a letter that one has before and the other behind the
// same others: grate and great, apostle and apostol.
func moved(a, b []rune) bool {
	if len(a) != len(b) || len(a) < minMoved {
		return false
	}
	first, last := 0, len(a)-1
	for first < last && a[first] == b[first] {
		first++
	}
	for first < last && a[last] == b[last] {
		last--
	}
	return first >= sameLetters && (slices.Equal(a[first+1:last+1], b[first:last]) || slices.Equal(a[first:last], b[first+1:last+1]))
}

// Resemble reports whether a word may stand for a term: as another form of it, or as a misspelling of that.
func Resemble(word, term string) bool {
	form := lexicon.Canon(term)
	return Near(word, term) || form == lexicon.Canon(word) || Near(word, form)
}

// distance is the optimal string alignment distance: the fewest insertions, deletions,
// substitutions and transpositions of neighbours, without editing a letter twice.
func distance(a, b []rune) int {
	var memory [3 * (maxSpelling + 1)]int // on the stack; few words are longer
	n := len(b) + 1
	rows := memory[:]
	if len(rows) < 3*n {
		rows = make([]int, 3*n)
	}
	before, above, row := rows[:n], rows[n:2*n], rows[2*n:3*n]
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
