// Package course defines which books the courses of a term need.
package course

import (
	"strconv"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/lexicon"
	"github.com/octavo-books/octavo/domain/pasted"
	"github.com/octavo-books/octavo/domain/text"
)

// ID identifies a course of one term. It stays when a later list of the term has the course, too.
type ID int64

// String returns the form on the wire.
func (i ID) String() string { return id.Format(int64(i)) }

// ListID identifies a list. Ids ascend in the order in which the terms were first uploaded.
type ListID int64

// Bounds, in characters where they are about a text.
const (
	MaxUniversity = 100 // as in a profile
	MaxTerm       = 40
	MaxBooks      = 20  // of a course
	MaxChosen     = 20  // courses that a person chooses in a term
	MaxAllChosen  = 200 // in all terms
	MaxLists      = 1000
)

// The errors of courses.
var (
	ErrInvalid      = fault.New(fault.Invalid, "course_invalid", "Some fields are invalid.")
	ErrNotFound     = fault.New(fault.NotFound, "course_not_found", "This course does not exist.")
	ErrNoList       = fault.New(fault.NotFound, "course_list_not_found", "There are no courses for this university and term.")
	ErrTooManyLists = fault.New(fault.Conflict, "too_many_course_lists", "There are a thousand lists of courses. Remove one first.")
	ErrTooMany      = fault.New(fault.Conflict, "too_many_courses", "You have chosen 200 courses. Remove those of an earlier term first.")
)

// List is the list of a term's courses at a university.
type List struct {
	ID               ListID
	University, Term string
	Courses, Books   int // how many it has
	CreatedAt        time.Time
	UpdatedAt        time.Time // when its courses were uploaded last
}

// Check returns the list without hidden characters, or ErrInvalid with every invalid field.
func (l List) Check() (List, error) {
	c := checker{fault.CheckFields(ErrInvalid)}
	l.University, l.Term = c.key("university", l.University, MaxUniversity), c.key("term", l.Term, MaxTerm)
	return l, c.Err()
}

// Book is a book that a course needs.
type Book struct {
	Name    string
	ISBN    book.ISBN // empty: unknown
	Edition int       // 0: any
}

// Course is a course of a term.
type Course struct {
	ID               ID
	List             ListID
	University, Term string
	Code, Title      string // the title may be empty
	Books            []Book
}

// Draft is an unchecked line of a list: a course, with a book unless Name and ISBN are empty.
type Draft struct{ Code, Title, ISBN, Name, Edition string }

// Check returns the course with its book. ErrInvalid names every invalid field.
func (d Draft) Check() (Course, error) {
	c := checker{fault.CheckFields(ErrInvalid)}
	out := Course{Code: c.key("course", d.Code, book.MaxCourse), Title: c.line("title", d.Title, book.MaxName)}
	b := Book{Name: c.line("name", d.Name, book.MaxName)}
	if d.ISBN != "" {
		var ok bool
		b.ISBN, ok = pasted.ISBN(d.ISBN)
		c.Must(ok, "isbn", book.WhyNoISBN(d.ISBN))
	}
	if d.Edition != "" {
		n, ok := pasted.Edition(d.Edition)
		b.Edition = n
		c.Must(ok && n >= 1 && n <= book.MaxEdition, "edition", "Must be from 1 to "+strconv.Itoa(book.MaxEdition)+".")
	}
	c.Must(b.Name != "" || d.ISBN == "" && d.Edition == "", "name", "This field is missing.")
	if b.Name != "" {
		out.Books = []Book{b}
	}
	return out, c.Err()
}

// ErrTooManyBooks refuses a line with one book too many.
var ErrTooManyBooks = ErrInvalid.WithField("name", "The course has 20 other books already.")

// Add adds the book of another line of the same course, unless the course has it, and its title if
// there was none. A course has MaxBooks books, or else the error is ErrTooManyBooks.
func (c *Course) Add(line Course) error {
	for _, b := range line.Books {
		if c.books().Has(c.Code, b.Name, b.ISBN) {
			continue
		}
		if len(c.Books) == MaxBooks {
			return ErrTooManyBooks
		}
		c.Books = append(c.Books, b)
	}
	if c.Title == "" {
		c.Title = line.Title
	}
	return nil
}

func (c *Course) books() Set {
	s := Set{}
	for _, b := range c.Books {
		s.Add(c.Code, b.Name, b.ISBN, 1)
	}
	return s
}

// Words are the folded words of the code and the title, and the code as one word. Those in traditional Chinese
// characters are also in simplified ones.
func (c Course) Words() []string {
	words := append(append(text.Words(c.Code), text.Key(c.Code)), text.Words(c.Title)...)
	if simplified := lexicon.Simplified(c.Title); simplified != c.Title {
		words = append(words, text.Words(simplified)...)
	}
	return words
}

// checker collects the errors of all fields.
type checker struct{ fault.Check }

// line checks a text that may be empty.
func (c *checker) line(field, s string, most int) string {
	s = strings.TrimSpace(text.StripHidden(s))
	c.Must(text.FitsLine(s, most) && (s == "" || !text.Blank(s)), field,
		"Must be at most "+strconv.Itoa(most)+" characters, without control characters.")
	return s
}

// key checks a text that is compared by its Key.
func (c *checker) key(field, s string, most int) string {
	s = strings.TrimSpace(text.StripHidden(s))
	c.Must(text.FitsLine(s, most) && text.Key(s) != "", field,
		"Must be 1 to "+strconv.Itoa(most)+" characters with a letter or digit, without control characters.")
	return s
}
