package marketrows

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/meeting"
)

// orderViewColumns are the columns of an order with buyer and seller, the first names of those
// who changed its status, and the open meeting.
var orderViewColumns = OrderColumns + ", " + UserColumns("bu") + ", " + UserColumns("su") +
	", COALESCE(vu.first_name, ''), COALESCE(du.first_name, ''), COALESCE(cu.first_name, '')" +
	`, COALESCE(m.id, 0), COALESCE(m.by_id, 0), COALESCE(m.university, ''), COALESCE(m.name, ''), COALESCE(m.directions, ''), COALESCE(m.hours, ''),
	COALESCE(m.meet_at, 0), COALESCE(m.state, 0), COALESCE(m.created_at, 0), COALESCE(m.accepted_at, 0)`

func (c Handle) fromOrderViews() string {
	from := " FROM orders o" + c.JoinRow("JOIN", "users", "bu", "o.buyer_id") + c.JoinRow("JOIN", "users", "su", "o.seller_id")
	for _, by := range [][2]string{{"vu", "o.verified_by"}, {"du", "o.delivered_by"}, {"cu", "o.cancelled_by"}} {
		from += c.JoinRow("LEFT JOIN", "users", by[0], by[1])
	}
	return from + " LEFT JOIN meetings m ON m.order_id = o.id AND m.state < 2 "
}

func readOrderView() ([]any, func() market.OrderView) {
	var o OrderRow
	var buyer, seller market.User
	var v market.OrderView
	var p meeting.Proposal
	columns := append(o.Columns(ScanUser(&buyer)...), ScanUser(&seller)...)
	columns = append(columns, &v.VerifierName, &v.DelivererName, &v.CancellerName, &p.ID, &p.By, &p.University, &p.Name, &p.Directions, &p.Hours)
	return append(columns, rawsql.ScanTime(&p.At), &p.State, rawsql.ScanTime(&p.CreatedAt), rawsql.ScanTime(&p.AcceptedAt)), func() market.OrderView {
		v.Order, v.BuyerParty, v.SellerParty = o.Order(), buyer.Party(), seller.Party()
		if p.ID != 0 {
			p.Order = v.ID
			v.Meeting = &p
		}
		return v
	}
}

// OrderViews reads the orders o that the rest of a statement selects.
func (s *Source) OrderViews(ctx context.Context, rest string, args ...any) ([]market.OrderView, error) {
	return rawsql.Collect(ctx, s.Read.Conn, readOrderView, "SELECT "+orderViewColumns+s.Read.fromOrderViews()+rest, args...)
}
