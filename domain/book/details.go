package book

import (
	"strconv"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/text"
)

// Bounds of the details.
const (
	MaxName     = 300 // characters, at least 1
	MaxCourse   = 40  // characters, at least 1
	MaxAuthors  = 300 // characters
	MaxComments = 2000
	MaxEdition  = 1000
)

// Bounds of a price, in the minor unit of any currency.
const (
	MinPrice = money.Amount(1)
	MaxPrice = money.Amount(1_000_000)
)

// ValidPrice reports whether a book may have this price.
func ValidPrice(a money.Amount) bool { return a >= MinPrice && a <= MaxPrice }

// PriceHint says which prices are valid.
func PriceHint(c money.Currency) string {
	return "Must be from " + c.Format(MinPrice) + " to " + c.Format(MaxPrice) + "."
}

// ErrInvalid refuses invalid details. Its Fields explain each invalid field, under its
// name on the wire.
var ErrInvalid = fault.New(fault.Invalid, "invalid_fields", "Some fields are invalid.")

// Details describe a book. Its seller may change them.
type Details struct {
	Name, Course string
	Edition      int
	Price        money.Amount
	Condition    Condition
	Date         time.Time // when the book becomes available
	Comments     string    // may be empty
	ISBN         ISBN      // may be empty
	Authors      string    // may be empty; separated as people like, mostly by semicolons
}

// Draft is the unchecked input for Details.
type Draft struct {
	Name, Course string
	Edition      int
	Price        money.Amount
	Condition    string
	Date         time.Time
	Comments     string
	ISBN         string // empty: none
	Authors      string // empty: unknown
}

// Check validates a draft for a market in this currency. It removes hidden characters from the
// texts. ErrInvalid names every invalid field.
func (d Draft) Check(currency money.Currency, now time.Time) (Details, error) {
	return d.check(currency, func(date time.Time) bool { return nearby(date, now) })
}

// yearsNearby is how far the date of a book may lie in the past and in the future.
const yearsNearby = 2

// nearby reports whether a date lies within yearsNearby of today, whole days included.
func nearby(date, now time.Time) bool {
	from, to := DatesNear(now)
	return !date.Before(from) && !date.After(to)
}

// DatesNear returns the first and the last moment of the dates that a book may have.
func DatesNear(now time.Time) (from, to time.Time) {
	const day = 24 * time.Hour
	today := now.UTC().Truncate(day)
	return today.AddDate(-yearsNearby, 0, 0), today.AddDate(yearsNearby, 0, 0).Add(day - time.Nanosecond)
}

func (d Draft) check(currency money.Currency, validDate func(time.Time) bool) (Details, error) {
	c := checker{fault.CheckFields(ErrInvalid)}
	d.Name, d.Course, d.Comments = text.StripHidden(d.Name), text.StripHidden(d.Course), text.StripHidden(d.Comments)
	d.Authors = strings.TrimSpace(text.StripHidden(d.Authors))
	d.Date = d.Date.UTC().Truncate(time.Microsecond) // before the check: UTC may change the day
	condition, known := ParseCondition(d.Condition)
	c.Must(known, "condition", "Choose one of New, Like New, Good, Fair, Poor.")
	c.text("name", d.Name, MaxName)
	c.text("course", d.Course, MaxCourse)
	c.between("edition", d.Edition, 1, MaxEdition)
	c.Must(ValidPrice(d.Price), "price", PriceHint(currency))
	c.Must(validDate(d.Date), "date", "Must be a date within two years of today.")
	c.comments(d.Comments)
	c.authors(d.Authors)
	isbn := c.isbn(d.ISBN)
	return Details{
		Name: d.Name, Course: d.Course, Edition: d.Edition, Price: d.Price, Condition: condition,
		Date: d.Date, Comments: d.Comments, ISBN: isbn, Authors: d.Authors,
	}, c.Err()
}

// Patch changes some of the details. Nil leaves a field unchanged; an empty ISBN, empty authors or
// empty comments delete the value.
type Patch struct {
	Name, Course *string
	Edition      *int
	Price        *money.Amount
	Condition    *string
	Date         *time.Time
	Comments     *string
	ISBN         *string
	Authors      *string
}

