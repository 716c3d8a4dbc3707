// Package desk defines where a campus takes in and hands out books.
package desk

import (
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/text"
)

// Desk is where and when the students of a university hand in and pick up books. A
// university has at most one.
type Desk struct {
	University   string
	Place, Hours string
	Notes        string // further lines; may be empty
	UpdatedAt    time.Time
}

// The errors of desks.
var (
	ErrInvalid  = fault.New(fault.Invalid, "desk_invalid", "Some fields are invalid.")
	ErrNotFound = fault.New(fault.NotFound, "desk_not_found", "This desk does not exist.")
	ErrTooMany  = fault.New(fault.Conflict, "too_many_desks", "There are a thousand desks. Remove one first.")
)

// Bounds of a desk, in characters, and of their number.
const (
	MaxLine  = 200
	MaxNotes = 1000
	Max      = 1000
)

// Check returns the desk without hidden characters, or an error that names every invalid
// field.
func (d Desk) Check() (Desk, error) {
	c := fault.CheckFields(ErrInvalid)
	for _, f := range []struct {
		name  string
		value *string
	}{{"university", &d.University}, {"place", &d.Place}, {"hours", &d.Hours}} {
		*f.value = text.StripHidden(*f.value)
		c.Must(!text.Blank(*f.value) && text.FitsLine(*f.value, MaxLine),
			f.name, "Must be 1 to 200 characters without control characters.")
	}
	c.Must(c.Failed() || text.Key(d.University) != "", "university", "Must contain a letter or digit.")
	d.Notes = text.StripHidden(d.Notes)
	c.Must(text.FitsLines(d.Notes, MaxNotes),
		"notes", "Must be at most 1000 characters without control characters other than line breaks.")
	if err := c.Err(); err != nil {
		return Desk{}, err
	}
	return d, nil
}
