package memstore

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

// ListOrdersOfBook is market.BookHistoryReader.
func (m *Market) ListOrdersOfBook(ctx context.Context, id book.ID, n int) ([]market.OrderView, error) {
	return rows(ctx, m, func(t *marketTables) (out []market.OrderView) {
		for _, o := range pick(t.orders, n, newestOrder, func(o order.Order) bool { return o.Book == id }) {
			out = append(out, m.orderView(o))
		}
		return out
	})
}

// ListMatchesOfBook is market.BookHistoryReader.
func (m *Market) ListMatchesOfBook(ctx context.Context, id book.ID, n int) ([]market.MatchView, error) {
	return m.matches(ctx, n, func(_ *marketTables, p matchRow) bool { return p.Book == id })
}

// ListBookChanges is market.BookHistoryReader.
func (m *Market) ListBookChanges(ctx context.Context, id book.ID, n int) ([]audit.Entry, error) {
	return rows(ctx, m, func(*marketTables) []audit.Entry {
		return pick(m.s.tables.auth.entries, n, func(a, b audit.Entry) int { return cmp.Compare(b.ID, a.ID) }, func(e audit.Entry) bool {
			return e.Target == id.String() && strings.HasPrefix(e.Action, "book.")
		})
	})
}

// ListBooksReportedBy is market.BookHistoryReader.
func (m *Market) ListBooksReportedBy(ctx context.Context, reporter user.ID, ids ...book.ID) ([]book.ID, error) {
	return rows(ctx, m, func(t *marketTables) (found []book.ID) {
		for _, r := range t.pickReports(len(t.reports), oldestReport, report.Report.Open) {
			if id := book.ID(r.Target.ID); r.Target.Kind == report.Book && r.Reporter == reporter && slices.Contains(ids, id) {
				found = append(found, id)
			}
		}
		slices.Sort(found)
		return found
	})
}
