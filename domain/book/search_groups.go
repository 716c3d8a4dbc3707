package book

import (
	"slices"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/lexicon"
)

// Lookups are all words that Groups would like to know whether they are terms, and the course code
// that the whole text may be.
func (q Query) Lookups() []string {
	all := []string{q.Key}
	for _, s := range q.sought {
		all = append(all, s.word)
		if !s.optional {
			all = append(all, lexicon.Forms(s.word)...)
		}
	}
	for _, j := range q.phrase.Joins {
		all = appendJoin(all, j)
	}
	return distinct(all)
}

// appendJoin adds the terms of what several words are together: of numbers in words, all forms.
func appendJoin(terms []string, j lexicon.Join) []string {
	terms = append(terms, j.Text)
	if lexicon.Canon(j.Text)[0] <= '9' {
		terms = append(terms, lexicon.Forms(j.Text)...)
	}
	return terms
}

// Sought is a word of a query with the terms that stand for it.
type Sought struct {
	Word  string
	Last  bool     // the text ends with it
	Terms []string // the word itself, other forms of it, and what it is together with its neighbours; those that are known
}

// Groups returns each word that a book must have, with those of the known terms that stand for it.
// Two words that are one term together each have it, so that a book has it or both words.
func (q Query) Groups(known []string) []Sought {
	isTerm := func(w string) bool { return slices.Contains(known, w) }
	var groups []Sought
	for i, s := range q.sought {
		if s.optional || slices.ContainsFunc(groups, func(g Sought) bool { return g.Word == s.word }) {
			continue
		}
		g := Sought{Word: s.word, Last: s.last}
		for _, form := range append([]string{s.word}, lexicon.Forms(s.word)...) {
			if isTerm(form) && !slices.Contains(g.Terms, form) {
				g.Terms = append(g.Terms, form)
			}
		}
		for _, j := range q.phrase.Joins {
			if j.From > i || i >= j.To {
				continue
			}
			for _, form := range appendJoin(nil, j) {
				if isTerm(form) && !slices.Contains(g.Terms, form) {
					g.Terms = append(g.Terms, form)
				}
			}
		}
		groups = append(groups, g)
	}
	return groups
}

// Completable reports whether a search completes the word: one letter begins too many words, unless it
// is of a script without spaces.
func Completable(w string) bool {
	r, n := utf8.DecodeRuneInString(w)
	return n > 0 && (utf8.RuneCountInString(w) >= MinPrefix || lexicon.Unspaced(r))
}

// minHalf is how many letters each of two words has that are written as one.
const minHalf = 3

// Splits are the ways to read a word as two, the longest halves first: operating system.
func Splits(w string) [][2]string {
	runes := []rune(w)
	if !correctable(w) {
		return nil
	}
	var all [][2]string
	for i := minHalf; i+minHalf <= len(runes); i++ {
		all = append(all, [2]string{string(runes[:i]), string(runes[i:])})
	}
	slices.SortStableFunc(all, func(a, b [2]string) int {
		return min(len(b[0]), len(b[1])) - min(len(a[0]), len(a[1]))
	})
	return all
}
