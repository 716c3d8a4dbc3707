package finding

import (
	"context"
	"slices"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
)

// Bounds of a search.
const (
	maxCandidates   = 100                 // of each query to the index, newest first; ranking selects from them
	enough          = market.DefaultLimit // with as many candidates, the search does not try variants
	maxCompletions  = 16                  // terms that complete a word
	maxSpelled      = 2000                // terms with a spelling of a word, of which few are near
	maxCorrections  = 32                  // terms that correct a word
	maxUnknownWords = 8                   // words that are no terms; a query with more finds nothing
	maxVariedWords  = 4                   // words of a query of which each may be misspelled
	minWords        = 3                   // of a query of which most are looked for without the others
)

// candidates queries the index for the words and the exact keys, and for variants of the
// words if that does not find enough. It queries for the title only if the query for the
// words may have cut off a book with that title, and for the course only if find has not
// listed it already. It reports whether the index may have more than it returned.
func (c *Catalogue) candidates(ctx context.Context, s search, known []string) (found []book.Candidate, more bool, err error) {
	groups := s.Groups(known)
	if !slices.ContainsFunc(groups, unknown) {
		if found, err = c.reader.FindBooksByWords(ctx, termsOf(groups), s.criteria, maxCandidates+1); err != nil {
			return nil, false, err
		}
		found, more = found[:min(len(found), maxCandidates)], len(found) > maxCandidates
	}
	course, title := s.Key, s.Title
	if s.sort == DefaultOrder {
		course = ""
	}
	if len(found) < maxCandidates {
		title = ""
	}
	exact, err := c.reader.FindBooksByCourseOrTitle(ctx, course, title, s.criteria, maxCandidates)
	found = append(found, exact...)
	more = more || len(exact) >= maxCandidates
	filtered := s.criteria != Criteria{NotBy: s.criteria.NotBy} // few results are what a filter is for
	if err != nil || len(found) >= enough || len(found) > 0 && filtered {
		return found, more, err
	}
	found, err = c.findByVariants(ctx, s, found, groups)
	return found, len(found) >= maxCandidates, err
}

func unknown(g book.Sought) bool { return len(g.Terms) == 0 }

// termsOf are the terms of which a book must have one each.
func termsOf(groups []book.Sought) [][]string {
	terms := make([][]string, len(groups))
	for i, g := range groups {
		terms[i] = g.Terms
	}
	return terms
}

// variants are the terms that may be meant by a word, in one or more groups; none if there are none.
type variants func(context.Context, book.Sought) ([]book.Sought, error)

// findByVariants adds books with completions of the words or, if there are none, with
// corrections of the last word and of those that are no terms, or of all.
func (c *Catalogue) findByVariants(ctx context.Context, s search, found []book.Candidate, groups []book.Sought) ([]book.Candidate, error) {
	missing := slices.ContainsFunc(groups, unknown)
	varied := func(g book.Sought) bool { return g.Last || unknown(g) }
	if n := len(slices.DeleteFunc(slices.Clone(groups), func(g book.Sought) bool { return !unknown(g) })); n > maxUnknownWords {
		return found, nil
	}
	v := variantsOf{c.reader, map[string][]string{}}
	attempts := []struct {
		by      variants
		of      func(book.Sought) bool
		instead bool // the variants alone: books with the words are found already
	}{{v.completions, varied, !missing}, {v.corrections, varied, !missing}, {v.corrections, func(book.Sought) bool { return true }, false}}
	if len(groups) == 1 || len(groups) > maxVariedWords {
		attempts = attempts[:2]
	}
	for i, try := range attempts {
		terms, err := variantGroups(ctx, groups, try.by, try.of, try.instead)
		if err != nil || i == 1 && terms == nil && missing { // no correction of others makes up for that
			return found, err
		}
		if terms != nil {
			more, err := c.reader.FindBooksByWords(ctx, terms, s.criteria, maxCandidates)
			if found = append(found, more...); err != nil {
				return found, err
			}
		}
		if i == 0 && len(found) == 0 {
			found, err = c.findUncompleted(ctx, s, groups, v)
		}
		if err != nil || len(found) > 0 {
			return found, err
		}
	}
	return found, nil
}

// findUncompleted finds books with the words before the last one, if that begins more terms than were tried. It
// compares the newest of them with the last word.
func (c *Catalogue) findUncompleted(ctx context.Context, s search, groups []book.Sought, v variantsOf) ([]book.Candidate, error) {
	last := len(groups) - 1
	if last < 1 || len(v.completed[groups[last].Word]) < maxCompletions || slices.ContainsFunc(groups[:last], unknown) {
		return nil, nil
	}
	found, err := c.reader.FindBooksByWords(ctx, termsOf(groups[:last]), s.criteria, maxCandidates)
	return slices.DeleteFunc(found, func(b book.Candidate) bool { return !s.Matches(b) }), err
}

