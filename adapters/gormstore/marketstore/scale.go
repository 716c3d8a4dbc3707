package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/money"
)

// scale takes prices into the database, on SQLite, where lists by price go from one to the
// next: books have a few hundred different ones.
type scale struct{ memory[money.Cents] }

func (s *scale) learn(ctx context.Context, c conn, price money.Cents) error {
	if c.postgres() {
		return nil
	}
	unknown := s.unknown([]money.Cents{price})
	if len(unknown) == 0 {
		return nil
	}
	if _, err := c.exec(ctx, "INSERT INTO prices (price) VALUES (?) ON CONFLICT DO NOTHING", int64(price)); err != nil {
		return err
	}
	// Not before: it may be rolled back.
	gormstore.OnCommit(c.pool, func() { s.remember(unknown) })
	return nil
}

// prices are the first that books have or had in a range, in the order of a list by price.
func (c conn) prices(ctx context.Context, of market.Criteria, sort market.Sort, n int) ([]money.Cents, error) {
	order := "price"
	if sort == market.Costliest {
		order = "price DESC"
	}
	return collect(ctx, c, integer[money.Cents], "SELECT price FROM prices WHERE price >= ? AND price <= ? ORDER BY "+order+" LIMIT ?",
		int64(lowest(of)), int64(highest(of)), n)
}
