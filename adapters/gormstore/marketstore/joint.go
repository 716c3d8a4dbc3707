package marketstore

import (
	"slices"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
)

// To find the books that have two terms, FTS5 walks the books of both: the more there
// are, the longer that takes, though it may find none. So there the entry of a book
// also has a term for each two of its parts and marks: their list holds what is looked
// for and nothing else.

// jointEntry is a book's terms and marks, and the joint ones, for SQLite.
func jointEntry(b book.Book) string {
	marks, keys := marksOf(b), keysOf(b)
	text := []byte(strings.Join(slices.Concat(b.Terms(), marks, keys), " "))
	sums := hashes(append(b.Parts(), marks...))
	text = slices.Grow(text, len(sums)*len(sums)*jointLength/2+len(keys)*len(marks)*jointLength)
	for i, one := range sums {
		for _, other := range sums[i+1:] {
			text = appendJoint(append(text, ' '), one, other)
		}
	}
	for _, key := range hashes(keys) {
		for _, m := range sums[len(sums)-len(marks):] {
			text = appendJoint(append(text, ' '), key, m)
		}
	}
	return string(text)
}

// joint is the term for two others, in either order.
func joint(a, b string) string {
	return string(appendJoint(nil, xxhash.Sum64String(a), xxhash.Sum64String(b)))
}

// appendJoint writes the term for two others by their hashes. 44 bits keep it short; what
// it would find wrongly, ranking leaves out.
func appendJoint(to []byte, a, b uint64) []byte {
	return strconv.AppendUint(append(to, "_2"...), (a+b)>>20, 36)
}

const jointLength = 12 // with the space before it

func hashes(terms []string) []uint64 {
	sums := make([]uint64, len(terms))
	for i, t := range terms {
		sums[i] = xxhash.Sum64String(t)
	}
	return sums
}

// shelfLists are expressions of which a book within the criteria answers every one and,
// where prices are given, in place of the criteria's has one of these.
func shelfLists(c market.Criteria, prices ...money.Cents) []string {
	of := c.Course
	if c.Course = ""; prices == nil {
		if of == "" {
			return lists(nil, c)
		}
		return lists([][]string{{courseMark(of)}}, c)
	}
	c.MinPrice, c.MaxPrice = nil, nil
	exact := make([]string, len(prices))
	for i, p := range prices {
		exact[i] = exactMark(p)
	}
	all := lists([][]string{exact}, c)
	if of != "" {
		all = append(all, either([]string{courseMark(of)}))
	}
	return all
}

// lists are expressions of which a book that has a word of each group and meets the
// criteria answers every one. The criteria's course is a term of its books. There is a
// group or a criterion.
func lists(groups [][]string, c market.Criteria) []string {
	if c.Course != "" {
		groups = append(slices.Clone(groups), []string{c.Course})
	}
	var all []string
	for i := 1; i < len(groups); i += 2 {
		all = append(all, together(groups[i-1], groups[i]))
	}
	if n := len(groups); n > 1 && n%2 == 1 {
		all = append(all, together(groups[n-2], groups[n-1]))
	}
	marks := marksFor(c)
	if len(groups) == 0 {
		groups, marks = apart(marks)
	}
	with := telling(groups)
	for _, m := range marks {
		all = append(all, together(with, m))
	}
	if all == nil {
		all = append(all, either(with))
	}
	return all
}

// apart takes out of marks the group that narrows most, to go with each other: the last,
// which is that of prices if there is one, but not if it has several steps of these.
func apart(marks [][]string) (with, others [][]string) {
	i := len(marks) - 1
	if len(marks[i]) > 1 {
		i = 0
	}
	return marks[i : i+1], slices.Concat(marks[:i], marks[i+1:])
}

// telling is the group that narrows most, as far as can be told from here: of those with
// the fewest words the last, for titles go from the common to the particular.
func telling(groups [][]string) []string {
	best := groups[0]
	for _, g := range groups[1:] {
		if len(g) <= len(best) {
			best = g
		}
	}
	return best
}

// maxJoint is how many terms are looked up for two groups; if there are more, the lists
// of the single words are walked.
const maxJoint = 128

// together asks for one word at least of each of two groups.
func together(some, others []string) string {
	walked := either(some) + " AND " + either(others)
	if len(some)*len(others) > maxJoint {
		return walked
	}
	var pairs []string
	for _, x := range some {
		for _, y := range others {
			pairs = append(pairs, both(x, y))
		}
	}
	looked := "(" + strings.Join(pairs, " OR ") + ")"
	if strings.Count(looked, `"`) > 2*maxJoint {
		return walked
	}
	return looked
}

// both asks for two words. An insignificant one has no term together with another.
func both(x, y string) string {
	ofX, ofY := readings(x), readings(y)
	switch {
	case x == y:
		return `"` + x + `"`
	case ofX == nil || ofY == nil:
		return `("` + x + `" AND "` + y + `")`
	}
	var ways []string
	for _, these := range ofX {
		for _, those := range ofY {
			terms := crossed(these, those)
			if these[0] != x { // other words may have the same parts
				terms = append(terms, x)
			}
			if those[0] != y {
				terms = append(terms, y)
			}
			ways = append(ways, `("`+strings.Join(terms, `" AND "`)+`")`)
		}
	}
	return strings.Join(ways, " OR ")
}

// crossed are the joint terms of the parts of two words.
func crossed(these, those []string) []string {
	var terms []string
	for _, p := range these {
		for _, other := range those {
			if p != other {
				terms = append(terms, joint(p, other))
			}
		}
	}
	return terms
}

// readings are those of a word; a mark stands as it is.
func readings(term string) [][]string {
	if strings.HasPrefix(term, "_") {
		return [][]string{{term}}
	}
	return book.Readings(term)
}

// either asks for one of the words.
func either(words []string) string { return `("` + strings.Join(words, `" OR "`) + `")` }
