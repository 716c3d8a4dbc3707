package rest_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/rest"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/test/fake"
)

// fixedList lists the same books every time, without a store.
type fixedList struct {
	failing
	views []market.BookView
}

func (s fixedList) ListBooksForSale(_ context.Context, _ finding.Criteria, _ finding.Sort, _ market.Position, n int) ([]market.BookView, error) {
	return s.views[:min(n, len(s.views))], nil
}

func listOfBooks() fixedList {
	day := time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)
	s := fixedList{}
	for i := range 41 {
		s.views = append(s.views, market.BookView{SellerName: "Ann", Book: book.Book{
			ID: 1<<60 + book.ID(i), Seller: 1 << 60, University: "University of Rochester", CreatedAt: day, ListedAt: day,
			Details: book.Details{
				Name: "Introduction to Algorithms, Third Edition", Course: "CSC 172", Edition: 3, Price: 4250, Condition: book.Good,
				Date: day, Comments: "A few notes in pencil.", ISBN: "9780262033848",
			},
		}})
	}
	return s
}

// The cost of this package without the store: 20 books, and one refused request.
func BenchmarkHandler(b *testing.B) {
	s := listOfBooks()
	site := open(b, rest.Services{Market: &rooms.Market{Finding: &rooms.Finding{Catalogue: finding.NewCatalogue(s)}}}, rest.Default(), fake.NewClock().Now, roleTokens{})
	for name, path := range map[string]string{"first page": "/api/books/getAllBooks?limit=20", "refusal": "/api/books/getAllBooks?limit=0", "not found": "/api/nothing"} {
		b.Run(name, func(b *testing.B) {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			b.ReportAllocs()
			for b.Loop() {
				w := httptest.NewRecorder()
				one := *r
				u := *r.URL
				one.URL = &u
				site.handler.ServeHTTP(w, &one)
			}
		})
	}
}

// The cost of this package at the start of the program.
func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := rest.New(rest.Services{}, rest.Default(), fake.NewClock().Now, slog.New(slog.DiscardHandler)); err != nil {
			b.Fatal(err)
		}
	}
}
