package marketstore

import (
	"cmp"
	"context"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
)

// newest is how many books are looked through for a price before its index is.
const newest = 5_000

// priced lists by age what is in a range of prices. Walking the shelf finds a
// page soon where the range is common, and never where it is rare; gathering
// the range by its index and sorting it is the other way round. So the newest
// books are tried, and if they do not fill a page, the range is rare.
func (s *Store) priced(ctx context.Context, c market.Criteria, after market.Position, n int) ([]market.BookView, error) {
	w := shelved(c, indexedUniversity, plainPrice)
	order := w.follow(market.Newest, after)
	w.and("b.id >= COALESCE((SELECT id FROM books WHERE status = 0 AND id < ? ORDER BY id DESC LIMIT 1 OFFSET ?), 0)", top(after.ID), newest)
	views, err := s.listed(ctx, w, order, n)
	if err != nil || len(views) == n {
		return views, err
	}
	return s.gathered(ctx, c, after, n)
}

// gathered lists by age what is in a rare range of prices, by the index of these.
func (s *Store) gathered(ctx context.Context, c market.Criteria, after market.Position, n int) ([]market.BookView, error) {
	w := shelved(c, plainUniversity, indexedPrice)
	w.follow(market.Newest, after)
	return s.listed(ctx, w, "b.id + 0 DESC", n) // no index gives this order: it is sorted
}

// few lists the books of a course or an ISBN: few enough to be narrowed and sorted.
func (s *Store) few(ctx context.Context, c market.Criteria, sort market.Sort, after market.Position, n int) ([]market.BookView, error) {
	w := shelved(c, plainUniversity, plainPrice)
	order := w.follow(sort, after)
	return collectUpTo(ctx, s.read, n, readListed, listedViews+w.late(c, order), append(w.args, n)...)
}

// byPrice goes along an index of prices. Books of a condition may be rare where it
// begins, as good ones are among the cheap: if it finds no page there, it goes from one
// step of the scale of prices to the next, and sorts what is few there.
func (s *Store) byPrice(ctx context.Context, c market.Criteria, sort market.Sort, after market.Position, n int) ([]market.BookView, error) {
	if c.Condition == 0 {
		return s.along(ctx, c, sort, after, n)
	}
	near, whole, err := s.near(ctx, c, sort, after)
	if err != nil {
		return nil, err
	}
	views, err := s.along(ctx, near, sort, after, n)
	if err != nil || whole || len(views) == n {
		return views, err
	}
	views = nil
	for _, part := range priceRanges(c, sort == market.Costliest) {
		if passed(part, sort, after) {
			continue
		}
		more, few, err := s.rare(ctx, part, sort, after, n-len(views))
		if err == nil && !few {
			more, err = s.along(ctx, part, sort, after, n-len(views))
		}
		if views = append(views, more...); err != nil || len(views) == n {
			return views, err
		}
	}
	return views, nil
}

// near narrows criteria to the prices of the next books; it reports whether
// there are no others.
func (s *Store) near(ctx context.Context, c market.Criteria, sort market.Sort, after market.Position) (market.Criteria, bool, error) {
	least, most, order := c.MinPrice, cmp.Or(c.MaxPrice, book.MaxPrice), "b.price"
	if at := money.Cents(after.Key); sort == market.Costliest {
		order = "b.price DESC"
		if !after.Start() {
			most = min(most, at)
		}
	} else if !after.Start() {
		least = max(least, at)
	}
	w := shelved(market.Criteria{University: c.University, MinPrice: least, MaxPrice: most}, indexedUniversity, indexedPrice)
	last, found, err := one(ctx, s.read, integer[money.Cents],
		"SELECT b.price FROM books b "+w.String()+" ORDER BY "+order+" LIMIT 1 OFFSET ?", append(w.args, s.bounds.walked)...)
	if err != nil || !found {
		return c, true, err
	}
	if c.MinPrice, c.MaxPrice = least, last; sort == market.Costliest {
		c.MinPrice, c.MaxPrice = last, most
	}
	return c, false, nil
}

// passed reports whether a range of prices lies before a position.
func passed(part market.Criteria, sort market.Sort, after market.Position) bool {
	at := money.Cents(after.Key)
	return !after.Start() && (sort == market.Cheapest && part.MaxPrice < at || sort == market.Costliest && part.MinPrice > at)
}

func (s *Store) along(ctx context.Context, c market.Criteria, sort market.Sort, after market.Position, n int) ([]market.BookView, error) {
	if sort == market.Cheapest {
		return s.cheapest(ctx, c, after, n)
	}
	return s.dearest(ctx, c, after, n)
}

// cheapest lists the cheapest first. The rest of the price where a page ended comes
// before all that is dearer.
func (s *Store) cheapest(ctx context.Context, c market.Criteria, after market.Position, n int) ([]market.BookView, error) {
	var views []market.BookView
	if !after.Start() {
		var err error
		if views, err = s.priceAt(ctx, c, money.Cents(after.Key), after.ID, n); err != nil || len(views) == n {
			return views, err
		}
		c.MinPrice = max(c.MinPrice, money.Cents(after.Key)+1)
	}
	w := shelved(c, indexedUniversity, indexedPrice)
	more, err := s.listed(ctx, w, w.follow(market.Cheapest, market.Position{}), n-len(views))
	return append(views, more...), err
}

// dearest lists the costliest first. Of one price the indexes have the newest first
// only while prices rise, so this goes down from price to price.
func (s *Store) dearest(ctx context.Context, c market.Criteria, after market.Position, n int) ([]market.BookView, error) {
	most, before := cmp.Or(c.MaxPrice, book.MaxPrice), top(book.ID(0))
	if key := money.Cents(after.Key); !after.Start() && key <= most {
		most, before = key, after.ID
	}
	var views []market.BookView
	for len(views) < n {
		price, found, err := s.highest(ctx, c, most)
		if err != nil || !found {
			return views, err
		}
		if price < most {
			before = top(book.ID(0))
		}
		more, err := s.priceAt(ctx, c, price, before, n-len(views))
		if err != nil {
			return nil, err
		}
		views, most, before = append(views, more...), price-1, top(book.ID(0))
	}
	return views, nil
}

// highest is the highest price up to a limit that an index has.
func (s *Store) highest(ctx context.Context, c market.Criteria, most money.Cents) (money.Cents, bool, error) {
	var w where
	w.and("b.status = 0 AND b.price >= ? AND b.price <= ?", int64(c.MinPrice), int64(most))
	if c.University != "" {
		w.and("b.university_key = ?", c.University)
	}
	return one(ctx, s.read, integer[money.Cents], "SELECT b.price FROM books b "+w.String()+" ORDER BY b.price DESC LIMIT 1", w.args...)
}

// priceAt lists, newest first, books of one price with ids below before.
func (s *Store) priceAt(ctx context.Context, c market.Criteria, price money.Cents, before int64, n int) ([]market.BookView, error) {
	w := shelved(c, indexedUniversity, plainPrice)
	w.and("b.price = ? AND b.id < ?", int64(price), before)
	return s.listed(ctx, w, "b.id DESC", n)
}
