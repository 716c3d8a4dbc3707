package course

import (
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/text"
)

// Set holds books, each with a number that is not 0, and finds one that is the same as another:
// the ISBNs are equal or, if one of them is unknown, the courses and the titles.
type Set map[string]int64

func setKeys(code, name string, isbn book.ISBN) (number, title, unnumbered string) {
	title = "t:" + text.Key(code) + " " + book.TitleKey(name)
	return "i:" + string(isbn), title, "n" + title
}

// Add adds a book. Of the same books the last one stays.
func (s Set) Add(code, name string, isbn book.ISBN, n int64) {
	number, title, unnumbered := setKeys(code, name, isbn)
	s[title] = n
	if isbn == "" {
		s[unnumbered] = n
		return
	}
	s[number] = n
}

// Find returns the number of the same book, 0 if there is none.
func (s Set) Find(code, name string, isbn book.ISBN) int64 {
	number, title, unnumbered := setKeys(code, name, isbn)
	if isbn == "" {
		return s[title]
	}
	if n := s[number]; n != 0 {
		return n
	}
	return s[unnumbered]
}

// Has reports whether the set has the same book.
func (s Set) Has(code, name string, isbn book.ISBN) bool { return s.Find(code, name, isbn) != 0 }
