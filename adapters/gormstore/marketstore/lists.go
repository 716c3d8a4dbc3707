package marketstore

import (
	"context"
	"strconv"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// withOrders runs a query for bookViewColumns and adds the orders of sold books.
func (s *Store) withOrders(ctx context.Context, query string, args ...any) ([]market.BookView, error) {
	views, err := rawsql.Collect(ctx, s.read.Conn, readBookView, query, args...)
	if err != nil {
		return nil, err
	}
	orders, err := s.liveOrders(ctx, views)
	for i := range views {
		views[i].Order = orders[views[i].ID]
	}
	return views, err
}

// liveOrders returns the orders of the books that are sold.
func (s *Store) liveOrders(ctx context.Context, views []market.BookView) (map[book.ID]*market.OrderView, error) {
	var sold []book.ID
	for _, v := range views {
		if v.Status.Sold() {
			sold = append(sold, v.ID)
		}
	}
	if len(sold) == 0 {
		return nil, nil
	}
	marks, ids := rawsql.In(sold)
	orders, err := rawsql.Collect(ctx, s.read.Conn, readOrderView, "SELECT "+orderViewColumns+s.read.fromOrderViews()+"WHERE o.status > 0 AND o.book_id IN ("+marks+")", ids...)
	byBook := make(map[book.ID]*market.OrderView, len(orders))
	for i := range orders {
		byBook[orders[i].Book] = &orders[i]
	}
	return byBook, err
}

// ListBooksPostedBy implements selling.Reader.
func (s *Store) ListBooksPostedBy(ctx context.Context, seller user.ID, before book.ID, n int) ([]market.BookView, error) {
	return s.withOrders(ctx, "SELECT "+bookViewColumns+fromBookViews+"WHERE b.seller_id = ? AND b.id < ? ORDER BY b.id DESC LIMIT ?",
		int64(seller), rawsql.UpperBound(before), n)
}

// ListCartItems implements buying.Reader.
func (s *Store) ListCartItems(ctx context.Context, owner user.ID) ([]buying.CartItem, error) {
	rows, err := table.Of[cartRow](s.db.Read).Where("owner_id = ?", owner).Order("added_at DESC, book_id DESC").Limit(buying.MaxCart).Find(ctx)
	if err != nil {
		return nil, err
	}
	views, err := s.FindBookViews(ctx, rawsql.Convert(rows, func(r *cartRow) book.ID { return r.BookID })...)
	byID := make(map[book.ID]market.BookView, len(views))
	for _, v := range views {
		byID[v.ID] = v
	}
	return rawsql.Convert(rows, func(r *cartRow) buying.CartItem { return buying.CartItem{BookView: byID[r.BookID], AddedAt: r.AddedAt} }), err
}

// CountCartItems implements buying.Reader.
func (s *Store) CountCartItems(ctx context.Context, owner user.ID) (int, error) {
	return table.Of[cartRow](s.db.Read).Where("owner_id = ?", owner).Count(ctx)
}

// ListBooksByStatus implements selling.Reader. It reads the ids from an index first: to read the
// rows at once, Postgres would rather look for them among the newest of all books.
func (s *Store) ListBooksByStatus(ctx context.Context, status book.Status, campus string, before book.ID, n int) ([]market.BookView, error) {
	var w where
	w.and(inStatus(status))
	if campus != "" {
		w.and("b.university_key = ?", campus)
	}
	w.and("b.id < ?", rawsql.UpperBound(before))
	return s.withOrders(ctx, "SELECT "+bookViewColumns+" FROM (SELECT b.id FROM books b "+w.String()+" ORDER BY b.id DESC LIMIT ?) AS h"+
		s.read.joinBook()+s.read.joinSeller()+" ORDER BY h.id DESC", append(w.args, n)...)
}

// inStatus is a condition with constants, so that the planners can use a partial index.
func inStatus(status book.Status) string {
	if status == book.ForSale {
		return "b.status = 0"
	}
	return "b.status <> 0 AND b.status = " + strconv.Itoa(int(status))
}

// ListRequestsOf implements finding.Reader.
func (s *Store) ListRequestsOf(ctx context.Context, owner user.ID, before book.RequestID, n int) ([]book.Request, error) {
	return rawsql.List(ctx, table.Of[requestRow](s.db.Read).Where("owner_id = ? AND id < ?", owner, rawsql.UpperBound(before)).Order("id DESC").Limit(n), (*requestRow).request)
}

// ListMatchesOf implements finding.Reader.
func (s *Store) ListMatchesOf(ctx context.Context, owner user.ID, before int64, n int) ([]market.MatchView, error) {
	return rawsql.Collect(ctx, s.read.Conn, readMatch, s.read.selectMatches()+"AND p.owner_id = ? AND p.holds = 1 AND p.id < ? AND b.status = 0 AND r.status = 0 ORDER BY p.id DESC LIMIT ?",
		int64(owner), rawsql.UpperBound(before), n)
}

func (c conn) selectMatches() string {
	return "SELECT " + bookViewColumns + ", " + requestColumns + ", p.id, p.reason, p.created_at FROM matches p CROSS JOIN books b" +
		c.joinRow("JOIN", "users", "u", "b.seller_id") + c.joinRow("JOIN", "requests", "r", "p.request_id") + " WHERE b.id = p.book_id "
}

func readMatch() ([]any, func() market.MatchView) {
	var b bookViewRow
	var r requestRow
	var reason string
	var id, createdAt int64
	columns := b.columns(r.columns(&id, &reason, &createdAt)...)
	return columns, func() market.MatchView {
		return market.MatchView{
			ID: id, Book: b.view(), Request: r.request(),
			Reason: book.Reason(reason), CreatedAt: rawsql.Time(createdAt),
		}
	}
}

// ListBooksBoughtBy implements buying.Reader.
func (s *Store) ListBooksBoughtBy(ctx context.Context, buyer user.ID, before order.ID, n int) ([]market.BookView, error) {
	return s.booksOfOrders(ctx, "o.buyer_id", buyer, before, n)
}

// ListBooksSoldBy implements buying.Reader.
func (s *Store) ListBooksSoldBy(ctx context.Context, seller user.ID, before order.ID, n int) ([]market.BookView, error) {
	return s.booksOfOrders(ctx, "o.seller_id", seller, before, n)
}

func (s *Store) booksOfOrders(ctx context.Context, side string, id user.ID, before order.ID, n int) ([]market.BookView, error) {
	return s.withOrders(ctx, "SELECT "+bookViewColumns+" FROM orders o"+s.read.joinRow("JOIN", "books", "b", "o.book_id")+s.read.joinRow("JOIN", "users", "u", "b.seller_id")+
		" WHERE "+side+" = ? AND o.status > 0 AND o.id < ? ORDER BY o.id DESC LIMIT ?", int64(id), rawsql.UpperBound(before), n)
}
