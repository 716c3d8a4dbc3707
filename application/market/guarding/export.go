package guarding

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

// Export exports what people have reported.
func Export(r Reader) market.Exporter {
	return func(ctx context.Context, of user.ID, out *market.Exporting) { export(ctx, r, of, out) }
}

func export(ctx context.Context, r Reader, of user.ID, out *market.Exporting) {
	market.ExportList(out, "reports", func(before int64, n int) ([]ProblemView, error) {
		return listReportsBy(ctx, r, of, before, n)
	}, func(v ProblemView) int64 { return int64(v.ID) }, exportedReport)
}

// listReportsBy lists reports with their photos.
func listReportsBy(ctx context.Context, r Reader, of user.ID, before int64, n int) ([]ProblemView, error) {
	found, err := r.ListReports(ctx, ReportSelection{By: of}, market.Position{ID: before}, n)
	if err != nil {
		return nil, err
	}
	ids := make([]report.ID, len(found))
	for i, v := range found {
		ids[i] = v.ID
	}
	photos, err := r.ListReportPhotos(ctx, ids...)
	all := make([]ProblemView, len(found))
	for i, v := range found {
		all[i] = ProblemView{v, photos[v.ID]}
	}
	return all, err
}

func exportedReport(v ProblemView) ExportedReport {
	photos := []string{}
	for _, p := range v.Photos {
		photos = append(photos, p.Path(photo.Large))
	}
	return ExportedReport{
		ID: v.ID.String(), Kind: v.Target.Kind.String(), TargetID: id.Format(v.Target.ID), Reason: string(v.Reason), Text: v.Text,
		Open: v.Open(), CreatedAt: v.CreatedAt, Photos: photos,
	}
}

// ExportedReport is a report that the user has made. What an admin decided about somebody else
// is not the user's.
type ExportedReport struct {
	ID        string    `json:"id"`
	Kind      string    `json:"kind"` // book, person, conversation or order
	TargetID  string    `json:"targetId"`
	Reason    string    `json:"reason"`
	Text      string    `json:"text"`
	Open      bool      `json:"open"`
	CreatedAt time.Time `json:"createdAt"`
	Photos    []string  `json:"photos"` // the paths of the JPEGs on this service, of an order
}
