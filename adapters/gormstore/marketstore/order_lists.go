package marketstore

import (
	"context"
	"slices"

	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
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

const fromOrderViews = ` FROM orders o JOIN users bu ON bu.id = o.buyer_id JOIN users su ON su.id = o.seller_id
	LEFT JOIN users vu ON vu.id = o.verified_by LEFT JOIN users du ON du.id = o.delivered_by LEFT JOIN users cu ON cu.id = o.cancelled_by
	LEFT JOIN meetings m ON m.order_id = o.id AND m.state < 2 `

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

// ListOrders implements market.OrderReader.
func (s *Store) ListOrders(ctx context.Context, f market.OrderSelection, before order.ID, n int) ([]market.OrderView, error) {
	var w where
	w.and("o.id < ?", rawsql.UpperBound(before))
	if f.Status != 0 {
		w.and("o.status = ?", int(f.Status))
	}
	if f.Campus != "" {
		w.and("o.university_key = ?", f.Campus)
	}
	if f.Text != "" {
		return s.searchOrders(ctx, &w, f, n)
	}
	return s.newestOrders(ctx, &w, n)
}

func (s *Store) newestOrders(ctx context.Context, w *where, n int) ([]market.OrderView, error) {
	return s.orderViews(ctx, w.String()+" ORDER BY o.id DESC LIMIT ?", append(w.args, n)...)
}

// A search on Postgres first looks at the newest orders, which have what is common, and then into
// indexes. It compares newestSearched of them with their buyers and sellers, and newestTitles with
// the name of the book alone, which costs less if these orders are beside each other.
const newestSearched, newestTitles = 1_000, 20_000

// searchOrders lists orders with a text in the name of the book or in the name or address of buyer
// or seller.
func (s *Store) searchOrders(ctx context.Context, w *where, f market.OrderSelection, n int) ([]market.OrderView, error) {
	text, title := f.Text, book.TitleKey(f.Text)
	if !s.read.isPostgres() || title != "" && !authstore.HasTrigrams(title) {
		addTextSearch(w, text)
		return s.newestOrders(ctx, w, n)
	}
	found, err := s.searchNewestOrders(ctx, w, text, n)
	if err != nil || len(found) == n {
		return found, err
	}
	of, args := orderPeopleSearch(text)
	if title != "" {
		all := f.Status == 0 && f.Campus == ""
		titles, more, err := s.titleSearch(ctx, w, title, all, n)
		if err != nil {
			return nil, err
		}
		of, args = of+" UNION ALL "+titles, append(args, more...)
	}
	w.and("o.id = ANY(ARRAY("+of+"))", args...) // the array is made once, whatever the planner expects of it
	return s.newestOrders(ctx, w, n)
}

func (s *Store) searchNewestOrders(ctx context.Context, w *where, text string, n int) ([]market.OrderView, error) {
	newest := &where{}
	newest.and("o.id IN (SELECT o.id FROM orders o "+w.String()+" ORDER BY o.id DESC LIMIT ?)", append(slices.Clone(w.args), newestSearched)...)
	buyer, values := authstore.UserSearch("bu.", text)
	seller, more := authstore.UserSearch("su.", text)
	either, values := buyer+" OR "+seller, append(values, more...)
	if key := book.TitleKey(text); key != "" {
		either, values = either+" OR o.name_key LIKE ?", append(values, "%"+key+"%")
	}
	newest.and("("+either+")", values...)
	return s.newestOrders(ctx, newest, n)
}

// orderPeopleSearch returns a query on Postgres for the ids of the orders with a text in the name or
// address of buyer or seller. It reads an index.
func orderPeopleSearch(text string) (query string, args []any) {
	users, args := authstore.IndexedUserSearch(text)
	return "WITH people AS MATERIALIZED (" + users + `) SELECT x.id FROM people p JOIN orders x ON x.buyer_id = p.id
		UNION ALL SELECT x.id FROM people p JOIN orders x ON x.seller_id = p.id`, args
}

// titleSearch returns a query on Postgres for the ids of the orders with a text in the name of the
// book. If w selects orders of all kinds, it may be only the newest n of these.
func (s *Store) titleSearch(ctx context.Context, w *where, title string, all bool, n int) (query string, args []any, err error) {
	pattern := "%" + title + "%"
	if all {
		newest, err := rawsql.Collect(ctx, s.read.Conn, rawsql.Integer[int64], `SELECT o.id FROM
			(SELECT o.id, o.name_key FROM orders o `+w.String()+` ORDER BY o.id DESC LIMIT ?) AS o
			WHERE o.name_key LIKE ? ORDER BY o.id DESC LIMIT ?`, append(slices.Clone(w.args), newestTitles, pattern, n)...)
		if err != nil || len(newest) == n {
			marks, args := rawsql.In(newest)
			return "SELECT id FROM orders WHERE id IN (" + marks + ")", args, err
		}
	}
	return "SELECT id FROM orders WHERE trigrams(name_key) @> trigrams(?) AND name_key LIKE ?", []any{title, pattern}, nil
}

// addTextSearch narrows to orders with the text in the name of the book or in the name or
// address of buyer or seller.
func addTextSearch(w *where, text string) {
	condition, args := authstore.UserSearch("", text)
	users := "(SELECT id FROM users WHERE " + condition + ")"
	either, args := "o.buyer_id IN "+users+" OR o.seller_id IN "+users, append(args, args...)
	if key := book.TitleKey(text); key != "" {
		either, args = either+" OR o.name_key LIKE ?", append(args, "%"+key+"%")
	}
	w.and("("+either+")", args...)
}

// ListOrdersOf implements market.OrderReader.
func (s *Store) ListOrdersOf(ctx context.Context, of user.ID, side order.Side, status order.Status, before order.ID, n int) ([]market.OrderView, error) {
	var w where
	switch side {
	case order.BuyerSide:
		w.and("o.buyer_id = ?", int64(of))
	case order.SellerSide:
		w.and("o.seller_id = ?", int64(of))
	default:
		w.and("(o.buyer_id = ? OR o.seller_id = ?)", int64(of), int64(of))
	}
	w.and("o.id < ?", rawsql.UpperBound(before))
	if status != 0 {
		w.and("+o.status = ?", int(status)) // the plus keeps the planners from the index of all orders in the status
	}
	return s.orderViews(ctx, w.String()+" ORDER BY o.id DESC LIMIT ?", append(w.args, n)...)
}

// orderViews reads the orders o that the rest of a statement selects.
func (s *Store) orderViews(ctx context.Context, rest string, args ...any) ([]market.OrderView, error) {
	return rawsql.Collect(ctx, s.read.Conn, readOrderView, "SELECT "+orderViewColumns+fromOrderViews+rest, args...)
}

// FindOrderViews implements market.OrderReader.
func (s *Store) FindOrderViews(ctx context.Context, ids ...order.ID) ([]market.OrderView, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	marks, args := rawsql.In(ids)
	return s.orderViews(ctx, "WHERE o.id IN ("+marks+") ORDER BY o.id", args...)
}

// ListOrderQueue implements market.OrderReader.
func (s *Store) ListOrderQueue(ctx context.Context, status order.Status, campus string, after order.ID, n int) ([]market.OrderView, error) {
	var w where
	w.and("o.status = ?", int(status))
	if campus != "" {
		w.and("o.university_key = ?", campus)
	}
	w.and("o.id > ?", int64(after))
	return s.orderViews(ctx, w.String()+" ORDER BY o.id LIMIT ?", append(w.args, n)...)
}

// CountOrders implements market.OrderReader.
func (s *Store) CountOrders(ctx context.Context, status order.Status, campus string) (int, error) {
	query := table.Of[orderRow](s.db.Read).Where("status = ?", status)
	if campus != "" {
		query = query.Where("university_key = ?", campus)
	}
	n, err := query.Count(ctx)
	return int(n), err
}
