package isbntable

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/pasted"
)

// columns are the positions of the columns; -1 for one that the file does not have.
type columns struct{ isbn, name, authors, edition, year, course int }

// columnsOf reads the header. Other columns are ignored.
func columnsOf(header []string) (columns, error) {
	c := columns{-1, -1, -1, -1, -1, -1}
	for i, name := range header {
		known := map[string]*int{
			"isbn": &c.isbn, "name": &c.name, "authors": &c.authors, "edition": &c.edition, "year": &c.year, "course": &c.course,
		}
		at := known[strings.ToLower(strings.TrimSpace(name))]
		switch {
		case at == nil:
		case *at >= 0:
			return c, fmt.Errorf("line 1: the column %s is named twice", name)
		default:
			*at = i
		}
	}
	if c.isbn < 0 || c.name < 0 {
		return c, fmt.Errorf("line 1: the columns isbn and name are required, authors, edition, year and course are optional; the file must be in UTF-8 with commas between its cells, and has %.60q", header[0])
	}
	return c, nil
}

// parse reads a line. An empty edition, year or course is unknown.
func (c columns) parse(fields []string) (book.ISBN, book.Suggestion, error) {
	at := func(column int) string {
		if column < 0 {
			return ""
		}
		return strings.TrimSpace(fields[column])
	}
	isbn, ok := book.ParseISBN(at(c.isbn))
	if !ok {
		return "", book.Suggestion{}, fmt.Errorf("isbn: %.40q is not 10 or 13 digits with a correct check digit", at(c.isbn))
	}
	s := book.Suggestion{Name: strings.Clone(at(c.name)), Authors: strings.Clone(at(c.authors)), Course: strings.Clone(at(c.course))}
	if edition := at(c.edition); edition != "" {
		n, err := strconv.Atoi(edition)
		if err != nil || n < 1 || n > book.MaxEdition {
			return "", s, fmt.Errorf("edition: %.40q is not a number from 1 to %d", edition, book.MaxEdition)
		}
		s.Edition = n
	}
	if year := at(c.year); year != "" {
		n, ok := pasted.Year(year)
		if !ok {
			return "", s, fmt.Errorf("year: %.40q names no year from %d to %d", year, book.MinYear, book.MaxYear)
		}
		s.Year = n
	}
	if f := fault.As(s.Check()); f != nil {
		field := slices.Min(slices.Collect(maps.Keys(f.Fields)))
		return "", s, fmt.Errorf("%s: %s", field, f.Fields[field])
	}
	return isbn, s, nil
}
