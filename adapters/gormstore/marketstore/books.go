package marketstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

// books is a part of market.Stores.
type books struct {
	conn
	text  fullText
	words *vocabulary
}

func (s books) LockBooksForSaleBy(ctx context.Context, seller user.ID) ([]book.Book, error) {
	rows, err := table.Of[bookRow](s.session, rawsql.ForNoKeyUpdate).Where("seller_id = ? AND status = 0", seller).Order("id").Find(ctx)
	return rawsql.Convert(rows, (*bookRow).book), err
}

func (s books) EraseComments(ctx context.Context, seller user.ID) error {
	_, err := table.Of[bookRow](s.session).Where("seller_id = ? AND comments <> ''", seller).Assign(ctx, map[string]any{"comments": ""})
	return err
}

func (s books) LockBooksListedBefore(ctx context.Context, then time.Time, after book.ID, n int) ([]book.Book, error) {
	rows, err := table.Of[bookRow](s.session, rawsql.ForNoKeyUpdate).
		Where("status = 0 AND id > ? AND listed_at <= ?", after, rawsql.Micros(then)).Order("id").Limit(n).Find(ctx)
	return rawsql.Convert(rows, (*bookRow).book), err
}

const countListedBefore = "SELECT count(*) FROM (SELECT 1 FROM books WHERE status = 0 AND listed_at <= ? LIMIT ?) AS old"

func (s books) CountBooksListedBefore(ctx context.Context, then time.Time, most int) (int, error) {
	n, _, err := rawsql.One(ctx, s.Conn, rawsql.Integer[int], countListedBefore, rawsql.Micros(then), most)
	return n, err
}

// index adds a book for sale to the full-text index and its terms to the vocabulary.
func (s books) index(ctx context.Context, b book.Book) error {
	if err := s.text.add(ctx, b.ID, indexTerms(b)); err != nil {
		return err
	}
	return s.words.learn(ctx, s.conn, b.Terms())
}
