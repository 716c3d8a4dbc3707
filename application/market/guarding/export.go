package guarding

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/user"
)

// Export exports what people have reported.
func Export(r Reader) market.Exporter {
	return func(ctx context.Context, of user.ID, out *market.Exporting) { export(ctx, r, of, out) }
}

func export(ctx context.Context, r Reader, of user.ID, out *market.Exporting) {
	market.ExportList(out, "reports", func(before int64, n int) ([]ReportView, error) {
		return r.ListReports(ctx, ReportSelection{By: of}, market.Position{ID: before}, n)
	}, func(v ReportView) int64 { return int64(v.ID) }, exportedReport)
}

func exportedReport(v ReportView) ExportedReport {
	return ExportedReport{
		ID: v.ID.String(), Kind: v.Target.Kind.String(), TargetID: id.Format(v.Target.ID), Reason: string(v.Reason), Text: v.Text,
		Open: v.Open(), CreatedAt: v.CreatedAt,
	}
}

// ExportedReport is a report that the user has made. What an admin decided about somebody else
// is not the user's.
type ExportedReport struct {
	ID        string    `json:"id"`
	Kind      string    `json:"kind"` // book, person or conversation
	TargetID  string    `json:"targetId"`
	Reason    string    `json:"reason"`
	Text      string    `json:"text"`
	Open      bool      `json:"open"`
	CreatedAt time.Time `json:"createdAt"`
}
