package guardingstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

// ReadBookHistory is guarding.Reader. There is an index of the live order of each
// book, and one of its cancelled orders.
func (s Reader) ReadBookHistory(ctx context.Context, id book.ID, n int) (h guarding.BookHistory, err error) {
	h.Orders, err = s.OrderViews(ctx, `WHERE o.id IN (SELECT id FROM orders WHERE book_id = ? AND status > 0
		UNION ALL SELECT id FROM orders WHERE book_id = ? AND status = -1) ORDER BY o.id DESC LIMIT ?`, int64(id), int64(id), n)
	if err != nil {
		return h, err
	}
	h.Matches, err = rawsql.Collect(ctx, s.Read.Conn, marketrows.ReadMatch, s.Read.SelectMatches()+"AND p.book_id = ? ORDER BY p.id DESC LIMIT ?", int64(id), n)
	if err != nil {
		return h, err
	}
	h.Changes, err = authstore.ListAuditAbout(ctx, s.DB.Read, id.String(), "book.", n)
	return h, err
}

// ListBooksReportedBy is guarding.Reader.
func (s Reader) ListBooksReportedBy(ctx context.Context, reporter user.ID, ids ...book.ID) (found []book.ID, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	err = table.Of[reportRow](s.DB.Read).Select("target_id").
		Where("target_kind = ? AND target_id IN ? AND reporter_id = ? AND resolved_at = 0", report.Book, rawsql.Padded(ids), reporter).Order("target_id").Scan(ctx, &found)
	return found, err
}
