package book

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/octavo-books/octavo/domain/lexicon"
)

// Relaxed returns what to look for instead if no book has the words of the query, in this order: the words
// without fillers and editions, numbers for the words of an order (Henry the Fifth), the edition that a number
// at the end may be, and the words without single letters.
func (q Query) Relaxed() (all []Query) {
	for _, relax := range []func() (Query, bool){q.WithoutFillers, q.withNumbers, q.ofEdition, q.withoutLetters} {
		if relaxed, ok := relax(); ok {
			all = append(all, relaxed)
		}
	}
	return all
}

// WithoutFillers returns the query without fillers and editions; false if it has none or
// consists of them.
func (q Query) WithoutFillers() (Query, bool) {
	words := q.phrase.Words
	numbered := slices.ContainsFunc(words, func(w string) bool { return editionWords[w] })
	kept := slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		_, ordinal := lexicon.Ordinal(w)
		return fillers[w] || editionWords[w] || ordinal && w[0] <= '9' || numbered && isEdition(w)
	})
	return q.instead(kept, q.edition)
}

// instead is the query for other words; false if these are the same or none.
func (q Query) instead(words []string, edition int) (Query, bool) {
	if len(words) == 0 || slices.Equal(words, q.phrase.Words) {
		return Query{}, false
	}
	other := newQuery(strings.Join(words, " "))
	other.edition = max(other.edition, edition)
	return other, true
}

// isEdition reports whether a word may be the number of an edition.
func isEdition(w string) bool {
	return len(w) <= 2 && strings.TrimLeftFunc(w, unicode.IsDigit) == ""
}

// withNumbers returns the query with "5" for "fifth".
func (q Query) withNumbers() (Query, bool) {
	words := slices.Clone(q.phrase.Words)
	for i, w := range words {
		if n, ok := lexicon.Ordinal(w); ok && w[0] > '9' {
			words[i] = strconv.Itoa(n)
		}
	}
	return q.instead(words, q.edition)
}

// ofEdition returns the query for the edition that the last word is: hibbeler statics 15.
func (q Query) ofEdition() (Query, bool) {
	last := len(q.phrase.Words) - 1
	if last < 1 || !isEdition(q.phrase.Words[last]) {
		return Query{}, false
	}
	other, ok := q.instead(q.phrase.Words[:last], atoi(q.phrase.Words[last]))
	other.only = ok && other.edition > 0
	return other, other.only
}

// withoutLetters returns the query with single letters that a book need not have: initials of authors who are
// listed with their names, and words that are not typed yet. It is false if it has none.
func (q Query) withoutLetters() (Query, bool) {
	q.sought = slices.Clone(q.sought)
	some := false
	for i, s := range q.sought {
		if s.initial && !s.optional {
			q.sought[i].optional, some = true, true
		}
	}
	return q, some && q.hasRequired()
}
