package marketstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm/clause"
)

// carts is a part of buying.Store.
type carts struct{ conn }

func (s carts) AddToCart(ctx context.Context, owner user.ID, b book.Book, limit int, now time.Time) error {
	if err := s.AdvisoryLock(ctx, "cart of "+owner.String()); err != nil { // or two transactions could both add the last book
		return err
	}
	again := clause.OnConflict{Columns: []clause.Column{{Name: "owner_id"}, {Name: "book_id"}}, DoUpdates: clause.AssignmentColumns([]string{"price"})}
	if err := table.Of[cartRow](s.session, again).Create(ctx, &cartRow{owner, b.ID, now, b.Price}); err != nil {
		return err
	}
	n, err := table.Of[cartRow](s.session).Where("owner_id = ?", owner).Count(ctx)
	if err == nil && n > limit {
		err = buying.ErrCartFull
	}
	return err
}

func (s carts) ListCartPrices(ctx context.Context, owner user.ID) ([]buying.KnownPrice, error) {
	return rawsql.Collect(ctx, s.Conn, readKnownPrice, "SELECT book_id, price FROM carts WHERE owner_id = ? ORDER BY book_id LIMIT ?", int64(owner), buying.MaxCart)
}

func readKnownPrice() ([]any, func() buying.KnownPrice) {
	var k buying.KnownPrice
	return []any{&k.Book, &k.Price}, func() buying.KnownPrice { return k }
}

func (s carts) LowerCartPrices(ctx context.Context, b book.Book, after user.ID, n int) (owners []user.ID, err error) {
	err = table.Of[cartRow](s.session, rawsql.ForNoKeyUpdate).Where("book_id = ? AND owner_id > ? AND price * 19 >= ?", b.ID, after, b.Price*20).
		Select("owner_id").Order("owner_id").Limit(n).Scan(ctx, &owners)
	if err != nil || len(owners) == 0 {
		return nil, err
	}
	_, err = table.Of[cartRow](s.session).Where("book_id = ? AND owner_id IN ?", b.ID, rawsql.Padded(owners)).Update(ctx, "price", b.Price)
	return owners, err
}

func (s carts) RemoveFromCart(ctx context.Context, owner user.ID, ids ...book.ID) error {
	statement, args := "DELETE FROM carts WHERE owner_id = ?", []any{int64(owner)}
	if len(ids) > 0 {
		marks, books := rawsql.In(ids)
		statement, args = statement+" AND book_id IN ("+marks+")", append(args, books...)
	}
	_, err := s.Exec(ctx, statement, args...)
	return err
}
