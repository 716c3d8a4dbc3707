package book

import (
	"slices"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/lexicon"
	"github.com/octavo-books/octavo/domain/text"
)

// MinPrefix is how many letters of a word a search completes; a single letter begins too many
// words.
const MinPrefix = 2

// Finds reports whether a search for the query lists the book, whatever else is for sale: by its
// ISBN, its course, or because every word is a term of the book, another form of one, or the
// beginning of one; if need be without fillers. It corrects no misspelling: a search does so only if it
// finds nothing else, and lists guesses.
func (q Query) Finds(b Book) bool {
	if q.ISBN != "" {
		return q.ISBN == b.ISBN
	}
	terms := b.terms(nil) // not those of requests: C++ is another word than C
	if q.finds(b, terms) {
		return true
	}
	shorter, ok := q.WithoutFillers()
	return ok && shorter.finds(b, terms)
}

func (q Query) finds(b Book, terms []string) bool {
	if q.Key != "" && q.Key == text.Key(b.Course) {
		return true
	}
	beginnings := beginningsOf(terms)
	return len(q.Words) > 0 && !slices.ContainsFunc(q.Words, func(w string) bool {
		_, found := slices.BinarySearch(beginnings, w)
		return !found
	})
}

// Beginnings returns the words of queries that find the book: its terms and their other forms, and what
// they begin with from MinPrefix letters on.
func (b Book) Beginnings() []string { return beginningsOf(b.Terms()) }

func beginningsOf(terms []string) []string {
	var all []string
	for _, term := range terms {
		for i := range term {
			if utf8.RuneCountInString(term[:i]) >= MinPrefix {
				all = append(all, term[:i])
			}
		}
		all = append(append(all, term), lexicon.Forms(term)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
