package findingstore

import (
	"math/bits"
	"strconv"

	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/text"
)

// Facets are further terms of a book in the full-text index. They begin with an underscore,
// which no word contains, so that no search finds them.
func universityFacet(key string) string      { return "_u" + key }
func gradeFacet(grade book.Condition) string { return "_g" + strconv.Itoa(int(grade)) }
func priceFacet(step int) string             { return "_p" + strconv.Itoa(step) }

// indexTerms are the terms of a book in the full-text index.
func indexTerms(b book.Book) []string {
	terms := append(b.Terms(), gradeFacet(b.Condition), priceFacet(priceStep(b.Price)))
	if k := text.Key(b.University); k != "" {
		terms = append(terms, universityFacet(k))
	}
	return terms
}

// facets returns groups of terms. Every book that meets the criteria has a term of each
// group.
func facets(c finding.Criteria) [][]string {
	var groups [][]string
	if c.Course != "" {
		groups = append(groups, []string{c.Course}) // a course is a term of its books
	}
	if c.University != "" {
		groups = append(groups, []string{universityFacet(c.University)})
	}
	if c.Condition != 0 {
		groups = append(groups, []string{gradeFacet(c.Condition)})
	}
	if c.MinPrice != nil || c.MaxPrice != nil {
		if steps := priceSteps(c); len(steps) <= maxSteps {
			groups = append(groups, steps)
		}
	}
	return groups
}

// maxSteps is how many price steps a search may include. A wider range contains most books;
// then comparing their prices costs less.
const maxSteps = 6

// The scale of price steps has two steps per doubling of the price. Few books are below its
// start or above its end.
const (
	minStepPrice = 4_00 // cents
	maxStepPrice = 256_00
)

func priceStep(c money.Amount) int {
	n := uint64(min(max(c, minStepPrice), maxStepPrice))
	width := bits.Len64(n)
	return 2*width + int(n>>(width-2)&1)
}

func priceSteps(c finding.Criteria) []string {
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
