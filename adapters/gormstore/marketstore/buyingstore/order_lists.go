package buyingstore

import (
	"context"
	"strings"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// ListOrders implements buying.Reader.
func (s Reader) ListOrders(ctx context.Context, f buying.OrderSelection, before order.ID, n int) ([]market.OrderView, error) {
	var w marketrows.Where
	w.And("o.id < ?", rawsql.UpperBound(before))
	if f.Status != 0 {
		w.And("o.status = ?", int(f.Status))
	}
	if f.Campus != "" {
		w.And("o.university_key = ?", f.Campus)
	}
	if f.Text != "" {
		return s.searchOrders(ctx, &w, f, before, n)
	}
	return s.newestOrders(ctx, &w, n)
}

func (s Reader) newestOrders(ctx context.Context, w *marketrows.Where, n int) ([]market.OrderView, error) {
	return s.OrderViews(ctx, w.String()+" ORDER BY o.id DESC LIMIT ?", append(w.Args, n)...)
}

// columnsOf are the columns with the people on a side.
var columnsOf = map[order.Side][]string{order.BuyerSide: {"buyer_id"}, order.SellerSide: {"seller_id"}, order.EitherSide: {"buyer_id", "seller_id"}}

// ListOrdersOf implements buying.Reader. It reads the newest orders of each side from an index:
// one condition for both would sort all orders of somebody who has thousands.
func (s Reader) ListOrdersOf(ctx context.Context, of user.ID, side order.Side, status order.Status, before order.ID, n int) ([]market.OrderView, error) {
	var parts []string
	var args []any
	for _, column := range columnsOf[side] {
		var w marketrows.Where
		w.And("o."+column+" = ?", int64(of))
		if status != 0 {
			w.And("o.status = ?", int(status))
		}
		w.And("o.id < ?", rawsql.UpperBound(before))
		parts = append(parts, "SELECT * FROM (SELECT o.id FROM orders o "+w.String()+" ORDER BY o.id DESC LIMIT ?) AS "+column)
		args = append(append(args, w.Args...), n)
	}
	return s.OrderViews(ctx, "WHERE o.id IN ("+strings.Join(parts, " UNION ALL ")+") ORDER BY o.id DESC LIMIT ?", append(args, n)...)
}

// FindOrderViews implements buying.Reader.
func (s Reader) FindOrderViews(ctx context.Context, ids ...order.ID) ([]market.OrderView, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	marks, args := rawsql.In(ids)
	return s.OrderViews(ctx, "WHERE o.id IN ("+marks+") ORDER BY o.id", args...)
}

// stages are the conditions of the orders at a stage, with constants, so that the planners can use a
// partial index.
var stages = map[buying.Stage]string{
	buying.ToCheck: "o.status = 1 AND o.handover = 0", buying.ToSettle: "o.status = 1 AND o.handover <> 0", buying.ToHandOver: "o.status = 2",
}

// ordersAt is the table of orders o for a query of a stage. SQLite takes the index of all orders in a status for better
// than the partial one of the few among them that are to be settled or to check.
func (s Reader) ordersAt(stage buying.Stage, campus string) string {
	switch {
	case s.Read.IsPostgres():
	case stage == buying.ToSettle:
		return "orders o INDEXED BY orders_to_settle"
	case stage == buying.ToCheck && campus == "":
		return "orders o INDEXED BY orders_to_check"
	}
	return "orders o"
}

func atStage(stage buying.Stage, campus string) *marketrows.Where {
	w := marketrows.WhereAll(stages[stage])
	if campus != "" {
		w.And("o.university_key = ?", campus)
	}
	return w
}

// ListOrderQueue implements buying.Reader.
func (s Reader) ListOrderQueue(ctx context.Context, stage buying.Stage, campus string, after order.ID, n int) ([]market.OrderView, error) {
	w := atStage(stage, campus)
	w.And("o.id > ?", int64(after))
	return s.OrderViews(ctx, "WHERE o.id IN (SELECT o.id FROM "+s.ordersAt(stage, campus)+" "+w.String()+" ORDER BY o.id LIMIT ?) ORDER BY o.id", append(w.Args, n)...)
}

// CountOrders implements buying.Reader. The order is that of the index: without it, Postgres might look for them from
// the oldest order on.
func (s Reader) CountOrders(ctx context.Context, stage buying.Stage, campus string, max int) (int, error) {
	w := atStage(stage, campus)
	n, _, err := rawsql.One(ctx, s.Read.Conn, rawsql.Integer[int],
		"SELECT count(*) FROM (SELECT o.id FROM "+s.ordersAt(stage, campus)+" "+w.String()+" ORDER BY o.id LIMIT ?) AS s", append(w.Args, max)...)
	return n, err
}

// ListBooksBoughtBy implements market.Reader.
func (s Reader) ListBooksBoughtBy(ctx context.Context, buyer user.ID, before order.ID, n int) ([]market.BookView, error) {
	return s.booksOfOrders(ctx, "o.buyer_id", buyer, before, n)
}

// ListPricesPaidBy implements finding.Reader.
func (s Reader) ListPricesPaidBy(ctx context.Context, buyer user.ID, n int) ([]money.Amount, error) {
	return rawsql.Collect(ctx, s.Read.Conn, rawsql.Integer[money.Amount],
		"SELECT o.price FROM orders o WHERE o.buyer_id = ? AND +o.status > 0 ORDER BY o.id DESC LIMIT ?", int64(buyer), n)
}

// ListBooksSoldBy implements buying.Reader.
func (s Reader) ListBooksSoldBy(ctx context.Context, seller user.ID, before order.ID, n int) ([]market.BookView, error) {
	return s.booksOfOrders(ctx, "o.seller_id", seller, before, n)
}

func (s Reader) booksOfOrders(ctx context.Context, side string, id user.ID, before order.ID, n int) ([]market.BookView, error) {
	return s.WithOrders(ctx, "SELECT "+marketrows.BookViewColumns+" FROM orders o"+s.Read.JoinRow("JOIN", "books", "b", "o.book_id")+s.Read.JoinRow("JOIN", "users", "u", "b.seller_id")+
		" WHERE "+side+" = ? AND o.status > 0 AND o.id < ? ORDER BY o.id DESC LIMIT ?", int64(id), rawsql.UpperBound(before), n)
}
