package book

import (
	"slices"
	"strings"
	"unicode"
)

// fillers are words that people add to a search but that do not narrow it.
var fillers = setOf("book", "books", "textbook", "textbooks", "livre", "livres", "manuel", "manuels")

// editionWords mark the numbers in a query as editions rather than courses.
var editionWords = setOf("ed", "edn", "edition", "editions")

// ordinalSuffixes end a number that is an edition.
var ordinalSuffixes = setOf("st", "nd", "rd", "th", "e", "ed", "eme")

// WithoutFillers returns the query without fillers and editions; false if it has none or
// consists of them.
func (q Query) WithoutFillers() (Query, bool) {
	words := strings.Fields(q.Title)
	numbered := slices.ContainsFunc(words, func(w string) bool { return editionWords[w] })
	kept := slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		rest := strings.TrimLeftFunc(w, unicode.IsDigit)
		digits := len(w) - len(rest)
		return fillers[w] || editionWords[w] || digits > 0 && ordinalSuffixes[rest] || numbered && rest == "" && digits <= 2
	})
	if len(kept) == len(words) || len(kept) == 0 {
		return Query{}, false
	}
	return Query{Key: strings.Join(kept, ""), Title: strings.Join(kept, " "), Words: significant(kept)}, true
}
