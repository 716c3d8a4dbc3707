package guarding

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

// Exporter exports what people have reported.
type Exporter struct{ reader Reader }

// NewExporter returns the exporter.
func NewExporter(r Reader) Exporter { return Exporter{r} }

// Export implements Exporter.
func (x Exporter) Export(ctx context.Context, of user.ID, out *market.Exporting) (err error) {
	out.Reports, err = market.ExportList(out, "reports", nil, func(before int64, n int) ([]ReportView, error) {
		return x.reader.ListReportsBy(ctx, of, report.ID(before), n)
	}, func(v ReportView) int64 { return int64(v.ID) }, exportedReport)
	return err
}

func exportedReport(v ReportView) market.ExportedReport {
	return market.ExportedReport{ID: v.ID.String(), Kind: v.Target.Kind.String(), TargetID: id.Format(v.Target.ID), Reason: string(v.Reason), Text: v.Text, Open: v.Open(), CreatedAt: v.CreatedAt}
}
