package sellingstore

import (
	"context"
	"strconv"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

// ListBooksPostedBy implements selling.Reader.
func (s Reader) ListBooksPostedBy(ctx context.Context, seller user.ID, before book.ID, n int) ([]market.BookView, error) {
	return s.WithOrders(ctx, "SELECT "+marketrows.BookViewColumns+marketrows.FromBookViews+"WHERE b.seller_id = ? AND b.id < ? ORDER BY b.id DESC LIMIT ?",
		int64(seller), rawsql.UpperBound(before), n)
}

// ListBooksByStatus implements selling.Reader. It reads the ids from an index first: to read the
// rows at once, Postgres would rather look for them among the newest of all books.
func (s Reader) ListBooksByStatus(ctx context.Context, status book.Status, campus string, before book.ID, n int) ([]market.BookView, error) {
	var w marketrows.Where
	w.And(inStatus(status))
	if campus != "" {
		w.And("b.university_key = ?", campus)
	}
	w.And("b.id < ?", rawsql.UpperBound(before))
	return s.WithOrders(ctx, "SELECT "+marketrows.BookViewColumns+" FROM (SELECT b.id FROM books b "+w.String()+" ORDER BY b.id DESC LIMIT ?) AS h"+
		s.Read.JoinBook()+s.Read.JoinSeller()+" ORDER BY h.id DESC", append(w.Args, n)...)
}

// inStatus is a condition with constants, so that the planners can use a partial index.
func inStatus(status book.Status) string {
	if status == book.ForSale {
		return "b.status = 0"
	}
	return "b.status <> 0 AND b.status = " + strconv.Itoa(int(status))
}
