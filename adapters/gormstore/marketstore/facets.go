package marketstore

import (
	"math/bits"
	"strconv"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
)

// Facets are terms beside those of a book's name and course. No word that somebody looks for
// has an underscore.
func universityFacet(key string) string      { return "_u" + key }
func gradeFacet(grade book.Condition) string { return "_g" + strconv.Itoa(int(grade)) }
func priceFacet(step int) string             { return "_p" + strconv.Itoa(step) }

// entry is what the full-text index holds of a book.
func entry(b book.Book) []string {
	terms := append(b.Terms(), gradeFacet(b.Condition), priceFacet(priceStep(b.Price)))
	if k := book.Key(b.University); k != "" {
		terms = append(terms, universityFacet(k))
	}
	return terms
}

// facets are groups of terms; a book within the criteria has one of each group.
func facets(c market.Criteria) [][]string {
	var groups [][]string
	if c.Course != "" {
		groups = append(groups, []string{c.Course}) // a term of its books
	}
	if c.University != "" {
		groups = append(groups, []string{universityFacet(c.University)})
	}
	if c.Condition != 0 {
		groups = append(groups, []string{gradeFacet(c.Condition)})
	}
	if c.MinPrice != nil || c.MaxPrice != nil {
		if steps := priceSteps(c); len(steps) <= mostSteps {
			groups = append(groups, steps)
		}
	}
	return groups
}

// mostSteps is how many steps of prices are looked for. Most books are within more, and it
// costs less to look at their prices.
const mostSteps = 6

// A price is known by its place on a scale of two steps to a doubling. Few books are
// below its beginning or above its end.
const (
	leastStep = 4_00 // cents
	mostStep  = 256_00
)

func priceStep(c money.Cents) int {
	n := uint64(min(max(c, leastStep), mostStep))
	width := bits.Len64(n)
	return 2*width + int(n>>(width-2)&1)
}

func priceSteps(c market.Criteria) []string {
	least, most := book.MinPrice, book.MaxPrice
	if c.MinPrice != nil {
		least = *c.MinPrice
	}
	if c.MaxPrice != nil {
		most = *c.MaxPrice
	}
	var steps []string
	for step := priceStep(least); step <= priceStep(max(least, most)); step++ {
		steps = append(steps, priceFacet(step))
	}
	return steps
}
