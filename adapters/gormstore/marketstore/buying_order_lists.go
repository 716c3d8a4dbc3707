package marketstore

import (
	"context"
	"strings"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// orderViewColumns are the columns of an order with buyer and seller, the first names of those
// who changed its status, and the open meeting.
var orderViewColumns = orderColumns + ", " + userColumns("bu") + ", " + userColumns("su") +
	", COALESCE(vu.first_name, ''), COALESCE(du.first_name, ''), COALESCE(cu.first_name, '')" +
	`, COALESCE(m.id, 0), COALESCE(m.by_id, 0), COALESCE(m.university, ''), COALESCE(m.name, ''), COALESCE(m.directions, ''), COALESCE(m.hours, ''),
	COALESCE(m.meet_at, 0), COALESCE(m.state, 0), COALESCE(m.created_at, 0), COALESCE(m.accepted_at, 0)`

func (c conn) fromOrderViews() string {
	from := " FROM orders o" + c.joinRow("JOIN", "users", "bu", "o.buyer_id") + c.joinRow("JOIN", "users", "su", "o.seller_id")
	for _, by := range [][2]string{{"vu", "o.verified_by"}, {"du", "o.delivered_by"}, {"cu", "o.cancelled_by"}} {
		from += c.joinRow("LEFT JOIN", "users", by[0], by[1])
	}
	return from + " LEFT JOIN meetings m ON m.order_id = o.id AND m.state < 2 "
}

func readOrderView() ([]any, func() market.OrderView) {
	var o orderRow
	var buyer, seller market.User
	var v market.OrderView
	var p meeting.Proposal
	columns := append(o.columns(scanUser(&buyer)...), scanUser(&seller)...)
	columns = append(columns, &v.VerifierName, &v.DelivererName, &v.CancellerName, &p.ID, &p.By, &p.University, &p.Name, &p.Directions, &p.Hours)
	return append(columns, rawsql.ScanTime(&p.At), &p.State, rawsql.ScanTime(&p.CreatedAt), rawsql.ScanTime(&p.AcceptedAt)), func() market.OrderView {
		v.Order, v.BuyerParty, v.SellerParty = o.order(), buyer.Party(), seller.Party()
		if p.ID != 0 {
			p.Order = v.ID
			v.Meeting = &p
		}
		return v
	}
}

// ListOrders implements buying.Reader.
func (s *Store) ListOrders(ctx context.Context, f buying.OrderSelection, before order.ID, n int) ([]market.OrderView, error) {
	var w where
	w.and("o.id < ?", rawsql.UpperBound(before))
	if f.Status != 0 {
		w.and("o.status = ?", int(f.Status))
	}
	if f.Campus != "" {
		w.and("o.university_key = ?", f.Campus)
	}
	if f.Text != "" {
		return s.searchOrders(ctx, &w, f, before, n)
	}
	return s.newestOrders(ctx, &w, n)
}

func (s *Store) newestOrders(ctx context.Context, w *where, n int) ([]market.OrderView, error) {
	return s.orderViews(ctx, w.String()+" ORDER BY o.id DESC LIMIT ?", append(w.args, n)...)
}

// columnsOf are the columns with the people on a side.
var columnsOf = map[order.Side][]string{order.BuyerSide: {"buyer_id"}, order.SellerSide: {"seller_id"}, order.EitherSide: {"buyer_id", "seller_id"}}

// ListOrdersOf implements buying.Reader. It reads the newest orders of each side from an index:
// one condition for both would sort all orders of somebody who has thousands.
func (s *Store) ListOrdersOf(ctx context.Context, of user.ID, side order.Side, status order.Status, before order.ID, n int) ([]market.OrderView, error) {
	var parts []string
	var args []any
	for _, column := range columnsOf[side] {
		var w where
		w.and("o."+column+" = ?", int64(of))
		if status != 0 {
			w.and("o.status = ?", int(status))
		}
		w.and("o.id < ?", rawsql.UpperBound(before))
		parts = append(parts, "SELECT * FROM (SELECT o.id FROM orders o "+w.String()+" ORDER BY o.id DESC LIMIT ?) AS "+column)
		args = append(append(args, w.args...), n)
	}
	return s.orderViews(ctx, "WHERE o.id IN ("+strings.Join(parts, " UNION ALL ")+") ORDER BY o.id DESC LIMIT ?", append(args, n)...)
}

// orderViews reads the orders o that the rest of a statement selects.
func (s *Store) orderViews(ctx context.Context, rest string, args ...any) ([]market.OrderView, error) {
	return rawsql.Collect(ctx, s.read.Conn, readOrderView, "SELECT "+orderViewColumns+s.read.fromOrderViews()+rest, args...)
}

// FindOrderViews implements buying.Reader.
func (s *Store) FindOrderViews(ctx context.Context, ids ...order.ID) ([]market.OrderView, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	marks, args := rawsql.In(ids)
	return s.orderViews(ctx, "WHERE o.id IN ("+marks+") ORDER BY o.id", args...)
}

// stages are the conditions of the orders at a stage, with constants, so that the planners can use a
// partial index.
var stages = map[buying.Stage]string{
	buying.ToCheck: "o.status = 1 AND o.handover = 0", buying.ToSettle: "o.status = 1 AND o.handover <> 0", buying.ToHandOver: "o.status = 2",
}

// ordersAt is the table of orders o for a query of a stage. SQLite takes the index of all orders in a status for better
// than the partial one of the few among them that are to be settled or to check.
func (s *Store) ordersAt(stage buying.Stage, campus string) string {
	switch {
	case s.read.isPostgres():
	case stage == buying.ToSettle:
		return "orders o INDEXED BY orders_to_settle"
	case stage == buying.ToCheck && campus == "":
		return "orders o INDEXED BY orders_to_check"
	}
	return "orders o"
}

func atStage(stage buying.Stage, campus string) *where {
	w := &where{conditions: []string{stages[stage]}}
	if campus != "" {
		w.and("o.university_key = ?", campus)
	}
	return w
}

// ListOrderQueue implements buying.Reader.
func (s *Store) ListOrderQueue(ctx context.Context, stage buying.Stage, campus string, after order.ID, n int) ([]market.OrderView, error) {
	w := atStage(stage, campus)
	w.and("o.id > ?", int64(after))
	return s.orderViews(ctx, "WHERE o.id IN (SELECT o.id FROM "+s.ordersAt(stage, campus)+" "+w.String()+" ORDER BY o.id LIMIT ?) ORDER BY o.id", append(w.args, n)...)
}

// CountOrders implements buying.Reader. The order is that of the index: without it, Postgres might look for them from
// the oldest order on.
func (s *Store) CountOrders(ctx context.Context, stage buying.Stage, campus string, max int) (int, error) {
	w := atStage(stage, campus)
	n, _, err := rawsql.One(ctx, s.read.Conn, rawsql.Integer[int],
		"SELECT count(*) FROM (SELECT o.id FROM "+s.ordersAt(stage, campus)+" "+w.String()+" ORDER BY o.id LIMIT ?) AS s", append(w.args, max)...)
	return n, err
}
