package marketstore

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/money"
)

// What makes a range of prices small, and what wide: then it is common.
const (
	fewPrices = 16 // of a small range, and not a quarter of those in its steps
	manySteps = 4
)

// inRange lists newest first what is in a range of prices. Where that is common, the newest
// books have it, whatever their price. The newest in the steps of the range have it, unless
// it is a small part of these: then the lists of its prices are the way.
func (s *Store) inRange(ctx context.Context, c market.Criteria, after market.Position, n int) ([]market.BookView, error) {
	_, small, err := s.small(ctx, c)
	if err != nil || small && c.Course == "" { // which tells more than a price
		return s.amongPrices(ctx, c, after, n)
	}
	if len(priceMarks(lowest(c), highest(c))) >= manySteps {
		views, done, err := s.amongNewest(ctx, whatever(c), s.bounds.sorted, c, after, n)
		if err != nil || done {
			return views, err
		}
	}
	some, err := s.shortest(ctx, shelfLists(c), n)
	if err != nil {
		return nil, err
	}
	views, done, err := s.amongNewest(ctx, strings.Join(some, " AND "), s.bounds.walked, c, after, n)
	if err != nil || done {
		return views, err
	}
	return s.amongPrices(ctx, c, after, n)
}

// small gives the prices in a range if books have or had few of those in its steps; no
// price, no book.
func (s *Store) small(ctx context.Context, c market.Criteria) (prices []money.Cents, small bool, err error) {
	prices, err = s.read.prices(ctx, c, market.Cheapest, fewPrices+1)
	if err != nil || len(prices) == 0 || len(prices) > fewPrices {
		return prices, len(prices) == 0, err
	}
	around, err := s.read.prices(ctx, wholeSteps(c), market.Cheapest, 4*len(prices)+1)
	return prices, len(around) > 4*len(prices), err
}

// whatever is what criteria tell besides prices.
func whatever(c market.Criteria) string {
	if c.MinPrice, c.MaxPrice = nil, nil; filters(c) == 0 {
		return ""
	}
	return strings.Join(shelfLists(c), " AND ")
}

// amongNewest lists what meets the criteria among the newest books that an expression has;
// it reports whether there is no more to list.
func (s *Store) amongNewest(ctx context.Context, expression string, newest int, c market.Criteria, after market.Position, n int) ([]market.BookView, bool, error) {
	views, err := s.within(ctx, expression, after.ID, newest, c, market.Newest, after, n)
	if err != nil || len(views) == n {
		return views, true, err
	}
	if expression == "" {
		return views, false, nil
	}
	length, err := s.length(ctx, expression, after.ID, newest)
	return views, length < newest, err
}

// amongPrices lists newest first what is in a range of prices from price to price.
func (s *Store) amongPrices(ctx context.Context, c market.Criteria, after market.Position, n int) ([]market.BookView, error) {
	var views []market.BookView
	for {
		prices, err := s.read.prices(ctx, c, market.Cheapest, maxJoint)
		if err != nil || len(prices) == 0 {
			return views, err
		}
		more, err := s.within(ctx, strings.Join(shelfLists(c, prices...), " AND "), after.ID, all, c, market.Newest, after, n)
		if err != nil {
			return nil, err
		}
		views = latest(append(views, more...), n)
		if c = beyond(c, market.Cheapest, prices[len(prices)-1]); len(prices) < maxJoint {
			return views, nil
		}
	}
}

// latest are the n newest of some books.
func latest(views []market.BookView, n int) []market.BookView {
	slices.SortFunc(views, func(a, b market.BookView) int { return cmp.Compare(b.ID, a.ID) })
	return views[:min(n, len(views))]
}
