package finding

import (
	"context"
	"encoding/json"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/course"
	"github.com/octavo-books/octavo/domain/savedsearch"
	"github.com/octavo-books/octavo/domain/user"
)

// Export exports what people look for.
func Export(r Reader) market.Exporter {
	return func(ctx context.Context, of user.ID, out *market.Exporting) { export(ctx, r, of, out) }
}

func export(ctx context.Context, r Reader, of user.ID, out *market.Exporting) {
	market.ExportList(out, "requests", func(before int64, n int) ([]book.Request, error) {
		return r.ListRequestsOf(ctx, of, book.RequestID(before), n)
	}, func(r book.Request) int64 { return int64(r.ID) }, func(r book.Request) ExportedRequest { return exportedRequest(out, r) })
	market.ExportList(out, "savedSearches", func(before int64, n int) ([]savedsearch.Search, error) {
		return r.ListSearchesOf(ctx, of, savedsearch.ID(before), n)
	}, func(s savedsearch.Search) int64 { return int64(s.ID) }, func(s savedsearch.Search) ExportedSearch { return exportedSearch(out, s) })
	chosen, err := r.ListChosenCourses(ctx, of, 0, course.MaxAllChosen)
	courses := []ExportedCourse{}
	for _, c := range chosen {
		courses = append(courses, ExportedCourse{
			ID: c.ID.String(), University: c.University, Term: c.Term, Code: c.Code, Title: c.Title, ChosenAt: c.ChosenAt,
		})
	}
	out.Add("courses", courses, err)
}

func exportedRequest(e *market.Exporting, r book.Request) ExportedRequest {
	return ExportedRequest{
		ID: r.ID.String(), Name: r.Name, Course: r.Course, ISBN: string(r.ISBN), Authors: r.Authors, Edition: r.Edition,
		MaxPrice: e.Amount(r.MaxPrice), Status: int(r.Status), CreatedAt: r.CreatedAt,
	}
}

func exportedSearch(e *market.Exporting, s savedsearch.Search) ExportedSearch {
	out := ExportedSearch{
		ID: s.ID.String(), Query: s.Query, University: s.University, Course: s.Course,
		MinPrice: e.Amount(s.MinPrice), MaxPrice: e.Amount(s.MaxPrice), Mail: s.Mail, CreatedAt: s.CreatedAt,
	}
	if s.Condition != 0 {
		out.Condition = s.Condition.String()
	}
	return out
}

// ExportedRequest is a request of the user.
type ExportedRequest struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	Course    string      `json:"course"`
	ISBN      string      `json:"isbn"`
	Authors   string      `json:"authors"`
	Edition   int         `json:"edition"`
	MaxPrice  json.Number `json:"maxPrice"` // 0: any
	Status    int         `json:"status"`
	CreatedAt time.Time   `json:"createdAt"`
}

// ExportedSearch is a saved search of the user. An empty field or a price of 0 does not narrow it.
type ExportedSearch struct {
	ID         string      `json:"id"`
	Query      string      `json:"query"`
	University string      `json:"university"`
	Course     string      `json:"course"`
	Condition  string      `json:"condition"`
	MinPrice   json.Number `json:"minPrice"`
	MaxPrice   json.Number `json:"maxPrice"`
	Mail       bool        `json:"mail"`
	CreatedAt  time.Time   `json:"createdAt"`
}

// ExportedCourse is a course that the user has chosen.
type ExportedCourse struct {
	ID         string    `json:"id"`
	University string    `json:"university"`
	Term       string    `json:"term"`
	Code       string    `json:"code"`
	Title      string    `json:"title"`
	ChosenAt   time.Time `json:"chosenAt"`
}