// Apply returns the patched details, validated as in Draft.Check. The day that a book has may
// stay, however long ago it is.
func (p Patch) Apply(to Details, currency money.Currency, now time.Time) (Details, error) {
	d := Draft{
		Name: to.Name, Course: to.Course, Edition: to.Edition, Price: to.Price,
		Condition: to.Condition.String(), Date: to.Date, Comments: to.Comments, ISBN: string(to.ISBN),
		Authors: to.Authors,
	}
	set(&d.Name, p.Name)
	set(&d.Course, p.Course)
	set(&d.Edition, p.Edition)
	set(&d.Price, p.Price)
	set(&d.Condition, p.Condition)
	set(&d.Date, p.Date)
	set(&d.Comments, p.Comments)
	set(&d.ISBN, p.ISBN)
	set(&d.Authors, p.Authors)
	const day = 24 * time.Hour
	return d.check(currency, func(date time.Time) bool {
		return date.Truncate(day).Equal(to.Date.UTC().Truncate(day)) || nearby(date, now)
	})
}

// sample is valid details.
var sample = Details{Name: "Name", Course: "Course", Edition: 1, Price: MinPrice, Condition: New, Date: time.Unix(0, 0)}

// Check refuses a patch that is invalid for any details. A date that is valid only for a book
// that has it is refused together with other fields alone.
func (p Patch) Check(currency money.Currency, now time.Time) error {
	_, err := p.Apply(sample, currency, now)
	if f := fault.As(err); f != nil && len(f.Fields) == 1 && f.Fields["date"] != "" && p.Date != nil && !p.Date.IsZero() {
		return nil
	}
	return err
}

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

// RequestDraft is the unchecked input for RequestDetails.
type RequestDraft struct {
	Name, Course string
	ISBN         string        // empty: any
	Authors      string        // empty: any
	Edition      *int          // nil: any
	MaxPrice     *money.Amount // nil: any
}

// Check validates a draft for a market in this currency. It removes hidden characters from the
// texts. ErrInvalid names every invalid field.
func (d RequestDraft) Check(currency money.Currency) (RequestDetails, error) {
	c := checker{fault.CheckFields(ErrInvalid)}
	out := RequestDetails{Name: text.StripHidden(d.Name), Course: text.StripHidden(d.Course),
		Authors: strings.TrimSpace(text.StripHidden(d.Authors))}
	c.text("name", out.Name, MaxName)
	c.text("course", out.Course, MaxCourse)
	c.authors(out.Authors)
	if d.Edition != nil {
		c.between("edition", *d.Edition, 1, MaxEdition)
		out.Edition = *d.Edition
	}
	if d.MaxPrice != nil {
		c.Must(ValidPrice(*d.MaxPrice), "maxPrice", PriceHint(currency))
		out.MaxPrice = *d.MaxPrice
	}
	out.ISBN = c.isbn(d.ISBN)
	return out, c.Err()
}

// checker collects the errors of all fields.
type checker struct{ fault.Check }

func (c *checker) text(field, s string, longest int) {
	c.Must(!text.Blank(s) && text.FitsLine(s, longest), field,
		"Must be 1 to "+strconv.Itoa(longest)+" characters, not blank and without control characters.")
}

func (c *checker) comments(s string) {
	c.Must(text.FitsLines(s, MaxComments), "Comments",
		"Must be at most "+strconv.Itoa(MaxComments)+" characters, without control characters other than line breaks.")
}

func (c *checker) authors(s string) {
	c.Must(text.FitsLine(s, MaxAuthors), "authors",
		"Must be at most "+strconv.Itoa(MaxAuthors)+" characters, without control characters.")
}

func (c *checker) between(field string, n, low, high int) {
	c.Must(n >= low && n <= high, field, "Must be from "+strconv.Itoa(low)+" to "+strconv.Itoa(high)+".")
}

func (c *checker) isbn(s string) ISBN {
	if s == "" {
		return ""
	}
	isbn, ok := ParseISBN(s)
	c.Must(ok, "ISBN", WhyNoISBN(s))
	return isbn
}
