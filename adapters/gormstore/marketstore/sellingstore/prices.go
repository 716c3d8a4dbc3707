package sellingstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/order"
)

// salesWith are conditions of orders with a key, each that of a partial index.
var salesWith = map[book.Reason]string{
	book.ByISBN: "o.isbn <> '' AND o.isbn = ?", book.ByCourse: "o.course_key = ?", book.ByTitle: "o.name_key = ?",
}

// ListDeliveredSales implements selling.Reader. The indexes of ISBNs and courses have all columns that it
// reads.
func (s Reader) ListDeliveredSales(ctx context.Context, key selling.SalesKey, since time.Time, n int) ([]order.Sale, error) {
	name := "''"
	if key.Basis == book.ByTitle {
		name = "o.name"
	}
	return rawsql.Collect(ctx, s.Read.Conn, readSale, "SELECT o.id, "+name+`, o.buyer_id, o.seller_id, o.price, o.delivered_at, o.waited FROM orders o
		WHERE o.status = 3 AND `+salesWith[key.Basis]+" AND o.delivered_at >= ? ORDER BY o.delivered_at DESC, o.id DESC LIMIT ?",
		key.Text, rawsql.Micros(since), n)
}

func readSale() ([]any, func() order.Sale) {
	var s order.Sale
	var waited int64
	return []any{&s.Order, &s.Name, &s.Buyer, &s.Seller, &s.Price, rawsql.ScanTime(&s.DeliveredAt), &waited}, func() order.Sale {
		s.Waited = time.Duration(waited) * time.Microsecond
		return s
	}
}

// ListPostsWithISBN implements selling.Reader.
func (s Reader) ListPostsWithISBN(ctx context.Context, isbn book.ISBN, n int) ([]book.Book, error) {
	newest := func(alias, status string) string { // each reads a partial index
		return "SELECT * FROM (SELECT * FROM books WHERE isbn = ? AND isbn <> '' AND " + status + " ORDER BY id DESC LIMIT ?) AS " + alias
	}
	return rawsql.Collect(ctx, s.Read.Conn, marketrows.ReadBook, "SELECT "+marketrows.BookColumns+" FROM ("+newest("listed", "status = 0")+
		" UNION ALL "+newest("others", "status <> 0")+") AS b ORDER BY b.id DESC", string(isbn), n, string(isbn), n)
}
