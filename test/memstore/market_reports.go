package memstore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

type reportTable struct{ table }

func (t *marketTables) pickReports(n int, by func(a, b report.Report) int, pass func(report.Report) bool) []report.Report {
	return pick(t.reports, n, by, pass)
}

func oldestReport(a, b report.Report) int { return cmp.Compare(a.ID, b.ID) }
func newestReport(a, b report.Report) int { return cmp.Compare(b.ID, a.ID) }

func (t reportTable) LockOpenReports(_ context.Context, on report.Target) ([]report.Report, error) {
	return t.pickReports(len(t.reports), oldestReport, func(r report.Report) bool { return r.Open() && r.Target == on }), nil
}

func (t reportTable) AddReport(_ context.Context, r report.Report) error {
	for _, o := range t.reports {
		if o.Open() && o.Target == r.Target && o.Reporter == r.Reporter {
			return report.ErrReported
		}
	}
	t.reports[r.ID] = r
	return nil
}

func (t reportTable) UpdateReports(_ context.Context, all []report.Report) error {
	for _, r := range all {
		t.reports[r.ID] = r
	}
	return nil
}

func (t reportTable) CountTraders(_ context.Context, ids []user.ID, then time.Time, min money.Amount) (n int, err error) {
	for _, id := range ids {
		partners := map[user.ID]bool{}
		for _, o := range t.orders {
			if o.Involves(id) && o.Status == order.Delivered && !o.DeliveredAt.After(then) && o.Price >= min {
				partners[o.Buyer+o.Seller-id] = true
			}
		}
		if len(partners) >= report.MinPartners {
			n++
		}
	}
	return n, nil
}

func (t reportTable) IsHidden(_ context.Context, id book.ID) (bool, error) {
	for _, r := range t.reports {
		if r.Hid && r.Open() && r.Target == (report.Target{Kind: report.Book, ID: int64(id)}) {
			return true, nil
		}
	}
	return false, nil
}

func (t reportTable) HasOpenReports(_ context.Context, about user.ID) (bool, error) {
	return len(t.pickReports(1, oldestReport, func(r report.Report) bool { return r.Open() && r.About == about })) > 0, nil
}

func (t reportTable) ListReportCampuses(_ context.Context, on report.Target) ([]string, error) {
	return t.reportCampuses(on), nil
}

