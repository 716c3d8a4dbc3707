package book

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Terms are the words by which a search finds a book: the words of its name and course,
// the letters and digits of the course separately, and the course code as one word.
func (b Book) Terms() []string { return termsOf(TitleKey(b.Name), b.Course) }

// Terms are the terms of the book.
func (c Candidate) Terms() []string { return termsOf(c.Title, c.Course) }

func termsOf(title, course string) []string {
	return distinct(appendCourse(appendTitle(nil, title), course))
}

// appendTitle adds the terms of a folded title.
func appendTitle(terms []string, title string) []string {
	for w := range strings.FieldsSeq(title) {
		terms = append(terms, w)
	}
	return terms
}

// appendCourse adds the terms of a course.
func appendCourse(terms []string, course string) []string {
	words := Words(course)
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
