package finding

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

// Bounds of a search.
const (
	maxCandidates   = 100                 // of each query to the index, newest first; ranking selects from them
	enough          = market.DefaultLimit // with as many candidates, the search does not try variants
	maxCompletions  = 16                  // terms that complete a word
	maxCorrections  = 32                  // terms that correct a word
	maxUnknownWords = 8                   // words that are no terms; a query with more finds nothing
)

// Search lists the books for sale that match a text by ISBN, course code or words of the
// name, without regard to case, accents and punctuation, except the caller's own. The last
// word, and every word that is no term, may be the beginning of a term; with a filter, only
// if no book has the words as they are. If that finds nothing, Search corrects misspellings,
// and after that it ignores filler words, see book.Query.WithoutFillers. The best match comes
// first. Search finds all books with an ISBN or for a course, but only the newest hundred with
// the words.
func (c *Catalogue) Search(
	ctx context.Context, by user.Caller, text string, f Filter, p market.Page,
) ([]market.BookView, market.Cursor, error) {
	found, err := market.ReadFor(ctx, by, c, c.standby, func(ctx context.Context, c *Catalogue) (searchPage, error) {
		return c.search(ctx, by.ID, text, f, p, nil)
	})
	return found.views, found.next, err
}

// searchPage is a page of a search.
type searchPage struct {
	views []market.BookView
	next  market.Cursor
	at    func(market.BookView) market.Position // of a view on the page
	count market.Count                          // of the books on all pages, if it was asked for
}

// search is Search without the books of notBy. It also counts, unless counting is nil.
func (c *Catalogue) search(
	ctx context.Context, notBy user.ID, text string, f Filter, p market.Page, counting Reader,
) (page searchPage, err error) {
	q, err := book.ParseQuery(text)
	if err != nil {
		return page, err
	}
	criteria, err := f.criteria(notBy)
	if err != nil {
		return page, err
	}
	at, n, err := p.Read()
	if err != nil || q.Empty() {
		return page, err
	}
	if q.ISBN != "" {
		criteria.ISBN = q.ISBN
		page.at = f.Sort.position
		if page.views, page.next, err = c.list(ctx, criteria, f.Sort, at, n); err == nil && counting != nil {
			page.count, err = countBooks(ctx, counting, criteria)
		}
		return page, err
	}
	page, err = c.find(ctx, q, criteria, f.Sort, at, n, counting)
	if shorter, ok := q.WithoutFillers(); ok && err == nil && len(page.views) == 0 {
		return c.find(ctx, shorter, criteria, f.Sort, at, n, counting)
	}
	return page, err
}

// find runs a query. The vocabulary contains every word and every course of the books ever
// listed, so a word or course outside it needs no search of the index.
func (c *Catalogue) find(
	ctx context.Context, q book.Query, criteria Criteria, s Sort, at market.Position, n int, counting Reader,
) (page searchPage, err error) {
	known, err := c.reader.FindTerms(ctx, append(slices.Clone(q.Words), q.Key))
	if err != nil {
		return page, err
	}
	var ofCourse []market.BookView
	if !slices.Contains(known, q.Key) {
		q.Key = ""
	}
	if s == DefaultOrder && q.Key != "" {
		if ofCourse, err = c.listCourse(ctx, q.Key, criteria, at, n+1); err != nil {
			return page, err
		}
		if at.Start() && len(ofCourse) == 0 {
			q.Key = "" // there is no such course
		}
	}
	full := len(ofCourse) > n // the books of the course fill the page
	var hits []book.Hit
	if !full || counting != nil {
		if hits, page.count, err = c.rank(ctx, q, known, criteria, s, counting); err != nil {
			return page, err
		}
	}
	if full {
		page.at = positionInCourse
		page.views, page.next = market.Cut(ofCourse, n, positionInCourse)
		return page, nil
	}
	return c.addHits(ctx, page, ofCourse, hits, s, at, n)
}

// addHits fills a page with the books of the course, which are fewer than n, and with hits.
func (c *Catalogue) addHits(
	ctx context.Context, page searchPage, ofCourse []market.BookView, hits []book.Hit, s Sort, at market.Position, n int,
) (searchPage, error) {
	hits, page.next = s.page(hits, ofCourse, at, n)
	views, err := c.loadHits(ctx, hits)
	page.views = slices.Concat(ofCourse, views)
	page.at = func(v market.BookView) market.Position {
		if i := slices.IndexFunc(hits, func(h book.Hit) bool { return h.ID == v.ID }); i >= 0 {
			return s.positionOf(hits[i])
		}
		return positionInCourse(v)
	}
	return page, err
}

