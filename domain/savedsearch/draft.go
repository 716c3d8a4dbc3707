package savedsearch

import (
	"strconv"
	"strings"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/text"
)

// MaxUniversity is how many characters a university may have: as many as one of a profile.
const MaxUniversity = 100

// Draft is the unchecked input for Details. An empty or nil field does not narrow the search.
type Draft struct {
	Query, University, Course, Condition string
	MinPrice, MaxPrice                   *money.Amount
}

// Check validates a draft for a market in this currency. ErrInvalid names every invalid field. A
// search that would find all books, or none, is invalid.
func (d Draft) Check(currency money.Currency) (Details, error) {
	c := checker{fault.CheckFields(ErrInvalid)}
	out := Details{
		Query:      c.text("query", d.Query, book.MaxQuery),
		University: c.text("university", d.University, MaxUniversity),
		Course:     c.text("course", d.Course, book.MaxCourse),
	}
	if d.Condition != "" {
		condition, ok := book.ParseCondition(d.Condition)
		out.Condition = condition
		c.Must(ok, "condition", "Choose one of New, Like New, Good, Fair, Poor.")
	}
	if d.MinPrice != nil {
		out.MinPrice = *d.MinPrice
		c.Must(
			out.MinPrice >= 0 && out.MinPrice <= book.MaxPrice, "minPrice",
			"Must be from "+currency.Format(0)+" to "+currency.Format(book.MaxPrice)+".",
		)
	}
	if d.MaxPrice != nil {
		out.MaxPrice = *d.MaxPrice
		c.Must(out.MaxPrice > 0, "maxPrice", "Must be more than 0.")
		c.Must(out.MinPrice <= out.MaxPrice, "minPrice", "Must not be above the highest price.")
	}
	c.Must(c.Failed() || out != Details{}, "query", "Enter what to look for, or choose a filter.")
	if err := c.Err(); err != nil {
		return Details{}, err
	}
	return out, nil
}

// checker collects the errors of all fields.
type checker struct{ fault.Check }

func (c *checker) text(field, s string, most int) string {
	s = strings.TrimSpace(text.StripHidden(s))
	c.Must(text.FitsLine(s, most), field,
		"Must be at most "+strconv.Itoa(most)+" characters, without control characters.")
	c.Must(s == "" || text.Key(s) != "", field, "Must have a letter or a digit.")
	return s
}