func (t *marketTables) reportCampuses(on report.Target) (all []string) {
	for _, r := range t.reports {
		about := report.Target{Kind: report.Person, ID: int64(r.About)}
		if r.Target == on && on.Kind != report.Person || about == on {
			all = append(all, r.University)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// ListReportCampuses is market.ReportCampusReader.
func (m *Market) ListReportCampuses(ctx context.Context, on report.Target) ([]string, error) {
	return rows(ctx, m, func(t *marketTables) []string { return t.reportCampuses(on) })
}

// ListReporting is auth.ReportedReader.
func (m *Market) ListReporting(ctx context.Context, person user.ID) ([]string, error) {
	return m.ListReportCampuses(ctx, report.Target{Kind: report.Person, ID: int64(person)})
}

func (t orderTable) HasOpenOrders(_ context.Context, id user.ID) (bool, error) {
	return len(pick(t.orders, 1, oldestOrder, func(o order.Order) bool {
		return o.Involves(id) && (o.Status == order.Placed || o.Status == order.Verified)
	})) > 0, nil
}

func (t reportTable) IsAcquainted(_ context.Context, id, person user.ID) (bool, error) {
	selling := pick(t.books, 1, oldestBook, func(b book.Book) bool { return b.Status == book.ForSale && b.Seller == person })
	traded := pick(t.orders, 1, oldestOrder, func(o order.Order) bool { return o.Involves(id) && o.Involves(person) && id != person })
	return len(selling)+len(traded) > 0, nil
}

func (t reportTable) ListAllReportsBy(_ context.Context, reporter user.ID) ([]report.Report, error) {
	return t.pickReports(len(t.reports), oldestReport, func(r report.Report) bool { return r.Reporter == reporter }), nil
}

func (t reportTable) DeleteReportsAbout(_ context.Context, person user.ID) error {
	maps.DeleteFunc(t.reports, func(_ report.ID, r report.Report) bool { return r.About == person })
	return nil
}

func (t reportTable) DeleteResolvedReports(_ context.Context, then time.Time, n int) (int, error) {
	old := t.pickReports(n, func(a, b report.Report) int { return cmp.Or(a.ResolvedAt.Compare(b.ResolvedAt), oldestReport(a, b)) },
		func(r report.Report) bool { return !r.Open() && !r.ResolvedAt.After(then) })
	for _, r := range old {
		delete(t.reports, r.ID)
	}
	return len(old), nil
}

func (t orderTable) ListPlacedOrdersOf(_ context.Context, id user.ID) ([]order.Order, error) {
	all := pick(t.orders, len(t.orders), oldestOrder, func(o order.Order) bool { return o.Involves(id) && o.Status == order.Placed })
	slices.SortFunc(all, func(a, b order.Order) int { return cmp.Compare(a.Book, b.Book) })
	return all, nil
}

// listReports reads reports with the names of their people.
func (m *Market) listReports(ctx context.Context, n int, by func(a, b report.Report) int, pass func(report.Report) bool) ([]market.ReportView, error) {
	return rows(ctx, m, func(t *marketTables) (out []market.ReportView) {
		for _, r := range t.pickReports(n, by, pass) {
			out = append(out, market.ReportView{Report: r, ReporterName: m.firstName(r.Reporter), AboutName: m.firstName(r.About), ResolverName: m.firstName(r.ResolvedBy), BookBuyer: t.buyerOf(r.Target)})
		}
		return out
	})
}

// buyerOf returns who has bought a reported book.
func (t *marketTables) buyerOf(on report.Target) user.ID {
	if on.Kind != report.Book {
		return 0
	}
	return t.books[book.ID(on.ID)].Buyer
}

func (m *Market) firstName(id user.ID) string {
	u, err := m.s.userByID(id)
	if err != nil || u.Profile == nil {
		return ""
	}
	return u.Profile.FirstName
}

// isOf reports whether a report is of a university; "" is all.
func isOf(university string, r report.Report) bool {
	return university == "" || user.SameUniversity(r.University, university)
}

// FindReport is market.ReportReader.
func (m *Market) FindReport(ctx context.Context, id report.ID) (market.ReportView, error) {
	found, err := m.listReports(ctx, 1, oldestReport, func(r report.Report) bool { return r.ID == id })
	if err != nil || len(found) == 0 {
		return market.ReportView{}, cmp.Or[error](err, report.ErrNotFound)
	}
	return found[0], nil
}

// ListOpenReports is market.ReportReader.
func (m *Market) ListOpenReports(ctx context.Context, university string, after report.ID, n int) ([]market.ReportView, error) {
	return m.listReports(ctx, n, oldestReport, func(r report.Report) bool { return r.Open() && r.ID > after && isOf(university, r) })
}

// ListResolvedReports is market.ReportReader.
func (m *Market) ListResolvedReports(ctx context.Context, university string, before market.Position, n int) ([]market.ReportView, error) {
	position := func(r report.Report) market.Position {
		return market.Position{Key: r.ResolvedAt.UnixMicro(), ID: int64(r.ID)}
	}
	compare := func(a, b market.Position) int { return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.ID, b.ID)) }
	return m.listReports(ctx, n, func(a, b report.Report) int { return compare(position(b), position(a)) },
		func(r report.Report) bool {
			return !r.Open() && isOf(university, r) && (before.Start() || compare(position(r), before) < 0)
		})
}

// ListOpenReportsOn is market.ReportReader.
func (m *Market) ListOpenReportsOn(ctx context.Context, on report.Target, n int) ([]market.ReportView, error) {
	return m.listReports(ctx, n, oldestReport, func(r report.Report) bool { return r.Open() && r.Target == on })
}

// ListReportsAbout is market.ReportReader.
func (m *Market) ListReportsAbout(ctx context.Context, university string, person user.ID, before report.ID, n int) ([]market.ReportView, error) {
	return m.listReports(ctx, n, newestReport, func(r report.Report) bool {
		return r.About == person && isOf(university, r) && isBelow(int64(r.ID), int64(before))
	})
}

// ListReportsBy is market.ReportReader.
func (m *Market) ListReportsBy(ctx context.Context, reporter user.ID, before report.ID, n int) ([]market.ReportView, error) {
	return m.listReports(ctx, n, newestReport, func(r report.Report) bool { return r.Reporter == reporter && isBelow(int64(r.ID), int64(before)) })
}

// CountOpenReports is market.ReportReader.
func (m *Market) CountOpenReports(ctx context.Context, university string) (int, error) {
	open, err := m.listReports(ctx, 1<<30, oldestReport, func(r report.Report) bool { return r.Open() && isOf(university, r) })
	return len(open), err
}
