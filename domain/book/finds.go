package book

import (
	"slices"
	"unicode/utf8"
)

// MinPrefix is how many letters of a word a search completes; a single letter begins too many
// words.
const MinPrefix = 2

// Finds reports whether a search for the query lists the book, whatever else is for sale: by its
// ISBN, its course, its title, or because every word is a term of the book or the beginning of
// one; if need be without fillers. It corrects no misspelling: a search does so only if it finds
// nothing else, and lists guesses.
func (q Query) Finds(b Book) bool {
	if q.ISBN != "" {
		return q.ISBN == b.ISBN
	}
	c := Candidate{Course: b.Course, Title: TitleKey(b.Name)}
	if q.finds(c) {
		return true
	}
	shorter, ok := q.WithoutFillers()
	return ok && shorter.finds(c)
}

func (q Query) finds(c Candidate) bool {
	var terms []string
	score := q.score(c, &terms)
	if score >= sameTitle || score < prefixes {
		return score >= sameTitle
	}
	terms = c.Terms()
	return !slices.ContainsFunc(q.Words, func(w string) bool {
		return utf8.RuneCountInString(w) < MinPrefix && !slices.Contains(terms, w)
	})
}

// Beginnings returns the words of queries that find the book: its terms, and what they begin
// with from MinPrefix letters on.
func (b Book) Beginnings() []string {
	var all []string
	for _, term := range b.Terms() {
		letters := 0
		for i := range term {
			if letters >= MinPrefix {
				all = append(all, term[:i])
			}
			letters++
		}
		all = append(all, term)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
