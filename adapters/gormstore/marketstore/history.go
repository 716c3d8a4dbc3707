package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// OrdersOf is market.SaleReader.
func (s *Store) OrdersOf(ctx context.Context, of user.ID, side order.Side, before order.ID, n int) ([]market.OrderView, error) {
	column := "o.buyer_id"
	if side == order.SellerSide {
		column = "o.seller_id"
	}
	return rawsql.Collect(ctx, s.read.Conn, readSale, "SELECT "+saleColumns+fromSales+"WHERE "+column+" = ? AND o.id < ? ORDER BY o.id DESC LIMIT ?",
		int64(of), top(before), n)
}
