package marketrows

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
)

// BookViewColumns are the columns of a book with its seller's name and its photos.
var BookViewColumns = BookColumns + ", COALESCE(u.first_name, ''), " + photosColumn

// FromBookViews has the tables of BookViewColumns.
const FromBookViews = " FROM books b JOIN users u ON u.id = b.seller_id "

// ReadBookView scans BookViewColumns.
func ReadBookView() ([]any, func() market.BookView) {
	var v bookViewRow
	return v.columns(), v.view
}

type bookViewRow struct {
	BookRow
	seller string
	photos photoList
}

func (r *bookViewRow) columns(more ...any) []any {
	return r.Columns(append([]any{&r.seller, &r.photos}, more...)...)
}

func (r *bookViewRow) view() market.BookView {
	b := r.Book()
	return market.BookView{Book: b, SellerName: r.seller, Photos: r.photos.of(b)}
}

// WithOrders runs a query for BookViewColumns and adds the orders of sold books.
func (s *Source) WithOrders(ctx context.Context, query string, args ...any) ([]market.BookView, error) {
	views, err := rawsql.Collect(ctx, s.Read.Conn, ReadBookView, query, args...)
	if err != nil {
		return nil, err
	}
	return s.addOrders(ctx, views)
}

func (s *Source) addOrders(ctx context.Context, views []market.BookView) ([]market.BookView, error) {
	orders, err := s.liveOrders(ctx, views)
	for i := range views {
		views[i].Order = orders[views[i].ID]
	}
	return views, err
}

// liveOrders returns the orders of the books that are sold.
func (s *Source) liveOrders(ctx context.Context, views []market.BookView) (map[book.ID]*market.OrderView, error) {
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
	orders, err := rawsql.Collect(ctx, s.Read.Conn, readOrderView, "SELECT "+orderViewColumns+s.Read.fromOrderViews()+"WHERE o.status > 0 AND o.book_id IN ("+marks+")", ids...)
	byBook := make(map[book.ID]*market.OrderView, len(orders))
	for i := range orders {
		byBook[orders[i].Book] = &orders[i]
	}
	return byBook, err
}

// SelectMatches begins a query of matches p, with their books b and requests r, to which conditions are added.
func (c Handle) SelectMatches() string {
	return "SELECT " + BookViewColumns + ", " + RequestColumns + ", p.id, p.reason, p.created_at FROM matches p CROSS JOIN books b" +
		c.JoinRow("JOIN", "users", "u", "b.seller_id") + c.JoinRow("JOIN", "requests", "r", "p.request_id") + " WHERE b.id = p.book_id "
}

// ReadMatch scans what SelectMatches selects.
func ReadMatch() ([]any, func() market.MatchView) {
	var b bookViewRow
	var r RequestRow
	var reason string
	var id, createdAt int64
	columns := b.columns(r.Columns(&id, &reason, &createdAt)...)
	return columns, func() market.MatchView {
		return market.MatchView{
			ID: id, Book: b.view(), Request: r.Request(),
			Reason: book.Reason(reason), CreatedAt: rawsql.Time(createdAt),
		}
	}
}

// BookViews loads books by id in any status and in no particular order.
func (s *Source) BookViews(ctx context.Context, ids ...book.ID) ([]market.BookView, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	marks, args := rawsql.In(ids)
	views, err := rawsql.CollectUpTo(ctx, s.Read.Conn, len(ids), ReadBookView, "SELECT "+BookViewColumns+FromBookViews+"WHERE b.id IN ("+marks+")", args...)
	if err != nil {
		return nil, err
	}
	return s.addOrders(ctx, views)
}
