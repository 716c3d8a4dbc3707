package marketstore

import (
	"context"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
)

// pricesAtOnce is how many prices are looked at as to whether books that meet the criteria
// have any of them.
const pricesAtOnce = 32

// byPrice goes from price to price. What is listed may be rare where it begins, as good
// books are among the cheap: once some prices have none, this goes from one step of the
// scale of prices to the next.
func (s *Store) byPrice(ctx context.Context, c market.Criteria, sort market.Sort, after market.Position, n int) ([]market.BookView, error) {
	if at := money.Cents(after.Key); !after.Start() && sort == market.Cheapest {
		c.MinPrice = ptr(max(lowest(c), at))
	} else if !after.Start() {
		c.MaxPrice = ptr(min(highest(c), at))
	}
	views, c, err := s.nearest(ctx, c, sort, after, n)
	if err != nil || len(views) == n || highest(c) < max(lowest(c), book.MinPrice) {
		return views, err
	}
	more, err := s.farther(ctx, c, sort, n-len(views))
	return append(views, more...), err
}

// maxMisses is how many prices without books end the going from price to price.
const maxMisses = 4

// nearest lists from price to price, as long as most have books, and gives the criteria for
// what comes after these.
func (s *Store) nearest(ctx context.Context, c market.Criteria, sort market.Sort, after market.Position, n int) ([]market.BookView, market.Criteria, error) {
	var views []market.BookView
	misses := 0
	prices, err := s.read.prices(ctx, c, sort, pricesAtOnce)
	for _, p := range prices {
		var more []market.BookView
		more, err = s.at(ctx, c, p, after, n-len(views))
		if len(more) == 0 {
			misses++
		}
		views, c = append(views, more...), beyond(c, sort, p)
		if err != nil || len(views) == n || misses == maxMisses {
			return views, c, err
		}
	}
	if len(prices) < pricesAtOnce {
		c = beyond(c, sort, lastPrice(sort)) // nothing comes after the last
	}
	return views, c, err
}

// farther lists what is few in all, and else goes from step to step.
func (s *Store) farther(ctx context.Context, c market.Criteria, sort market.Sort, n int) ([]market.BookView, error) {
	if whole := (market.Criteria{University: c.University, Course: c.Course, Condition: c.Condition}); filters(whole) > 0 {
		views, few, err := s.sorted(ctx, shelfLists(whole), c, sort, n)
		if err != nil || few {
			return views, err
		}
	}
	var views []market.BookView
	for _, step := range priceRanges(c, sort == market.Costliest) {
		more, err := s.inStep(ctx, step, sort, n-len(views))
		if views = append(views, more...); err != nil || len(views) == n {
			return views, err
		}
	}
	return views, nil
}

// beyond narrows criteria to what comes after a price.
func beyond(c market.Criteria, sort market.Sort, price money.Cents) market.Criteria {
	if sort == market.Costliest {
		c.MaxPrice = ptr(price - 1)
	} else {
		c.MinPrice = ptr(price + 1)
	}
	return c
}

// lastPrice is the last that a list by price may come to.
func lastPrice(sort market.Sort) money.Cents {
	if sort == market.Costliest {
		return book.MinPrice
	}
	return book.MaxPrice
}

// inStep lists what is in a step of prices: few books are sorted, and else those of some
// prices after the other.
func (s *Store) inStep(ctx context.Context, c market.Criteria, sort market.Sort, n int) ([]market.BookView, error) {
	some, err := s.shortest(ctx, shelfLists(c), s.bounds.sorted)
	if err != nil {
		return nil, err
	}
	views, few, err := s.sorted(ctx, some, c, sort, n)
	if err != nil || few {
		return views, err
	}
	for len(views) < n && lowest(c) <= highest(c) {
		prices, err := s.read.prices(ctx, c, sort, pricesAtOnce)
		if err != nil || len(prices) == 0 {
			return views, err
		}
		more, err := s.atSome(ctx, c, prices, sort, n-len(views))
		if err != nil {
			return nil, err
		}
		views, c = append(views, more...), beyond(c, sort, prices[len(prices)-1])
	}
	return views, nil
}

// atSome lists what has one of some prices, which are in order.
func (s *Store) atSome(ctx context.Context, c market.Criteria, prices []money.Cents, sort market.Sort, n int) ([]market.BookView, error) {
	c.MinPrice, c.MaxPrice = ptr(slices.Min(prices)), ptr(slices.Max(prices))
	views, few, err := s.sorted(ctx, shelfLists(c, prices...), c, sort, n)
	if err != nil || few {
		return views, err
	}
	for _, p := range prices {
		more, err := s.at(ctx, c, p, market.Position{}, n-len(views))
		if views = append(views, more...); err != nil || len(views) == n {
			return views, err
		}
	}
	return views, nil
}

// sorted sorts by price what answers all lists, if few books do; it reports whether.
func (s *Store) sorted(ctx context.Context, lists []string, c market.Criteria, sort market.Sort, n int) (views []market.BookView, few bool, err error) {
	expression := strings.Join(lists, " AND ")
	length, err := s.length(ctx, expression, 0, s.bounds.sorted)
	if err != nil || length == 0 || length == s.bounds.sorted {
		return nil, length == 0, err
	}
	views, err = s.within(ctx, expression, 0, all, c, sort, market.Position{}, n)
	return views, true, err
}

// at lists newest first what has one price and comes after a position.
func (s *Store) at(ctx context.Context, c market.Criteria, price money.Cents, after market.Position, n int) ([]market.BookView, error) {
	if after.Key != int64(price) {
		after.ID = 0
	}
	expression := strings.Join(shelfLists(c, price), " AND ")
	c.MinPrice, c.MaxPrice = &price, &price
	return s.within(ctx, expression, after.ID, all, c, market.Newest, market.Position{}, n)
}
