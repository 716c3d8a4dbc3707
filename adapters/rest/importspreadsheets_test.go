package rest_test

import (
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/spreadsheets"
)

// TestTheFilesOfSpreadsheetsListTheirTenBooksUnchanged: nobody edits the file of their desktop for us.
func TestTheFilesOfSpreadsheetsListTheirTenBooksUnchanged(t *testing.T) {
	w := newMarketFixture(t)
	w.makeStore("ann")
	for _, f := range spreadsheets.Files(t) {
		query := ""
		if f.Dates != "" {
			w.rejectsAllDates(f)
			query = "?dates=" + f.Dates
		}
		r := w.post("/api/books/importBooks"+query, w.as("ann"), io.Reader(strings.NewReader(string(f.Data))), header("Content-Type", "text/csv")).wantStatus(200, "")
		want := f.Listed()
		posted, _ := r.at("books").([]any)
		lost := strings.Count(r.raw, "The spreadsheet has lost characters here.") > 0
		if r.at("accepted") != float64(len(want)) || len(posted) != len(want) || strings.Contains(r.raw, `"rejected":[]`) == f.Lossy || lost != f.Lossy || !strings.Contains(r.raw, `"blank":1,`) {
			t.Errorf("%s: %s", f.Name, r)
			continue
		}
		for i, b := range want {
			got := []any{r.at("books", i, "name"), r.at("books", i, "course"), r.at("books", i, "edition"), r.at("books", i, "price"), r.at("books", i, "condition"), r.at("books", i, "date"), r.at("books", i, "authors"), r.at("books", i, "ISBN")}
			is := []any{f.In(b.Name), b.Course, float64(b.Edition), float64(b.Price) / 100, b.Condition.String(), b.Date.Format(time.RFC3339), f.In(b.Authors), any(string(b.ISBN))}
			if b.ISBN == "" {
				is[7] = nil
			}
			if !slices.Equal(got, is) {
				t.Errorf("%s, book %d: %v, want %v", f.Name, i, got, is)
			}
		}
	}
}

// rejectsAllDates checks that nothing is guessed where days and months can be confused.
func (w *marketFixture) rejectsAllDates(f spreadsheets.File) {
	w.t.Helper()
	r := w.importCSV(w.as("ann"), "?dryRun=true", string(f.Data)).wantStatus(200, "")
	if r.at("accepted") != 0.0 || strings.Count(r.raw, "This can be two dates.") != 10 || !strings.Contains(r.raw, `"dates":null`) {
		w.t.Errorf("%s: %s", f.Name, r)
	}
}