// rank returns all hits of the words, best first, and counts what the search lists on all pages.
func (c *Catalogue) rank(
	ctx context.Context, q book.Query, known []string, criteria Criteria, s Sort, counting Reader,
) (hits []book.Hit, n market.Count, err error) {
	found, more, err := c.candidates(ctx, q, known, criteria, s)
	if err != nil {
		return nil, n, err
	}
	hits = book.Rank(q, found)
	if counting != nil {
		n, err = countHits(ctx, counting, q, hits, more, criteria, s)
	}
	return hits, n, err
}

func countBooks(ctx context.Context, counting Reader, c Criteria) (market.Count, error) {
	n, err := counting.CountBooksForSale(ctx, c, MaxCount+1)
	return countUpTo(n, MaxCount), err
}

// countHits counts the books that a search lists on all pages. In the default order, the books
// of the course are not among its hits.
func countHits(ctx context.Context, counting Reader, q book.Query, hits []book.Hit, more bool, c Criteria, s Sort) (market.Count, error) {
	n := len(hits)
	if s == DefaultOrder {
		n -= countOfCourse(hits)
		if q.Key != "" && (c.Course == "" || c.Course == q.Key) {
			c.Course = q.Key
			ofCourse, err := counting.CountBooksForSale(ctx, c, MaxCount+1)
			if err != nil {
				return market.Count{}, err
			}
			n += ofCourse
		}
	}
	return market.Count{N: min(n, MaxCount), More: more || n > MaxCount}, nil
}

func countOfCourse(hits []book.Hit) (n int) {
	for n < len(hits) && hits[n].Score == book.SameCourse {
		n++ // they have the highest score
	}
	return n
}

// listCourse lists the books of a course, newest first. In the default order they precede
// all other hits, so they need no ranking.
func (c *Catalogue) listCourse(
	ctx context.Context, course string, criteria Criteria, at market.Position, n int,
) ([]market.BookView, error) {
	if criteria.Course != "" && criteria.Course != course || !at.Start() && at.Key != book.SameCourse {
		return nil, nil
	}
	criteria.Course = course
	return c.reader.ListBooksForSale(ctx, criteria, Newest, market.Position{ID: at.ID}, n)
}

func positionInCourse(v market.BookView) market.Position {
	return market.Position{Key: book.SameCourse, ID: int64(v.ID)}
}

// page returns the ranked hits that follow the books of the course on a page of n, and the
// cursor of the next page.
func (s Sort) page(hits []book.Hit, ofCourse []market.BookView, at market.Position, n int) ([]book.Hit, market.Cursor) {
	if s == DefaultOrder {
		hits = slices.DeleteFunc(hits, func(h book.Hit) bool { return h.Score == book.SameCourse })
	}
	hits, rest := hitsAfter(hits, s, at), n-len(ofCourse)
	if len(hits) > 0 && rest == 0 {
		return nil, positionInCourse(ofCourse[n-1]).Cursor()
	}
	return market.Cut(hits, rest, s.positionOf)
}

// candidates queries the index for the words and the exact keys, and for variants of the
// words if that does not find enough. It queries for the title only if the query for the
// words may have cut off a book with that title, and for the course only if find has not
// listed it already. It reports whether the index may have more than it returned.
func (c *Catalogue) candidates(
	ctx context.Context, q book.Query, known []string, criteria Criteria, s Sort,
) (found []book.Candidate, more bool, err error) {
	if !slices.ContainsFunc(q.Words, func(w string) bool { return !slices.Contains(known, w) }) {
		if found, err = c.reader.FindBooksByWords(ctx, singletons(q.Words), criteria, maxCandidates+1); err != nil {
			return nil, false, err
		}
		found, more = found[:min(len(found), maxCandidates)], len(found) > maxCandidates
	}
	course, title := q.Key, q.Title
	if s == DefaultOrder {
		course = ""
	}
	if len(found) < maxCandidates {
		title = ""
	}
	exact, err := c.reader.FindBooksByCourseOrTitle(ctx, course, title, criteria, maxCandidates)
	found = append(found, exact...)
	more = more || len(exact) >= maxCandidates
	filtered := criteria != Criteria{NotBy: criteria.NotBy} // few results are what a filter is for
	if err != nil || len(found) >= enough || len(found) > 0 && filtered {
		return found, more, err
	}
	found, err = c.findByVariants(ctx, found, q.Words, known, criteria)
	return found, len(found) >= maxCandidates, err
}

