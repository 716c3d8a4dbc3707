package buyingstore

import (
	"context"
	"slices"

	"github.com/octavo-books/octavo/domain/user"
)

// Proposals end that wait for an answer, and those that were accepted, while the order is placed.
const endMeetings = `UPDATE meetings SET state = 3 WHERE state < 2 AND order_id IN (
	SELECT id FROM orders WHERE buyer_id = ? AND +status = 1 UNION ALL SELECT id FROM orders WHERE seller_id = ? AND +status = 1)`

// EndTrades implements buying.Store.
func (s Store) EndTrades(ctx context.Context, id user.ID) error {
	if _, err := s.carts.Exec(ctx, "UPDATE offers SET state = 5 WHERE buyer_id = ? AND state < 3", int64(id)); err != nil {
		return err
	}
	_, err := s.carts.Exec(ctx, endMeetings, int64(id), int64(id))
	return err
}

// EraseUser implements buying.Store.
func (s Store) EraseUser(ctx context.Context, id user.ID) error {
	for _, e := range []struct {
		statement string
		users     int // how often it names the user
	}{
		{"UPDATE orders SET reason = '' WHERE (buyer_id = ? OR seller_id = ?) AND cancelled_by = ? AND reason <> ''", 3},
		{"DELETE FROM ratings WHERE of_id = ?", 1},
		{"UPDATE ratings SET text = '' WHERE by_id = ?", 1},
		{endMeetings, 2},
		{"DELETE FROM meetings WHERE by_id = ?", 1},
		{"DELETE FROM offers WHERE buyer_id = ?", 1},
		{"DELETE FROM carts WHERE owner_id = ?", 1},
	} {
		if _, err := s.carts.Exec(ctx, e.statement, slices.Repeat([]any{int64(id)}, e.users)...); err != nil {
			return err
		}
	}
	return nil
}
