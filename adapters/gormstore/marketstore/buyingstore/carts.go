package buyingstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm/clause"
)

type cartRow struct {
	OwnerID user.ID   `gorm:"primaryKey;autoIncrement:false"`
	BookID  book.ID   `gorm:"primaryKey;autoIncrement:false"`
	AddedAt time.Time `gorm:"serializer:micros"`
	Price   money.Amount
}

// TableName is part of GORM's interface.
func (cartRow) TableName() string { return "carts" }

// carts is a part of buying.Store.
type carts struct{ marketrows.Handle }

func (s carts) AddToCart(ctx context.Context, owner user.ID, b book.Book, limit int, now time.Time) error {
	if err := s.AdvisoryLock(ctx, "cart of "+owner.String()); err != nil { // or two transactions could both add the last book
		return err
	}
	again := clause.OnConflict{Columns: []clause.Column{{Name: "owner_id"}, {Name: "book_id"}}, DoUpdates: clause.AssignmentColumns([]string{"price"})}
	if err := table.Of[cartRow](s.Session, again).Create(ctx, &cartRow{owner, b.ID, now, b.Price}); err != nil {
		return err
	}
	n, err := table.Of[cartRow](s.Session).Where("owner_id = ?", owner).Count(ctx)
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
	err = table.Of[cartRow](s.Session, rawsql.ForNoKeyUpdate).Where("book_id = ? AND owner_id > ? AND price * 19 >= ?", b.ID, after, b.Price*20).
		Select("owner_id").Order("owner_id").Limit(n).Scan(ctx, &owners)
	if err != nil || len(owners) == 0 {
		return nil, err
	}
	_, err = table.Of[cartRow](s.Session).Where("book_id = ? AND owner_id IN ?", b.ID, rawsql.Padded(owners)).Update(ctx, "price", b.Price)
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

// ListCartItems implements buying.Reader.
func (s Reader) ListCartItems(ctx context.Context, owner user.ID) ([]buying.CartItem, error) {
	rows, err := table.Of[cartRow](s.DB.Read).Where("owner_id = ?", owner).Order("added_at DESC, book_id DESC").Limit(buying.MaxCart).Find(ctx)
	if err != nil {
		return nil, err
	}
	views, err := s.BookViews(ctx, rawsql.Convert(rows, func(r *cartRow) book.ID { return r.BookID })...)
	byID := make(map[book.ID]market.BookView, len(views))
	for _, v := range views {
		byID[v.ID] = v
	}
	return rawsql.Convert(rows, func(r *cartRow) buying.CartItem { return buying.CartItem{BookView: byID[r.BookID], AddedAt: r.AddedAt} }), err
}

// CountCartItems implements buying.Reader.
func (s Reader) CountCartItems(ctx context.Context, owner user.ID) (int, error) {
	return table.Of[cartRow](s.DB.Read).Where("owner_id = ?", owner).Count(ctx)
}
