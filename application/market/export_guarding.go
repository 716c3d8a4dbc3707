package market

import (
	"context"

	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

// ReporterExportReader reads what ExportOfReporters exports.
type ReporterExportReader interface {
	ListReportsBy(ctx context.Context, reporter user.ID, before report.ID, n int) ([]ReportView, error)
}

// ExportOfReporters exports what people have reported.
type ExportOfReporters struct{ reader ReporterExportReader }

// NewExportOfReporters returns the exporter.
func NewExportOfReporters(r ReporterExportReader) ExportOfReporters { return ExportOfReporters{r} }

// Export implements Exporter.
func (x ExportOfReporters) Export(ctx context.Context, of user.ID, out *Exporting) (err error) {
	out.Reports, err = ExportList(out, "reports", nil, func(before int64, n int) ([]ReportView, error) {
		return x.reader.ListReportsBy(ctx, of, report.ID(before), n)
	}, func(v ReportView) int64 { return int64(v.ID) }, exportedReport)
	return err
}

func exportedReport(v ReportView) ExportedReport {
	return ExportedReport{v.ID.String(), v.Target.Kind.String(), id.Format(v.Target.ID), string(v.Reason), v.Text, v.Open(), v.CreatedAt}
}
