package marketstore

import (
	"context"
	"strings"

	"github.com/octavo-books/octavo/application/market"
)

// bounds keep a list short that an index does not lead to directly.
type bounds struct {
	walked int // books that are looked at for what a list does not tell: a price within a step, a seller
	sorted int // books that are sorted at once, at some 2 µs each
}

var usual = bounds{walked: 1000, sorted: 20_000}

// combined lists newest first what meets several criteria, whose marks have a list
// together. If the newest of that list do not fill a page, a narrow range of prices is
// what few books meet: then its index is the way.
func (s *Store) combined(ctx context.Context, c market.Criteria, after market.Position, n int) ([]market.BookView, error) {
	tells := c
	if c.Course != "" { // of a course there are few, whatever else they meet
		tells = market.Criteria{Course: c.Course, University: c.University}
	}
	all, err := s.shortest(ctx, lists(nil, tells), n)
	if err != nil {
		return nil, err
	}
	expression := strings.Join(all, " AND ")
	views, err := s.within(ctx, expression, after.ID, s.bounds.walked, c, market.Newest, after, n)
	if err != nil || len(views) == n {
		return views, err
	}
	length, err := s.length(ctx, expression, after.ID, s.bounds.walked)
	if err != nil || length < s.bounds.walked {
		return views, err
	}
	if c.MinPrice > 0 || c.MaxPrice > 0 {
		return s.gathered(ctx, c, after, n)
	}
	w := shelved(c, indexedUniversity, indexedPrice)
	return s.listed(ctx, w, w.follow(market.Newest, after), n)
}

// rare sorts by price what meets the criteria, if few do. It is false if more do.
func (s *Store) rare(ctx context.Context, c market.Criteria, sort market.Sort, after market.Position, n int) ([]market.BookView, bool, error) {
	expression := strings.Join(lists(nil, c), " AND ")
	length, err := s.length(ctx, expression, 0, s.bounds.sorted)
	if err != nil || length == s.bounds.sorted {
		return nil, false, err
	}
	views, err := s.within(ctx, expression, 0, s.bounds.sorted, c, sort, after, n)
	return views, true, err
}

// within lists what meets the criteria among the newest books that an expression has,
// with ids below before; 0 means all.
func (s *Store) within(ctx context.Context, expression string, before int64, newest int, c market.Criteria, sort market.Sort, after market.Position, n int) ([]market.BookView, error) {
	w := shelved(c, plainUniversity, plainPrice)
	w.and("b.id = hits.id")
	order := w.follow(sort, after)
	if sort == market.Newest {
		order = "hits.id DESC" // as they come: nothing is sorted
	}
	return collectUpTo(ctx, s.read, n, readListed, "SELECT "+listedColumns+`, COALESCE(u.first_name, '')
		FROM (SELECT rowid AS id FROM book_search WHERE book_search MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?) AS hits
		CROSS JOIN books b JOIN users u ON u.id = b.seller_id `+w.String()+" ORDER BY "+order+" LIMIT ?",
		append(append([]any{expression, top(before), newest}, w.args...), n)...)
}

// filters counts the criteria that have marks.
func filters(c market.Criteria) int {
	n := len(marksFor(c))
	if c.Course != "" {
		n++
	}
	return n
}
