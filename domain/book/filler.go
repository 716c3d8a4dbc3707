package book

import (
	"slices"
	"strings"
	"unicode"
)

// fillers are words that people add to a search and that say nothing about which
// book they want.
var fillers = setOf("book", "books", "textbook", "textbooks", "livre", "livres", "manuel", "manuels")

// edition says that a number beside it is that of an edition, and no course.
var edition = setOf("ed", "edn", "edition", "editions")

// ordinals are what a number ends with that is one of an edition.
var ordinals = setOf("st", "nd", "rd", "th", "e", "ed", "eme")

// Looser is the query without fillers and editions; false if it has none, or
// nothing else.
func (q Query) Looser() (Query, bool) {
	words := strings.Fields(q.Title)
	numbered := slices.ContainsFunc(words, func(w string) bool { return edition[w] })
	kept := slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		rest := strings.TrimLeftFunc(w, unicode.IsDigit)
		digits := len(w) - len(rest)
		return fillers[w] || edition[w] || digits > 0 && ordinals[rest] || numbered && rest == "" && digits <= 2
	})
	if len(kept) == len(words) || len(kept) == 0 {
		return Query{}, false
	}
	return Query{Key: strings.Join(kept, ""), Title: strings.Join(kept, " "), Words: significant(kept)}, true
}
