package finding

import (
	"strings"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/pasted"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// Sort is the order of a list of books.
type Sort string

// The orders. The default is newest first for a list and best match first for a search.
const (
	DefaultOrder Sort = ""
	Newest       Sort = "newest"
	PriceAsc     Sort = "price"
	PriceDesc    Sort = "-price"
)

// Filter narrows a list of books. Its texts are compared without regard to case, accents
// and punctuation. An empty or nil field does not narrow.
type Filter struct {
	University, Course string
	NotUniversity      string // not the books of this university
	Condition          string
	MinPrice, MaxPrice *money.Amount
	Sort               Sort
}

// ErrFilter refuses a filter; its Fields say why.
var ErrFilter = fault.New(fault.Invalid, "filter_invalid", "The filter is invalid.")

// criteria validates the filter. It excludes the books of notBy.
func (f Filter) criteria(notBy user.ID) (Criteria, error) {
	c := Criteria{University: text.Key(f.University), NotUniversity: text.Key(f.NotUniversity), Course: text.Key(f.Course), NotBy: notBy}
	var refusal *fault.Error
	refuse := func(field, why string) {
		if refusal == nil {
			refusal = ErrFilter
		}
		refusal = refusal.WithField(field, why)
	}
	if f.University != "" && c.University == "" {
		refuse("university", "Must have a letter or a digit.")
	}
	if f.Course != "" && c.Course == "" {
		refuse("course", "Must have a letter or a digit.")
	}
	if f.Condition != "" {
		var ok bool
		if c.Condition, ok = pasted.Condition(f.Condition); !ok {
			refuse("condition", "Choose one of "+conditionNames()+".")
		}
	}
	f.prices(&c, refuse)
	switch f.Sort {
	case DefaultOrder, Newest, PriceAsc, PriceDesc:
	default:
		refuse("sort", "Choose one of newest, price, -price.")
	}
	if refusal != nil {
		return Criteria{}, refusal
	}
	return c, nil
}

func (f Filter) prices(c *Criteria, refuse func(field, why string)) {
	c.MinPrice, c.MaxPrice = f.MinPrice, f.MaxPrice
	if c.MaxPrice != nil && *c.MaxPrice <= 0 {
		refuse("maxPrice", "Must be more than 0.")
	}
	if c.MinPrice != nil && c.MaxPrice != nil && *c.MinPrice > *c.MaxPrice {
		refuse("minPrice", "Must not be above the highest price.")
	}
}

func conditionNames() string {
	var names []string
	for _, c := range book.Conditions() {
		names = append(names, c.String())
	}
	return strings.Join(names, ", ")
}
