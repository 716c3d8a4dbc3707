package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
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

// few lists the books of an ISBN: few enough to be narrowed and sorted.
func (s *Store) few(ctx context.Context, c market.Criteria, sort market.Sort, after market.Position, n int) ([]market.BookView, error) {
	w := shelved(c, plainUniversity, plainPrice)
	order := w.follow(sort, after)
	return collectUpTo(ctx, s.read, n, readListed, listedViews+w.late(c, order), append(w.args, n)...)
}
