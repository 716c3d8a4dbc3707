package sellingstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

// listings is a part of selling.Store.
type listings struct{ marketrows.Handle }

func (s listings) IsHidden(ctx context.Context, id book.ID) (bool, error) {
	return marketrows.Exists(ctx, s.Handle, `SELECT 1 FROM reports WHERE target_kind = ? AND target_id = ? AND resolved_at = 0 AND hid = 1 LIMIT 1`, "", []any{int64(report.Book), int64(id)})
}

func (s listings) LockBooksForSaleBy(ctx context.Context, seller user.ID) ([]book.Book, error) {
	return rawsql.List(ctx, table.Of[marketrows.BookRow](s.Session, rawsql.ForNoKeyUpdate).Where("seller_id = ? AND status = 0", seller).Order("id"), (*marketrows.BookRow).Book)
}

func (s listings) LockBooksListedBefore(ctx context.Context, then time.Time, after book.ID, n int) ([]book.Book, error) {
	return rawsql.List(ctx, table.Of[marketrows.BookRow](s.Session, rawsql.ForNoKeyUpdate).
		Where("status = 0 AND id > ? AND listed_at <= ?", after, rawsql.Micros(then)).Order("id").Limit(n), (*marketrows.BookRow).Book)
}

func (s listings) CountBooksListedBefore(ctx context.Context, then time.Time, most int) (int, error) {
	n, _, err := rawsql.One(ctx, s.Conn, rawsql.Integer[int], CountListedBefore, rawsql.Micros(then), most)
	return n, err
}

// CountListedBefore counts the books for sale that were listed up to a time, up to a number.
const CountListedBefore = "SELECT count(*) FROM (SELECT 1 FROM books WHERE status = 0 AND listed_at <= ? LIMIT ?) AS old"
