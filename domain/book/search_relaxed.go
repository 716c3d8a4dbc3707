package book

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

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
	numbered := slices.ContainsFunc(q.phrase.Words, isEditionWord)
	return q.instead(q.edition, func(w string) string {
		_, ordinal := lexicon.Ordinal(w)
		if fillers[w] || editionWords[w] || ordinal && w[0] <= '9' || numbered && isEdition(w) {
			return ""
		}
		return w
	})
}

// Without returns the query without some of its words; false if it has none of them or no others.
func (q Query) Without(words []string) (Query, bool) {
	return q.instead(q.edition, func(w string) string {
		if slices.Contains(words, w) {
			return ""
		}
		return w
	})
}

// Mistakes returns in how many places words are wrong: in a script without spaces, one character is in two of them.
func Mistakes(words []string) (n int) {
	for i := 0; i < len(words); i++ {
		n++
		if i+1 < len(words) && overlap(words[i], words[i+1]) {
			i++
		}
	}
	return n
}

func overlap(a, b string) bool {
	last, _ := utf8.DecodeLastRuneInString(a)
	return lexicon.Unspaced(last) && strings.HasPrefix(b, string(last))
}

// instead is the query with other words, or without those of which change makes none; false if these are the same
// or none are left.
func (q Query) instead(edition int, change func(word string) string) (Query, bool) {
	words := changed(q.phrase.Words, change)
	if len(words) == 0 || slices.Equal(words, q.phrase.Words) {
		return Query{}, false
	}
	other := newQuery(strings.Join(words, " "))
	other.edition, other.text = max(other.edition, edition), changedText(q.text, change)
	return other, true
}

func changed(words []string, change func(word string) string) (kept []string) {
	for _, w := range words {
		if w = change(w); w != "" {
			kept = append(kept, w)
		}
	}
	return kept
}

// changedText returns a text with its words changed. What has none of these stays as it is typed.
func changedText(text string, change func(word string) string) string {
	var parts []string
	for part := range strings.FieldsSeq(text) {
		words := lexicon.Split(part).Words
		if other := changed(words, change); !slices.Equal(other, words) {
			part = strings.Join(other, " ")
		}
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " ")
}

// isEdition reports whether a word may be the number of an edition.
func isEdition(w string) bool {
	return len(w) <= 2 && strings.TrimLeftFunc(w, unicode.IsDigit) == ""
}

// withNumbers returns the query with "5" for "fifth".
func (q Query) withNumbers() (Query, bool) {
	return q.instead(q.edition, func(w string) string {
		if n, ok := lexicon.Ordinal(w); ok && w[0] > '9' {
			return strconv.Itoa(n)
		}
		return w
	})
}

// ofEdition returns the query for the edition that the last word is: hibbeler statics 15.
func (q Query) ofEdition() (Query, bool) {
	words := q.phrase.Words
	if len(words) < 2 || !isEdition(words[len(words)-1]) {
		return Query{}, false
	}
	last := words[len(words)-1]
	other, ok := q.instead(atoi(last), func(w string) string {
		if w == last {
			return ""
		}
		return w
	})
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
