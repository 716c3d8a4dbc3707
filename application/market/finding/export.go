package finding

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/course"
	"github.com/octavo-books/octavo/domain/savedsearch"
	"github.com/octavo-books/octavo/domain/user"
)

// Exporter exports what people look for.
type Exporter struct{ reader Reader }

// NewExporter returns the exporter.
func NewExporter(r Reader) Exporter { return Exporter{r} }

// Export implements Exporter.
func (x Exporter) Export(ctx context.Context, of user.ID, out *market.Exporting) (err error) {
	out.Requests, err = market.ExportList(out, "requests", nil, func(before int64, n int) ([]book.Request, error) {
		return x.reader.ListRequestsOf(ctx, of, book.RequestID(before), n)
	}, func(r book.Request) int64 { return int64(r.ID) }, func(r book.Request) market.ExportedRequest { return exportedRequest(out, r) })
	out.SavedSearches, err = market.ExportList(out, "savedSearches", err, func(before int64, n int) ([]savedsearch.Search, error) {
		return x.reader.ListSearchesOf(ctx, of, savedsearch.ID(before), n)
	}, func(s savedsearch.Search) int64 { return int64(s.ID) }, func(s savedsearch.Search) market.ExportedSearch { return exportedSearch(out, s) })
	if err != nil {
		return err
	}
	chosen, err := x.reader.ListChosenCourses(ctx, of, 0, course.MaxAllChosen)
	out.Courses = []market.ExportedCourse{}
	for _, c := range chosen {
		out.Courses = append(out.Courses, market.ExportedCourse{ID: c.ID.String(), University: c.University, Term: c.Term, Code: c.Code, Title: c.Title, ChosenAt: c.ChosenAt})
	}
	return err
}

func exportedRequest(e *market.Exporting, r book.Request) market.ExportedRequest {
	return market.ExportedRequest{
		ID: r.ID.String(), Name: r.Name, Course: r.Course, ISBN: string(r.ISBN), Edition: r.Edition,
		MaxPrice: e.Amount(r.MaxPrice), Status: int(r.Status), CreatedAt: r.CreatedAt,
	}
}

func exportedSearch(e *market.Exporting, s savedsearch.Search) market.ExportedSearch {
	out := market.ExportedSearch{
		ID: s.ID.String(), Query: s.Query, University: s.University, Course: s.Course,
		MinPrice: e.Amount(s.MinPrice), MaxPrice: e.Amount(s.MaxPrice), Mail: s.Mail, CreatedAt: s.CreatedAt,
	}
	if s.Condition != 0 {
		out.Condition = s.Condition.String()
	}
	return out
}
