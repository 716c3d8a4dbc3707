package book

import (
	"slices"
	"strings"
	"unicode"

	"github.com/octavo-books/octavo/domain/lexicon"
)

// fillers are words that people add to a search but that do not narrow it.
var fillers = setOf("book", "books", "textbook", "textbooks", "livre", "livres", "manuel", "manuels", "isbn")

// editionWords mark the numbers in a query as editions rather than courses.
var editionWords = setOf("ed", "edn", "edition", "editions", "auflage", "aufl", "edicion", "edizione", "editie", "wydanie")

// WithoutFillers returns the query without fillers and editions; false if it has none or
// consists of them.
func (q Query) WithoutFillers() (Query, bool) {
	words := q.phrase.Words
	numbered := slices.ContainsFunc(words, func(w string) bool { return editionWords[w] })
	kept := slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		_, ordinal := lexicon.Ordinal(w)
		digits := strings.TrimLeftFunc(w, unicode.IsDigit) == ""
		return fillers[w] || editionWords[w] || ordinal && w[0] <= '9' || numbered && digits && len(w) <= 2
	})
	if len(kept) == len(words) || len(kept) == 0 {
		return Query{}, false
	}
	return newQuery(strings.Join(kept, " ")), true
}
