package marketstore

import (
	"context"
	"strings"

	"github.com/octavo-books/octavo/application/market"
)

// walked is how many books of a list are looked at for what the list does not tell: a
// price within a step of the scale, a seller.
const walked = 1000

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
	views, err := s.within(ctx, expression, after.ID, c, market.Newest, after, n)
	if err != nil || len(views) == n {
		return views, err
	}
	length, err := s.length(ctx, expression, after.ID, walked)
	if err != nil || length < walked {
		return views, err
	}
	if c.MinPrice > 0 || c.MaxPrice > 0 {
		return s.gathered(ctx, c, after, n)
	}
	w := shelved(c, indexedUniversity, indexedPrice)
	return s.listed(ctx, w, w.follow(market.Newest, after), n)
}

// rare lists by price what is in a condition, if few books within the criteria are: an
// index of prices would be walked to its end for them. It is false if there are more.
func (s *Store) rare(ctx context.Context, c market.Criteria, sort market.Sort, after market.Position, n int) ([]market.BookView, bool, error) {
	for _, list := range lists(nil, c) {
		length, err := s.length(ctx, list, 0, walked)
		if err != nil {
			return nil, false, err
		}
		if length < walked {
			views, err := s.within(ctx, list, 0, c, sort, after, n)
			return views, true, err
		}
	}
	return nil, false, nil
}

// within lists what meets the criteria among the newest books that an expression has,
// with ids below before; 0 means all.
func (s *Store) within(ctx context.Context, expression string, before int64, c market.Criteria, sort market.Sort, after market.Position, n int) ([]market.BookView, error) {
	w := shelved(c, plainUniversity, plainPrice)
	w.and("b.id = hits.id")
	order := w.follow(sort, after)
	return collectUpTo(ctx, s.read, n, readListed, "SELECT "+listedColumns+`, COALESCE(u.first_name, '')
		FROM (SELECT rowid AS id FROM book_search WHERE book_search MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?) AS hits
		CROSS JOIN books b JOIN users u ON u.id = b.seller_id `+w.String()+" ORDER BY "+order+" LIMIT ?",
		append(append([]any{expression, top(before), walked}, w.args...), n)...)
}

// filters counts the criteria that have marks.
func filters(c market.Criteria) int {
	n := len(marksFor(c))
	if c.Course != "" {
		n++
	}
	return n
}