// findByVariants adds books with completions of the words or, if there are none, with
// corrections.
func (c *Catalogue) findByVariants(
	ctx context.Context, found []book.Candidate, words, known []string, criteria Criteria,
) ([]book.Candidate, error) {
	for _, variants := range []func(context.Context, string) ([]string, error){c.completions, c.corrections} {
		groups, err := c.variantGroups(ctx, words, known, variants)
		if err != nil {
			return found, err
		}
		if groups != nil {
			more, err := c.reader.FindBooksByWords(ctx, groups, criteria, maxCandidates)
			if found = append(found, more...); err != nil {
				return found, err
			}
		}
		if len(found) > 0 {
			return found, nil
		}
	}
	return found, nil
}

func singletons(words []string) [][]string {
	groups := make([][]string, len(words))
	for i, w := range words {
		groups[i] = []string{w}
	}
	return groups
}

// variantGroups returns a group of terms for each word: the variants of the last word and
// of every word that is no term, the word itself for the others. It returns nil if a word
// has no variant or too many words are unknown. If all words are terms, the books with them
// are found already, so the group of the last word excludes the word itself.
func (c *Catalogue) variantGroups(
	ctx context.Context, words, known []string, variants func(context.Context, string) ([]string, error),
) ([][]string, error) {
	isTerm := func(w string) bool { return slices.Contains(known, w) }
	unknown := slices.DeleteFunc(slices.Clone(words), isTerm)
	if len(unknown) > maxUnknownWords {
		return nil, nil
	}
	groups := singletons(words)
	for i, w := range words {
		if i < len(words)-1 && isTerm(w) {
			continue
		}
		terms, err := variants(ctx, w)
		if err != nil {
			return nil, err
		}
		terms = slices.DeleteFunc(terms, func(term string) bool { return term == w })
		if len(unknown) > 0 && isTerm(w) {
			terms = append(terms, w)
		}
		if len(terms) == 0 {
			return nil, nil
		}
		groups[i] = terms
	}
	return groups, nil
}

// completions are the terms that begin with a word; a single letter has too many.
func (c *Catalogue) completions(ctx context.Context, w string) ([]string, error) {
	if utf8.RuneCountInString(w) < book.MinPrefix {
		return nil, nil
	}
	return c.reader.FindTermsByPrefix(ctx, w, maxCompletions)
}

// corrections are the terms within a small edit distance of a word, and its completions:
// a misspelling in one word must not prevent the completion of another.
func (c *Catalogue) corrections(ctx context.Context, w string) ([]string, error) {
	near, err := c.reader.FindTermsBySpelling(ctx, book.Spellings(w), maxCorrections)
	if err != nil {
		return nil, err
	}
	akin, err := c.completions(ctx, book.Stem(w))
	return slices.DeleteFunc(append(near, akin...), func(term string) bool {
		return !strings.HasPrefix(term, w) && !book.Near(w, term)
	}), err
}

// hitsAfter sorts the ranked hits and returns those after a position.
func hitsAfter(hits []book.Hit, s Sort, at market.Position) []book.Hit {
	if s != DefaultOrder {
		slices.SortFunc(hits, func(a, b book.Hit) int { return s.compare(s.positionOf(a), s.positionOf(b)) })
	}
	if at.Start() {
		return hits
	}
	i, _ := slices.BinarySearchFunc(hits, at, func(h book.Hit, at market.Position) int {
		return cmp.Or(s.compare(s.positionOf(h), at), -1) // an equal one is before the page
	})
	return hits[i:]
}

func (s Sort) positionOf(h book.Hit) market.Position {
	switch s {
	case PriceAsc, PriceDesc:
		return market.Position{Key: int64(h.Price), ID: int64(h.ID)}
	case Newest:
		return market.Position{ID: int64(h.ID)}
	}
	return market.Position{Key: int64(h.Score), ID: int64(h.ID)}
}

// compare orders positions by descending key, ascending for PriceAsc; then the newer book
// comes first.
func (s Sort) compare(a, b market.Position) int {
	byKey := cmp.Compare(b.Key, a.Key)
	if s == PriceAsc {
		byKey = -byKey
	}
	return cmp.Or(byKey, cmp.Compare(b.ID, a.ID))
}

// loadHits loads the books of hits, except those that were sold since the index was read.
func (c *Catalogue) loadHits(ctx context.Context, hits []book.Hit) ([]market.BookView, error) {
	if len(hits) == 0 {
		return nil, nil
	}
	ids := make([]book.ID, len(hits))
	rank := make(map[book.ID]int, len(hits))
	for i, h := range hits {
		ids[i], rank[h.ID] = h.ID, i
	}
	views, err := c.reader.FindBookViews(ctx, ids...)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(views, func(a, b market.BookView) int { return rank[a.ID] - rank[b.ID] })
	return market.OnlyForSale(views), nil
}
