package book

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/lexicon"
	"github.com/octavo-books/octavo/domain/text"
)

// Terms are the words by which a search finds a book: those of its name and authors, see lexicon, the
// words by which requests match its name, the letters and digits of its course separately, and the
// course code as one word.
func (b Book) Terms() []string { return b.terms(matchWords(b.Name)) }

// terms adds those of a search.
func (b Book) terms(terms []string) []string {
	terms = append(terms, lexicon.Split(b.Name).Terms()...)
	if b.Authors != "" {
		terms = append(terms, lexicon.Split(b.Authors).Terms()...)
	}
	return distinct(appendCourse(terms, b.Course))
}

// appendCourse adds the terms of a course.
func appendCourse(terms []string, course string) []string {
	words := text.Words(course)
	for _, w := range words {
		terms = append(appendParts(terms, w), w)
	}
	if len(words) > 1 {
		terms = append(terms, strings.Join(words, ""))
	}
	return terms
}

// appendParts adds "csc" and "172" of "csc172", and nothing of a word without parts.
func appendParts(terms []string, w string) []string {
	start := 0
	for i, r := range w {
		before, _ := utf8.DecodeLastRuneInString(w[:i])
		if i > 0 && unicode.IsNumber(r) != unicode.IsNumber(before) {
			terms = append(terms, w[start:i])
			start = i
		}
	}
	if start > 0 {
		terms = append(terms, w[start:])
	}
	return terms
}
