package guardingstore

import (
	"context"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

type reportRow struct {
	ID         report.ID `gorm:"primaryKey;autoIncrement:false"`
	ReporterID user.ID
	TargetKind report.Kind
	TargetID   int64
	AboutID    user.ID
	Reason     report.Reason
	Text       string
	Seen       report.Seen `gorm:"serializer:json"`
	Hid        int
	CreatedAt  time.Time `gorm:"serializer:micros;autoCreateTime:false"`
	University string
	OrderID    order.ID
	Action     report.Action
	Note       string
	ResolvedBy user.ID
	ResolvedAt time.Time `gorm:"serializer:micros"`
}

// TableName is part of GORM's interface.
func (reportRow) TableName() string { return "reports" }

func (r *reportRow) report() report.Report {
	return report.Report{
		ID: r.ID, Reporter: r.ReporterID, Target: report.Target{Kind: r.TargetKind, ID: r.TargetID}, About: r.AboutID,
		Reason: r.Reason, Text: r.Text, Seen: r.Seen, Hid: r.Hid != 0, CreatedAt: r.CreatedAt, University: r.University, Order: r.OrderID,
		Action: r.Action, Note: r.Note, ResolvedBy: r.ResolvedBy, ResolvedAt: r.ResolvedAt,
	}
}

func toReportRow(r report.Report) reportRow {
	row := reportRow{
		ID: r.ID, ReporterID: r.Reporter, TargetKind: r.Target.Kind, TargetID: r.Target.ID, AboutID: r.About,
		Reason: r.Reason, Text: r.Text, Seen: r.Seen, CreatedAt: r.CreatedAt, University: r.University, OrderID: r.Order,
		Action: r.Action, Note: r.Note, ResolvedBy: r.ResolvedBy, ResolvedAt: r.ResolvedAt,
	}
	if r.Hid {
		row.Hid = 1
	}
	return row
}

// reports implements guarding.Store.
type reports struct{ marketrows.Handle }

func (s reports) LockOpenReports(ctx context.Context, on report.Target) ([]report.Report, error) {
	if err := s.AdvisoryLock(ctx, "reports about "+report.ID(on.Kind).String()+" "+report.ID(on.ID).String()); err != nil { // there may be no row to lock yet
		return nil, err
	}
	return rawsql.List(ctx, table.Of[reportRow](s.Session).Where("target_kind = ? AND target_id = ? AND resolved_at = 0", on.Kind, on.ID).Order("id"), (*reportRow).report)
}

func (s reports) AddReport(ctx context.Context, r report.Report) error {
	row := toReportRow(r)
	err := table.Of[reportRow](s.Session).Create(ctx, &row)
	if gormstore.IsUnique(err) {
		return report.ErrReported
	}
	return err
}

func (s reports) UpdateReports(ctx context.Context, all []report.Report) error {
	for _, r := range all {
		_, err := table.Of[reportRow](s.Session).Where("id = ?", r.ID).
			Select("text", "seen", "hid", "action", "note", "resolved_by", "resolved_at").Updates(ctx, toReportRow(r))
		if err != nil {
			return err
		}
	}
	return nil
}

// Partners counts with how many people a user has traded. The plus keeps
// both engines from the index on the status, which every old sale is in.
const Partners = `SELECT count(*) FROM (
	SELECT seller_id FROM orders WHERE buyer_id = ? AND +status = 3 AND delivered_at <= ? AND price >= ?
	UNION SELECT buyer_id FROM orders WHERE seller_id = ? AND +status = 3 AND delivered_at <= ? AND price >= ?) AS p`

func (s reports) CountTraders(ctx context.Context, ids []user.ID, then time.Time, min money.Amount) (n int, err error) {
	at, price := rawsql.Micros(then), int64(min)
	for _, id := range ids {
		found, _, err := rawsql.One(ctx, s.Conn, rawsql.Integer[int], Partners, int64(id), at, price, int64(id), at, price)
		if err != nil {
			return n, err
		}
		if found >= report.MinPartners {
			n++
		}
	}
	return n, nil
}

func (s reports) HasOpenReports(ctx context.Context, about user.ID) (bool, error) {
	return marketrows.Exists(ctx, s.Handle, `SELECT 1 FROM reports WHERE about_id = ? AND resolved_at = 0 LIMIT 1`, "", []any{int64(about)})
}

func (s reports) ListReportCampuses(ctx context.Context, on report.Target) ([]string, error) {
	if on.Kind == report.Person {
		return rawsql.Collect(ctx, s.Conn, rawsql.Text[string], universitiesAbout, on.ID, on.ID)
	}
	return rawsql.Collect(ctx, s.Conn, rawsql.Text[string], "SELECT DISTINCT university FROM reports WHERE target_kind = ? AND target_id = ?", int(on.Kind), on.ID)
}

// universitiesAbout takes a step of the index for each university of the reports about a person, who may have thousands.
const universitiesAbout = `WITH RECURSIVE names (name) AS (
	SELECT min(university) FROM reports WHERE about_id = ?
	UNION ALL SELECT (SELECT min(university) FROM reports WHERE about_id = ? AND university > name) FROM names WHERE name IS NOT NULL)
	SELECT name FROM names WHERE name IS NOT NULL`

func (s reports) IsAcquainted(ctx context.Context, id, person user.ID) (bool, error) {
	selling, err := marketrows.Exists(ctx, s.Handle, `SELECT 1 FROM books WHERE seller_id = ? AND +status = 0 LIMIT 1`, "", []any{int64(person)})
	if err != nil || selling {
		return selling, err
	}
	return marketrows.Exists(ctx, s.Handle, `SELECT 1 FROM orders WHERE buyer_id = ? AND +seller_id = ? LIMIT 1`,
		`SELECT 1 FROM orders WHERE +seller_id = ? AND buyer_id = ? LIMIT 1`, []any{int64(id), int64(person)})
}

func (s reports) ListAllReportsBy(ctx context.Context, reporter user.ID) ([]report.Report, error) {
	return rawsql.List(ctx, table.Of[reportRow](s.Session).Where("reporter_id = ?", reporter).Order("id"), (*reportRow).report)
}

func (s reports) DeleteReportsAbout(ctx context.Context, person user.ID, now time.Time) error {
	_, err := s.deleteWithPhotos(ctx, now, "SELECT id FROM reports WHERE about_id = ?", int64(person))
	return err
}

func (s reports) DeleteResolvedReports(ctx context.Context, then, now time.Time, n int) (int, error) {
	return s.deleteWithPhotos(ctx, now, "SELECT id FROM reports WHERE resolved_at <> 0 AND resolved_at <= ? ORDER BY resolved_at, id LIMIT ?", rawsql.Micros(then), n)
}

// deleteWithPhotos deletes the reports that a query selects, removes their photos and returns how many reports there were.
func (s reports) deleteWithPhotos(ctx context.Context, now time.Time, ids string, args ...any) (int, error) {
	_, err := s.Exec(ctx, "UPDATE report_photos SET state = 2, changed_at = ? WHERE state <> 2 AND report_id IN ("+ids+")", append([]any{rawsql.Micros(now)}, args...)...)
	if err != nil {
		return 0, err
	}
	return table.Of[reportRow](s.Session).Where("id IN ("+ids+")", args...).Delete(ctx)
}

// reportViewRow is a report with the names of its people.
type reportViewRow struct {
	Row                                   reportRow `gorm:"embedded"`
	ReporterName, AboutName, ResolverName string
	BookBuyer                             user.ID
}

// TableName is part of GORM's interface.
func (reportViewRow) TableName() string { return "reports" }

func (r *reportViewRow) view() guarding.ReportView {
	return guarding.ReportView{
		Report: r.Row.report(), ReporterName: r.ReporterName, AboutName: r.AboutName, ResolverName: r.ResolverName,
		BookBuyer: r.BookBuyer,
	}
}

// reportViews reads the reports r that the rest of a statement selects.
func (s Reader) reportViews(ctx context.Context, rest string, args ...any) ([]guarding.ReportView, error) {
	rows, err := table.Of[reportViewRow](s.DB.Read).Raw(`SELECT r.*, COALESCE(ru.first_name, '') AS reporter_name,
		COALESCE(au.first_name, '') AS about_name, COALESCE(vu.first_name, '') AS resolver_name,
		COALESCE(tb.buyer_id, 0) AS book_buyer FROM reports r`+s.Read.JoinRow("LEFT JOIN", "users", "ru", "r.reporter_id")+
		s.Read.JoinRow("LEFT JOIN", "users", "au", "r.about_id")+s.Read.JoinRow("LEFT JOIN", "users", "vu", "r.resolved_by")+
		" LEFT JOIN books tb ON r.target_kind = 1 AND tb.id = r.target_id "+rest, args...).Find(ctx)
	return rawsql.Convert(rows, (*reportViewRow).view), err
}

// FindReport implements guarding.Reader.
func (s Reader) FindReport(ctx context.Context, id report.ID) (guarding.ReportView, error) {
	found, err := s.reportViews(ctx, "WHERE r.id = ?", int64(id))
	if err != nil || len(found) == 0 {
		if err == nil {
			err = report.ErrNotFound
		}
		return guarding.ReportView{}, err
	}
	return found[0], nil
}

// selected returns the condition on reports r of a selection.
func (s Reader) selected(ctx context.Context, of guarding.ReportSelection) (*marketrows.Where, error) {
	w := marketrows.WhereAll(map[guarding.ReportState]string{
		guarding.AnyReports: "r.id > 0", guarding.OpenReports: "r.resolved_at = 0", guarding.ResolvedReports: "r.resolved_at <> 0",
	}[of.State])
	if of.On.Kind != 0 {
		w.And("r.target_kind = ? AND r.target_id = ?", of.On.Kind, of.On.ID)
	}
	if of.About != 0 {
		w.And("r.about_id = ?", int64(of.About))
	}
	if of.By != 0 {
		w.And("r.reporter_id = ?", int64(of.By))
	}
	if of.University == "" {
		return w, nil
	}
	names, err := s.universitiesLike(ctx, of.University)
	w.And("r.university IN ?", names)
	return w, err
}

// universitiesLike lists how the reports of a university spell it. It takes a step of the index for each university.
func (s Reader) universitiesLike(ctx context.Context, university string) (names []string, err error) {
	err = s.DB.Read.WithContext(ctx).Raw(`WITH RECURSIVE names (name) AS (
		SELECT min(university) FROM reports
		UNION ALL SELECT (SELECT min(university) FROM reports WHERE university > name) FROM names WHERE name IS NOT NULL)
		SELECT name FROM names WHERE name IS NOT NULL`).Scan(&names).Error
	return slices.DeleteFunc(names, func(name string) bool { return !user.SameUniversity(name, university) }), err
}

// ListReports implements guarding.Reader.
func (s Reader) ListReports(ctx context.Context, of guarding.ReportSelection, after market.Position, n int) ([]guarding.ReportView, error) {
	w, err := s.selected(ctx, of)
	if err != nil {
		return nil, err
	}
	order, further := "r.id DESC", "r.id < ?"
	args := []any{after.ID}
	switch of.State {
	case guarding.OpenReports:
		order, further = "r.id", "r.id > ?"
	case guarding.ResolvedReports:
		order, further, args = "r.resolved_at DESC, r.id DESC", "(r.resolved_at, r.id) < (?, ?)", []any{after.Key, after.ID}
	}
	if !after.Start() {
		w.And(further, args...)
	}
	return s.reportViews(ctx, w.String()+" ORDER BY "+order+" LIMIT ?", append(w.Args, n)...)
}

// CountOpenReports implements guarding.Reader.
func (s Reader) CountOpenReports(ctx context.Context, university string) (n int, err error) {
	w, err := s.selected(ctx, guarding.ReportSelection{State: guarding.OpenReports, University: university})
	if err != nil {
		return 0, err
	}
	err = s.DB.Read.WithContext(ctx).Raw("SELECT count(*) FROM reports r "+w.String(), w.Args...).Scan(&n).Error
	return n, err
}

// ListReportCampuses implements market.Reader.
func (s Reader) ListReportCampuses(ctx context.Context, on report.Target) ([]string, error) {
	return reports{s.Read}.ListReportCampuses(ctx, on)
}

// ListReporting is Reported of auth.Ports.
func (s Reader) ListReporting(ctx context.Context, person user.ID) ([]string, error) {
	return s.ListReportCampuses(ctx, report.Target{Kind: report.Person, ID: int64(person)})
}
