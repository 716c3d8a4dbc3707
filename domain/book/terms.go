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
		terms = append(append(terms, splitDigits(w)...), w)
	}
	if len(words) > 1 {
		terms = append(terms, strings.Join(words, ""))
	}
	return terms
}

// splitDigits splits "csc172" into "csc" and "172".
func splitDigits(w string) []string {
	var out []string
	start := 0
	for i, r := range w {
		before, _ := utf8.DecodeLastRuneInString(w[:i])
		if i > 0 && unicode.IsNumber(r) != unicode.IsNumber(before) {
			out = append(out, w[start:i])
			start = i
		}
	}
	return append(out, w[start:])
}
