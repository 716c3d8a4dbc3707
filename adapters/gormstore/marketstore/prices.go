package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
)

// few lists the books of an ISBN: few enough to be narrowed and sorted.
func (s *Store) few(ctx context.Context, c market.Criteria, sort market.Sort, after market.Position, n int) ([]market.BookView, error) {
	w := shelved(c, plainUniversity, plainPrice)
	order := w.follow(sort, after)
	return collectUpTo(ctx, s.read, n, readListed, listedViews+w.late(c, order), append(w.args, n)...)
}
