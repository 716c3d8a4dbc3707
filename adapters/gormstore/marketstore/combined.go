package marketstore

import (
	"context"
	"math"
	"strings"

	"github.com/octavo-books/octavo/application/market"
)

// bounds keep a list short that an index does not lead to directly.
type bounds struct {
	walked int // books that are looked at for what a list does not tell: a price within a step, a seller
	sorted int // from so many on, books are not sorted by price, but listed from price to price
}

var usual = bounds{walked: 1000, sorted: 200}

// all is how many books are looked at where that ends soon by itself.
const all = math.MaxInt

// fewPrices are so few that their lists are tried first.
const fewPrices = 16

// combined lists newest first what meets criteria whose marks have a list together.
func (s *Store) combined(ctx context.Context, c market.Criteria, after market.Position, n int) ([]market.BookView, error) {
	if c.MinPrice > 0 || c.MaxPrice > 0 {
		return s.inRange(ctx, c, after, n)
	}
	some, err := s.shortest(ctx, shelfLists(c), n)
	if err != nil {
		return nil, err
	}
	return s.within(ctx, strings.Join(some, " AND "), after.ID, all, c, market.Newest, after, n)
}

// inRange lists newest first what is in a range of prices, too. If the newest books in the
// steps of the scale do not fill a page, the range has a small part of these steps, and the
// lists of its prices are the way.
func (s *Store) inRange(ctx context.Context, c market.Criteria, after market.Position, n int) ([]market.BookView, error) {
	if narrow, err := s.narrow(ctx, c); err != nil || narrow {
		return s.amongPrices(ctx, c, after, n)
	}
	some, err := s.shortest(ctx, shelfLists(c), n)
	if err != nil {
		return nil, err
	}
	expression := strings.Join(some, " AND ")
	views, err := s.within(ctx, expression, after.ID, s.bounds.walked, c, market.Newest, after, n)
	if err != nil || len(views) == n {
		return views, err
	}
	length, err := s.length(ctx, expression, after.ID, s.bounds.walked)
	if err != nil || length < s.bounds.walked {
		return views, err
	}
	return s.amongPrices(ctx, c, after, n)
}

// narrow reports whether the lists of prices are to be tried first: where books have or had
// few different ones in a range, and a course does not tell more.
func (s *Store) narrow(ctx context.Context, c market.Criteria) (bool, error) {
	if c.Course != "" {
		return false, nil
	}
	prices, err := s.read.prices(ctx, c, market.Cheapest, fewPrices+1)
	return len(prices) <= fewPrices, err
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
