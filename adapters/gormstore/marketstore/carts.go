package marketstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

// carts is market.CartStore.
type carts struct{ conn }

func (s carts) Add(ctx context.Context, owner user.ID, id book.ID, limit int, now time.Time) error {
	if err := s.Lock(ctx, "cart of "+owner.String()); err != nil { // or two could both be the last
		return err
	}
	n, err := s.Exec(ctx, `INSERT INTO carts (owner_id, book_id, added_at) VALUES (?, ?, ?)
		ON CONFLICT (owner_id, book_id) DO NOTHING`, int64(owner), int64(id), rawsql.Micros(now))
	if err != nil || n == 0 {
		return err
	}
	held, _, err := rawsql.One(ctx, s.Conn, rawsql.Integer[int], "SELECT count(*) FROM carts WHERE owner_id = ?", int64(owner))
	if err == nil && held > limit {
		err = market.ErrCartFull
	}
	return err
}

func (s carts) Remove(ctx context.Context, owner user.ID, ids ...book.ID) error {
	if len(ids) == 0 {
		_, err := s.Exec(ctx, "DELETE FROM carts WHERE owner_id = ?", int64(owner))
		return err
	}
	marks, args := rawsql.In(ids)
	_, err := s.Exec(ctx, "DELETE FROM carts WHERE owner_id = ? AND book_id IN ("+marks+")", append([]any{int64(owner)}, args...)...)
	return err
}

func (s carts) Books(ctx context.Context, owner user.ID) ([]book.ID, error) {
	return rawsql.Collect(ctx, s.Conn, rawsql.Integer[book.ID], "SELECT book_id FROM carts WHERE owner_id = ? ORDER BY book_id LIMIT ?", int64(owner), market.MaxCart)
}
