package finding

import (
	"cmp"
	"context"
	"slices"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// Search lists the books for sale that match a text by ISBN, course code or words of the
// name and the authors, without regard to case, accents and punctuation, except the caller's own. Words
// stand for their other forms, see lexicon. The last word, and every word that is no term, may be the
// beginning of a term; with a filter, only if no book has the words as they are. If that finds nothing,
// Search corrects misspellings, and after that it looks for less, see findLess.
// The best match comes first. Search finds all books with an ISBN or for a course, but only the newest
// hundred with the words. If no book has the ISBN of a text, Search looks for the words beside it.
func (c *Catalogue) Search(
	ctx context.Context, by user.Caller, typed string, f Filter, p market.Page,
) ([]market.BookView, market.Cursor, error) {
	found, err := c.Find(ctx, by, typed, f, p)
	return found.Views, found.Next, err
}

// Found is a page of a search.
type Found struct {
	Views []market.BookView
	Next  market.Cursor
	// Instead is what was looked for, because no book has the words of the text: these as the best hit spells
	// them, or fewer words. It is empty if the words were found.
	Instead string
}

// Find is Search, and says what it looked for instead.
func (c *Catalogue) Find(ctx context.Context, by user.Caller, typed string, f Filter, p market.Page) (Found, error) {
	page, err := market.ReadFor(ctx, by, c, c.standby, func(ctx context.Context, c *Catalogue) (searchPage, error) {
		return c.search(ctx, by, typed, f, p, nil)
	})
	return Found{page.views, page.next, page.instead}, err
}

// searchPage is a page of a search.
type searchPage struct {
	views   []market.BookView
	next    market.Cursor
	at      func(market.BookView) market.Position // of a view on the page
	count   market.Count                          // of the books on all pages, if it was asked for
	instead string                                // of the words that nothing has
}

// search is Search. It also counts, unless counting is nil.
func (c *Catalogue) search(
	ctx context.Context, by user.Caller, typed string, f Filter, p market.Page, counting Reader,
) (page searchPage, err error) {
	q, err := book.ParseQuery(typed)
	if err != nil {
		return page, err
	}
	criteria, err := f.criteria(by.ID)
	if err != nil {
		return page, err
	}
	at, n, err := p.Read()
	if err != nil || q.Empty() {
		return page, err
	}
	if q.ISBN != "" {
		page, err = c.listISBN(ctx, q.ISBN, criteria, f.Sort, at, n, counting)
		if err != nil || len(page.views) > 0 || len(q.Words) == 0 {
			return page, err
		}
	}
	s := search{q, criteria, f.Sort, text.Key(by.University)}
	page, err = c.find(ctx, s, at, n, counting)
	if err != nil || len(page.views) > 0 {
		return page, err
	}
	return c.findLess(ctx, s, at, n, counting)
}

// findLess runs a query that finds nothing with less in it.
func (c *Catalogue) findLess(ctx context.Context, s search, at market.Position, n int, counting Reader) (page searchPage, err error) {
	q := s.Query
	for _, s.Query = range q.Relaxed() {
		if page, err = c.find(ctx, s, at, n, counting); err != nil || len(page.views) > 0 {
			return page.insteadOf(q, s.Query), err
		}
	}
	var some bool
	if s.Query, some, err = c.withoutUnknown(ctx, q); err != nil || !some {
		return page, err
	}
	page, err = c.find(ctx, s, at, n, counting)
	return page.insteadOf(q, s.Query), err
}

// insteadOf says what was looked for, if there are books and the best hit has no words corrected.
func (p searchPage) insteadOf(q, found book.Query) searchPage {
	if len(p.views) > 0 && p.instead == "" && found.Text() != q.Text() {
		p.instead = found.Text()
	}
	return p
}

// listISBN lists the books with an ISBN.
func (c *Catalogue) listISBN(
	ctx context.Context, isbn book.ISBN, criteria Criteria, s Sort, at market.Position, n int, counting Reader,
) (page searchPage, err error) {
	criteria.ISBN = isbn
	page.at = s.position
	if page.views, page.next, err = c.list(ctx, criteria, s, at, n); err == nil && counting != nil {
		page.count, err = countBooks(ctx, counting, criteria)
	}
	return page, err
}

// search is what is looked for, within criteria and in an order.
type search struct {
	book.Query
	criteria Criteria
	sort     Sort
	campus   string // of the person who searches, folded
}

// find runs a query. The vocabulary contains every word and every course of the books ever
// listed, so a word or course outside it needs no search of the index.
func (c *Catalogue) find(ctx context.Context, s search, at market.Position, n int, counting Reader) (page searchPage, err error) {
	known, err := c.reader.FindTerms(ctx, s.Lookups())
	if err != nil {
		return page, err
	}
	var ofCourse []market.BookView
	if !slices.Contains(known, s.Key) {
		s.Key = ""
	}
	if s.sort == DefaultOrder && s.Key != "" {
		if ofCourse, err = c.listCourse(ctx, s.Key, s.criteria, at, n+1); err != nil {
			return page, err
		}
		if at.Start() && len(ofCourse) == 0 {
			s.Key = "" // there is no such course
		}
	}
	full := len(ofCourse) > n // the books of the course fill the page
	var hits []book.Hit
	if !full || counting != nil {
		if hits, err = c.rank(ctx, s, known, counting, &page); err != nil {
			return page, err
		}
	}
	if full {
		page.at = positionInCourse
		page.views, page.next = market.Cut(ofCourse, n, positionInCourse)
		return page, nil
	}
	return c.addHits(ctx, page, ofCourse, hits, s.sort, at, n)
}

// addHits fills a page with the books of the course, which are fewer than n, and with hits.
func (c *Catalogue) addHits(
	ctx context.Context, page searchPage, ofCourse []market.BookView, hits []book.Hit, s Sort, at market.Position, n int,
) (searchPage, error) {
	hits, page.next = s.page(hits, ofCourse, at, n)
	views, err := c.loadHits(ctx, hits)
	page.views = views
	if len(ofCourse) > 0 {
		page.views = slices.Concat(ofCourse, views)
	}
	page.at = func(v market.BookView) market.Position {
		if i := slices.IndexFunc(hits, func(h book.Hit) bool { return h.ID == v.ID }); i >= 0 {
			return s.positionOf(hits[i])
		}
		return positionInCourse(v)
	}
	return page, err
}

// rank returns all hits of the words, best first. It counts what the search lists on all pages, and says what the
// best hit has instead of the words.
func (c *Catalogue) rank(ctx context.Context, s search, known []string, counting Reader, page *searchPage) ([]book.Hit, error) {
	found, more, err := c.candidates(ctx, s, known)
	if err != nil {
		return nil, err
	}
	hits := book.Rank(s.Query, s.campus, found)
	if len(hits) > 0 && !hits[0].HasAllWords() {
		best := slices.IndexFunc(found, func(b book.Candidate) bool { return b.ID == hits[0].ID })
		page.instead, _ = s.Corrected(found[best])
	}
	if counting != nil {
		page.count, err = countHits(ctx, counting, s.Query, hits, more, s.criteria, s.sort)
	}
	return hits, err
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
	return market.Position{Key: h.Score, ID: int64(h.ID)}
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
	ranked := make([]market.BookView, len(hits))
	for _, v := range views {
		ranked[rank[v.ID]] = v
	}
	return slices.DeleteFunc(ranked, func(v market.BookView) bool { return v.ID == 0 || v.Status != book.ForSale }), nil
}