// variantGroups returns the terms of each word, with or instead of them the variants of those that may
// have some. It returns nil if a word has neither, or if there are no variants.
func variantGroups(ctx context.Context, groups []book.Sought, by variants, of func(book.Sought) bool, instead bool) ([][]string, error) {
	var terms [][]string
	some := false
	for _, g := range groups {
		if !of(g) {
			terms = append(terms, g.Terms)
			continue
		}
		found, err := by(ctx, g)
		if err != nil {
			return nil, err
		}
		some = some || len(found) > 0
		switch {
		case len(found) == 0 && unknown(g):
			return nil, nil
		case len(found) == 0:
			terms = append(terms, g.Terms)
		case len(found) > 1: // one word that is two
			terms = append(terms, termsOf(found)...)
		case !instead:
			terms = append(terms, slices.Concat(g.Terms, found[0].Terms))
		default:
			terms = append(terms, found[0].Terms)
		}
	}
	if !some {
		return nil, nil
	}
	return terms, nil
}

// variantsOf finds variants of words.
type variantsOf struct {
	reader    Reader
	completed map[string][]string // by the words that were looked up
}

// completions are the terms that begin with a word.
func (v variantsOf) completions(ctx context.Context, g book.Sought) (_ []book.Sought, err error) {
	if !book.Completable(g.Word) {
		return nil, nil
	}
	terms, ok := v.completed[g.Word]
	if !ok {
		if terms, err = v.reader.FindTermsByPrefix(ctx, g.Word, maxCompletions); err != nil {
			return nil, err
		}
		v.completed[g.Word] = terms
	}
	return without(g, terms), nil
}

// without returns the terms that a word does not have already; nil if there are none.
func without(g book.Sought, terms []string) []book.Sought {
	terms = slices.DeleteFunc(slices.Clone(terms), func(term string) bool { return slices.Contains(g.Terms, term) })
	if len(terms) == 0 {
		return nil
	}
	return []book.Sought{{Word: g.Word, Last: g.Last, Terms: terms}}
}

// isKnown reports whether there may be a term for a word: it is one, misspelled or not typed to its end.
func (v variantsOf) isKnown(ctx context.Context, g book.Sought) (bool, error) {
	if g.Last {
		found, err := v.corrections(ctx, g)
		return len(found) > 0, err
	}
	near, err := v.near(ctx, g)
	return len(near) > 0, err
}

// near are the terms that a word may be a misspelling or another form of.
func (v variantsOf) near(ctx context.Context, g book.Sought) ([]string, error) {
	all, err := v.reader.FindTermsBySpelling(ctx, book.Spellings(g.Word), maxSpelled)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(term string) bool { return !book.Resemble(g.Word, term) })
	return all[:min(len(all), maxCorrections)], nil
}

// corrections are the terms that a word may be a misspelling of, and its completions: a misspelling in
// one word must not prevent the completion of another. A word without any may be two.
func (v variantsOf) corrections(ctx context.Context, g book.Sought) ([]book.Sought, error) {
	near, err := v.near(ctx, g)
	if err != nil {
		return nil, err
	}
	completed, err := v.completions(ctx, g)
	if err != nil {
		return nil, err
	}
	for _, more := range completed {
		near = append(near, more.Terms...)
	}
	if found := without(g, near); found != nil || len(g.Terms) > 0 {
		return found, nil
	}
	return v.splitWord(ctx, g.Word)
}

// withoutUnknown returns the query without words that are no terms and resemble none, if most of its words remain:
// what nobody else writes, as one wrong character in a title without spaces.
func (c *Catalogue) withoutUnknown(ctx context.Context, q book.Query) (_ book.Query, ok bool, err error) {
	if shorter, ok := q.WithoutFillers(); ok {
		q = shorter
	}
	if len(q.Words) < minWords {
		return q, false, nil
	}
	known, err := c.reader.FindTerms(ctx, q.Lookups())
	if err != nil {
		return q, false, err
	}
	groups := q.Groups(known)
	missing := slices.DeleteFunc(slices.Clone(groups), func(g book.Sought) bool { return !unknown(g) })
	if len(missing) > maxUnknownWords {
		return q, false, nil
	}
	var words []string
	v := variantsOf{c.reader, map[string][]string{}}
	for _, g := range missing {
		known, err := v.isKnown(ctx, g)
		if err != nil {
			return q, false, err
		}
		if !known {
			words = append(words, g.Word)
		}
	}
	if 2*book.Mistakes(words) >= len(groups) {
		return q, false, nil
	}
	q, ok = q.Without(words)
	return q, ok, nil
}

// splitWord returns the two terms that a word consists of.
func (v variantsOf) splitWord(ctx context.Context, word string) ([]book.Sought, error) {
	splits := book.Splits(word)
	var halves []string
	for _, s := range splits {
		halves = append(halves, s[0], s[1])
	}
	known, err := v.reader.FindTerms(ctx, halves)
	if err != nil {
		return nil, err
	}
	for _, s := range splits {
		if slices.Contains(known, s[0]) && slices.Contains(known, s[1]) {
			return []book.Sought{{Word: s[0], Terms: s[:1]}, {Word: s[1], Terms: s[1:]}}, nil
		}
	}
	return nil, nil
}
