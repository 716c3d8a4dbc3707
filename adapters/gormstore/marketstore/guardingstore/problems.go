package guardingstore

import (
	"context"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

type reportPhotoRow struct {
	ID            photo.ID `gorm:"primaryKey;autoIncrement:false"`
	ReportID      report.ID
	OwnerID       user.ID
	State         photo.State
	Width, Height int
	CreatedAt     time.Time `gorm:"serializer:micros;autoCreateTime:false"`
	ChangedAt     time.Time `gorm:"serializer:micros"`
	LargeSum      photo.Sum
	ThumbSum      photo.Sum
}

// TableName is part of GORM's interface.
func (reportPhotoRow) TableName() string { return "report_photos" }

func (r *reportPhotoRow) photo() report.Photo {
	return report.Photo{Report: r.ReportID, Photo: photo.Photo{
		ID: r.ID, Owner: r.OwnerID, State: r.State, Width: r.Width, Height: r.Height, CreatedAt: r.CreatedAt, ChangedAt: r.ChangedAt,
		LargeSum: r.LargeSum, ThumbSum: r.ThumbSum,
	}}
}

func toReportPhotoRow(p report.Photo) reportPhotoRow {
	return reportPhotoRow{
		ID: p.ID, ReportID: p.Report, OwnerID: p.Owner, State: p.State, Width: p.Width, Height: p.Height, CreatedAt: p.CreatedAt,
		ChangedAt: p.ChangedAt, LargeSum: p.LargeSum, ThumbSum: p.ThumbSum,
	}
}

// reportPhotos implements guarding.PhotoStore.
type reportPhotos struct{ marketrows.Handle }

func (s reportPhotos) AddReportPhoto(ctx context.Context, p report.Photo) error {
	row := toReportPhotoRow(p)
	return table.Of[reportPhotoRow](s.Session).Create(ctx, &row)
}

func (s reportPhotos) ShowReportPhoto(ctx context.Context, p report.Photo) error {
	n, err := table.Of[reportPhotoRow](s.Session).Where("id = ? AND state = ?", p.ID, photo.Pending).
		Select("state", "width", "height", "changed_at", "large_sum", "thumb_sum").Updates(ctx, toReportPhotoRow(p))
	if err == nil && n == 0 {
		err = photo.ErrNotFound
	}
	return err
}

func (s reportPhotos) CountReportPhotos(ctx context.Context, of report.ID) (int, error) {
	return table.Of[reportPhotoRow](s.Session).Where("report_id = ? AND state = ?", of, photo.Shown).Count(ctx)
}

func (s reportPhotos) RemoveReportPhotosBy(ctx context.Context, owner user.ID, now time.Time) error {
	_, err := s.Exec(ctx, "UPDATE report_photos SET state = 2, changed_at = ? WHERE owner_id = ? AND state <> 2", rawsql.Micros(now), int64(owner))
	return err
}

func (s reportPhotos) RemovePendingReportPhotos(ctx context.Context, then, now time.Time) error {
	_, err := s.Exec(ctx, "UPDATE report_photos SET state = 2, changed_at = ? WHERE state = 0 AND state <> 1 AND changed_at <= ?", rawsql.Micros(now), rawsql.Micros(then))
	return err
}

func (s reportPhotos) ListRemovedReportPhotos(ctx context.Context, then time.Time, n int) ([]photo.ID, error) {
	return rawsql.List(ctx, table.Of[reportPhotoRow](s.Session).Where("state <> 1 AND state = 2 AND changed_at <= ?", rawsql.Micros(then)).
		Order("changed_at, id").Limit(n), func(r *reportPhotoRow) photo.ID { return r.ID })
}

func (s reportPhotos) DeleteReportPhoto(ctx context.Context, id photo.ID) error {
	_, err := table.Of[reportPhotoRow](s.Session).Where("id = ? AND state = ?", id, photo.Removed).Delete(ctx)
	return err
}

// ListOrdersReported implements guarding.ProblemReader.
func (s Reader) ListOrdersReported(ctx context.Context, ids ...order.ID) (reported []order.ID, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := table.Of[reportRow](s.Read.Session).
		Where("target_kind = 4 AND target_id IN ? AND resolved_at = 0", rawsql.Padded(ids)).Select("target_id").Find(ctx)
	for _, r := range rows {
		reported = append(reported, order.ID(r.TargetID))
	}
	slices.Sort(reported)
	return slices.Compact(reported), err // both sides may have reported it
}

// ListReportPhotos implements guarding.ProblemReader.
func (s Reader) ListReportPhotos(ctx context.Context, of ...report.ID) (map[report.ID][]report.Photo, error) {
	byReport := map[report.ID][]report.Photo{}
	if len(of) == 0 {
		return byReport, nil
	}
	rows, err := table.Of[reportPhotoRow](s.Read.Session).Where("report_id IN ? AND state = 1", rawsql.Padded(of)).Order("id").Find(ctx)
	for _, r := range rows {
		byReport[r.ReportID] = append(byReport[r.ReportID], r.photo())
	}
	return byReport, err
}

// FindReportPhoto implements guarding.ProblemReader.
func (s Reader) FindReportPhoto(ctx context.Context, id photo.ID) (report.Photo, report.Report, error) {
	row, err := rawsql.Take(ctx, table.Of[reportPhotoRow](s.Read.Session).Where("id = ? AND state = 1", id), photo.ErrNotFound)
	if err != nil {
		return report.Photo{}, report.Report{}, err
	}
	of, err := rawsql.Take(ctx, table.Of[reportRow](s.Read.Session).Where("id = ?", row.ReportID), photo.ErrNotFound)
	return row.photo(), of.report(), err
}

// FindConversationOfOrder implements guarding.ProblemReader.
func (s Reader) FindConversationOfOrder(ctx context.Context, id order.ID) (conversation.ID, error) {
	found, exists, err := rawsql.One(ctx, s.Read.Conn, rawsql.Integer[conversation.ID], `SELECT c.id FROM orders o
		JOIN conversations c ON c.book_id = o.book_id AND c.buyer_id = o.buyer_id WHERE o.id = ?`, int64(id))
	if err == nil && !exists {
		err = conversation.ErrNotFound
	}
	return found, err
}
