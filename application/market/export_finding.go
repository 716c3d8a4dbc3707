package market

import (
	"context"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/course"
	"github.com/octavo-books/octavo/domain/savedsearch"
	"github.com/octavo-books/octavo/domain/user"
)

// SeekerExportReader reads what ExportOfSeekers exports.
type SeekerExportReader interface {
	ListRequestsOf(ctx context.Context, owner user.ID, before book.RequestID, n int) ([]book.Request, error)
	SavedSearchReader
	ListChosenCourses(ctx context.Context, owner user.ID, of course.ListID, n int) ([]ChosenCourse, error)
}

// ExportOfSeekers exports what people look for.
type ExportOfSeekers struct{ reader SeekerExportReader }

// NewExportOfSeekers returns the exporter.
func NewExportOfSeekers(r SeekerExportReader) ExportOfSeekers { return ExportOfSeekers{r} }

// Export implements Exporter.
func (x ExportOfSeekers) Export(ctx context.Context, of user.ID, out *Exporting) (err error) {
	out.Requests, err = ExportList(out, "requests", nil, func(before int64, n int) ([]book.Request, error) {
		return x.reader.ListRequestsOf(ctx, of, book.RequestID(before), n)
	}, func(r book.Request) int64 { return int64(r.ID) }, func(r book.Request) ExportedRequest { return exportedRequest(out, r) })
	out.SavedSearches, err = ExportList(out, "savedSearches", err, func(before int64, n int) ([]savedsearch.Search, error) {
		return x.reader.ListSearchesOf(ctx, of, savedsearch.ID(before), n)
	}, func(s savedsearch.Search) int64 { return int64(s.ID) }, func(s savedsearch.Search) ExportedSearch { return exportedSearch(out, s) })
	if err != nil {
		return err
	}
	chosen, err := x.reader.ListChosenCourses(ctx, of, 0, course.MaxAllChosen)
	out.Courses = []ExportedCourse{}
	for _, c := range chosen {
		out.Courses = append(out.Courses, ExportedCourse{c.ID.String(), c.University, c.Term, c.Code, c.Title, c.ChosenAt})
	}
	return err
}

func exportedRequest(e *Exporting, r book.Request) ExportedRequest {
	return ExportedRequest{
		ID: r.ID.String(), Name: r.Name, Course: r.Course, ISBN: string(r.ISBN), Edition: r.Edition,
		MaxPrice: e.Amount(r.MaxPrice), Status: int(r.Status), CreatedAt: r.CreatedAt,
	}
}

func exportedSearch(e *Exporting, s savedsearch.Search) ExportedSearch {
	out := ExportedSearch{
		ID: s.ID.String(), Query: s.Query, University: s.University, Course: s.Course,
		MinPrice: e.Amount(s.MinPrice), MaxPrice: e.Amount(s.MaxPrice), Mail: s.Mail, CreatedAt: s.CreatedAt,
	}
	if s.Condition != 0 {
		out.Condition = s.Condition.String()
	}
	return out
}
