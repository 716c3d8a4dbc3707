package marketstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// carts is market.CartStore.
type carts struct{ conn }

func (s carts) Add(ctx context.Context, owner user.ID, id book.ID, limit int, now time.Time) error {
	if err := s.Lock(ctx, "cart of "+owner.String()); err != nil { // or two could both be the last
		return err
	}
	added := gorm.WithResult()
	err := gorm.G[cartRow](s.session, clause.OnConflict{DoNothing: true}, added).Create(ctx, &cartRow{owner, id, now})
	if err != nil || added.RowsAffected == 0 {
		return err
	}
	held, err := gorm.G[cartRow](s.session).Where("owner_id = ?", owner).Count(ctx, "*")
	if err == nil && held > int64(limit) {
		err = market.ErrCartFull
	}
	return err
}

func (s carts) Remove(ctx context.Context, owner user.ID, ids ...book.ID) error {
	cart := gorm.G[cartRow](s.session).Where("owner_id = ?", owner)
	if len(ids) > 0 {
		cart = cart.Where("book_id IN ?", rawsql.Padded(ids))
	}
	_, err := cart.Delete(ctx)
	return err
}

func (s carts) Books(ctx context.Context, owner user.ID) (ids []book.ID, err error) {
	err = gorm.G[cartRow](s.session).Where("owner_id = ?", owner).Select("book_id").Order("book_id").Limit(market.MaxCart).Scan(ctx, &ids)
	return ids, err
}
