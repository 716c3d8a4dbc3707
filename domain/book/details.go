package book

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/text"
)

// Bounds of what people may write.
const (
	MaxName     = 300 // characters, at least 1
	MaxCourse   = 40  // characters, at least 1
	MaxComments = 2000
	MaxEdition  = 1000
	MinPrice    = money.Cents(1)
	MaxPrice    = money.Cents(10_000_00)
)

// ErrInvalid refuses details that break a rule; its fields say which and why,
// under their names on the wire.
var ErrInvalid = fault.New(fault.Invalid, "invalid_fields", "Some fields are not valid.")

// Details are what a seller says of a book and may revise.
type Details struct {
	Name, Course string
	Edition      int
	Price        money.Cents
	Condition    Condition
	Date         time.Time // when the book is to be had
	Comments     string    // may be empty
	ISBN         ISBN      // may be empty
}

// Draft is a Details as a person wrote it.
type Draft struct {
	Name, Course string
	Edition      int
	Price        money.Cents
	Condition    string
	Date         time.Time
	Comments     string
	ISBN         string // empty: none
}

// Check makes details of a draft, without the hidden characters in its texts;
// ErrInvalid names every field that breaks a rule.
func (d Draft) Check() (Details, error) {
	var c checker
	d.Name, d.Course, d.Comments = text.Plain(d.Name), text.Plain(d.Course), text.Plain(d.Comments)
	d.Date = d.Date.UTC().Truncate(time.Microsecond) // which may change its year
	condition, known := ParseCondition(d.Condition)
	c.must(known, "condition", "Choose one of New, Like New, Good, Fair, Poor.")
	c.text("name", d.Name, MaxName)
	c.text("course", d.Course, MaxCourse)
	c.between("edition", d.Edition, 1, MaxEdition)
	c.must(d.Price >= MinPrice && d.Price <= MaxPrice, "price", "Must be from 0.01 to 10000.00.")
	c.must(d.Date.Year() >= 1900 && d.Date.Year() <= 9999, "date", "Must be a date from the year 1900 on.")
	c.comments(d.Comments)
	isbn := c.isbn(d.ISBN)
	return Details{
		Name: d.Name, Course: d.Course, Edition: d.Edition, Price: d.Price, Condition: condition,
		Date: d.Date, Comments: d.Comments, ISBN: isbn,
	}, c.err()
}

// Patch changes some of the details; nil leaves a field as it is, an empty ISBN
// or empty comments remove them.
type Patch struct {
	Name, Course *string
	Edition      *int
	Price        *money.Cents
	Condition    *string
	Date         *time.Time
	Comments     *string
	ISBN         *string
}

// Apply returns the details with the patch on top; ErrInvalid as in Check.
func (p Patch) Apply(to Details) (Details, error) {
	d := Draft{
		Name: to.Name, Course: to.Course, Edition: to.Edition, Price: to.Price,
		Condition: to.Condition.String(), Date: to.Date, Comments: to.Comments, ISBN: string(to.ISBN),
	}
	set(&d.Name, p.Name)
	set(&d.Course, p.Course)
	set(&d.Edition, p.Edition)
	set(&d.Price, p.Price)
	set(&d.Condition, p.Condition)
	set(&d.Date, p.Date)
	set(&d.Comments, p.Comments)
	set(&d.ISBN, p.ISBN)
	return d.Check()
}

// sample is a Details that breaks no rule.
var sample = Details{Name: "Name", Course: "Course", Edition: 1, Price: MinPrice, Condition: New, Date: time.Unix(0, 0)}

// Check refuses a patch that no details could take, as Apply would.
func (p Patch) Check() error {
	_, err := p.Apply(sample)
	return err
}

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

// Want is a Wish as a person wrote it.
type Want struct {
	Name, Course string
	ISBN         string       // empty: any
	Edition      *int         // nil: any
	MaxPrice     *money.Cents // nil: any
}

// Check makes a wish, without the hidden characters in its texts; ErrInvalid names
// every field that breaks a rule.
func (w Want) Check() (Wish, error) {
	var c checker
	out := Wish{Name: text.Plain(w.Name), Course: text.Plain(w.Course)}
	c.text("name", out.Name, MaxName)
	c.text("course", out.Course, MaxCourse)
	if w.Edition != nil {
		c.between("edition", *w.Edition, 1, MaxEdition)
		out.Edition = *w.Edition
	}
	if w.MaxPrice != nil {
		c.must(*w.MaxPrice >= MinPrice && *w.MaxPrice <= MaxPrice, "maxPrice", "Must be from 0.01 to 10000.00.")
		out.MaxPrice = *w.MaxPrice
	}
	out.ISBN = c.isbn(w.ISBN)
	return out, c.err()
}

// checker gathers what is wrong, field by field.
type checker struct{ refusal *fault.Error }

func (c *checker) must(ok bool, field, why string) {
	if ok {
		return
	}
	if c.refusal == nil {
		c.refusal = ErrInvalid
	}
	c.refusal = c.refusal.WithField(field, why)
}

func (c *checker) text(field, s string, longest int) {
	c.must(!text.Blank(s) && utf8.RuneCountInString(s) <= longest && Printable(s, false), field,
		"Must be 1 to "+strconv.Itoa(longest)+" characters, not blank and without control characters.")
}

func (c *checker) comments(s string) {
	c.must(utf8.RuneCountInString(s) <= MaxComments && Printable(s, true), "Comments",
		"Must be at most "+strconv.Itoa(MaxComments)+" characters; of control characters only line breaks.")
}

func (c *checker) between(field string, n, low, high int) {
	c.must(n >= low && n <= high, field, "Must be from "+strconv.Itoa(low)+" to "+strconv.Itoa(high)+".")
}

func (c *checker) isbn(s string) ISBN {
	if s == "" {
		return ""
	}
	isbn, ok := ParseISBN(s)
	c.must(ok, "ISBN", "Must be 10 or 13 digits with a right check digit.")
	return isbn
}

func (c *checker) err() error {
	if c.refusal == nil {
		return nil
	}
	return c.refusal
}

// Printable reports whether s is valid UTF-8 without control characters
// (Unicode category Cc); line breaks pass where they are allowed.
func Printable(s string, lines bool) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool {
		lineBreak := r == '\n' || r == '\r'
		return unicode.IsControl(r) && (!lines || !lineBreak)
	}) < 0
}
