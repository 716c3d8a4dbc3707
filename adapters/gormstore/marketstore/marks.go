package marketstore

import (
	"math/bits"
	"slices"
	"strconv"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
)

// Marks stand beside a book's terms. No word that somebody looks for has an
// underscore.
func universityMark(key string) string      { return "_u" + key }
func courseMark(key string) string          { return "_c" + key }
func gradeMark(grade book.Condition) string { return "_g" + strconv.Itoa(int(grade)) }

// titleMark is that of a whole title, on SQLite.
func titleMark(key string) string { return joint("_t", key) }

// exactMark is that of one price, on SQLite.
func exactMark(c money.Cents) string { return "_x" + strconv.FormatInt(int64(c), 10) }

// keysOf are marks of a book on SQLite that go with its other marks only: each tells so
// much that nothing else has to.
func keysOf(b book.Book) []string {
	keys := []string{titleMark(book.TitleKey(b.Name)), exactMark(b.Price)}
	if k := book.Key(b.Course); k != "" {
		keys = append(keys, courseMark(k))
	}
	return keys
}

// marksOf are the others of a book on SQLite.
func marksOf(b book.Book) []string {
	marks := []string{gradeMark(b.Condition), priceMark(b.Price)}
	if k := book.Key(b.University); k != "" {
		marks = append(marks, universityMark(k))
	}
	return marks
}

// marksFor are the marks that books within the criteria have, one at least of each
// group.
func marksFor(c market.Criteria) [][]string {
	var all [][]string
	if c.University != "" {
		all = append(all, []string{universityMark(c.University)})
	}
	if c.Condition != 0 {
		all = append(all, []string{gradeMark(c.Condition)})
	}
	if c.MinPrice != nil || c.MaxPrice != nil {
		all = append(all, priceMarks(lowest(c), highest(c)))
	}
	return all
}

// lowest is the least price within the criteria.
func lowest(c market.Criteria) money.Cents {
	if c.MinPrice == nil {
		return 0
	}
	return *c.MinPrice
}

// highest is the greatest.
func highest(c market.Criteria) money.Cents {
	if c.MaxPrice == nil {
		return book.MaxPrice
	}
	return min(*c.MaxPrice, book.MaxPrice)
}

func ptr(c money.Cents) *money.Cents { return &c }

// A price is marked by its place on a scale of two steps to a doubling. Few books are
// below its beginning or above its end.
const (
	leastMarked = 4_00 // cents
	mostMarked  = 256_00
)

func priceStep(c money.Cents) int {
	n := uint64(min(max(c, leastMarked), mostMarked))
	width := bits.Len64(n)
	return 2*width + int(n>>(width-2)&1)
}

func priceMarks(least, most money.Cents) []string {
	var all []string
	for step := priceStep(least); step <= priceStep(max(least, most)); step++ {
		all = append(all, "_p"+strconv.Itoa(step))
	}
	return all
}

func priceMark(c money.Cents) string { return priceMarks(c, c)[0] }

// priceRanges are criteria for one step of prices each, which are those given together.
func priceRanges(c market.Criteria, falling bool) []market.Criteria {
	var parts []market.Criteria
	for step, last := priceStep(lowest(c)), priceStep(highest(c)); step <= last; step++ {
		part := c
		if step > priceStep(leastMarked) {
			part.MinPrice = ptr(max(lowest(c), leastOf(step)))
		}
		if step < priceStep(mostMarked) {
			part.MaxPrice = ptr(min(highest(c), leastOf(step+1)-1))
		}
		parts = append(parts, part)
	}
	if falling {
		slices.Reverse(parts)
	}
	return parts
}

// wholeSteps widens a range of prices to the steps that it is in.
func wholeSteps(c market.Criteria) market.Criteria {
	least, most := priceStep(lowest(c)), priceStep(highest(c))
	c.MinPrice, c.MaxPrice = nil, nil
	if most < priceStep(mostMarked) {
		c.MaxPrice = ptr(leastOf(most+1) - 1)
	}
	if least > priceStep(leastMarked) {
		c.MinPrice = ptr(leastOf(least))
	}
	return c
}

// leastOf is the lowest price of a step that is neither the first nor past the last.
func leastOf(step int) money.Cents {
	width, half := step/2, step%2
	return money.Cents(2+half) << (width - 2)
}
