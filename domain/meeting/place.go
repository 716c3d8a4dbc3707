package meeting

import (
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/text"
)

// PlaceID identifies a place.
type PlaceID int64

// String returns the form on the wire.
func (i PlaceID) String() string { return id.Format(int64(i)) }

// Place is a public place of a university at which people meet.
type Place struct {
	ID         PlaceID
	University string
	Spot
	OpeningHours OpeningHours
	UpdatedAt    time.Time
}

// Spot is what people read of a place.
type Spot struct {
	Name       string
	Directions string // how to find it; may be empty
	Hours      string // in their own words
}

// The errors of places.
var (
	ErrPlaceInvalid  = fault.New(fault.Invalid, "place_invalid", "Some fields are invalid.")
	ErrPlaceNotFound = fault.New(fault.NotFound, "place_not_found", "This place does not exist.")
	ErrTooManyPlaces = fault.New(fault.Conflict, "too_many_places", "There are fifty places at this university. Remove one first.")
)

// Bounds of a place, in characters, and of the places of a university.
const (
	MaxLine       = 200
	MaxDirections = 1000
	MaxPlaces     = 50
)

// Check returns the place without hidden characters, or an error that names every invalid
// field.
func (p Place) Check() (Place, error) {
	c := fault.CheckFields(ErrPlaceInvalid)
	c.Must(text.Key(p.University) != "", "university", "Must contain a letter or digit.")
	for _, f := range []struct {
		name  string
		value *string
	}{{"university", &p.University}, {"name", &p.Name}, {"hours", &p.Hours}} {
		*f.value = text.StripHidden(*f.value)
		c.Must(!text.Blank(*f.value) && text.FitsLine(*f.value, MaxLine),
			f.name, "Must be 1 to 200 characters without control characters.")
	}
	p.Directions = text.StripHidden(p.Directions)
	c.Must(text.FitsLines(p.Directions, MaxDirections),
		"directions", "Must be at most 1000 characters without control characters other than line breaks.")
	open, ok := p.OpeningHours.Check()
	c.Must(ok, "openingHours", openingRule)
	if err := c.Err(); err != nil {
		return Place{}, err
	}
	p.OpeningHours = open
	return p, nil
}
