package rest_test

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/user"
)

// exportedRows reads a CSV export as an admin.
func exportedRows(t *testing.T, w *marketFixture, admin, path string) (columns []string, rows [][]string) {
	t.Helper()
	r := w.get(path, admin).wantStatus(200, "")
	if !strings.HasPrefix(r.header.Get("Content-Type"), "text/csv") || !strings.Contains(r.header.Get("Content-Disposition"), ".csv") {
		t.Errorf("%s: %v", path, r.header)
	}
	all, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(r.raw, "\ufeff"))).ReadAll()
	if err != nil || len(all) == 0 {
		t.Fatalf("%s: %v in %q", path, err, r.raw)
	}
	return all[0], all[1:]
}

func TestAnAdminExportsTheBooksInAStatus(t *testing.T) {
	w := newMarketFixture(t)
	admin := w.promoted("root", user.Admin)
	w.posted("ann", "name", "=1+1")
	w.bought("ann", "bob", "name", "Sold")
	columns, rows := exportedRows(t, w, admin, "/api/dashboard/exportBooks")
	if len(rows) != 1 || rows[0][slices.Index(columns, "name")] != "'=1+1" || rows[0][slices.Index(columns, "status")] != "for sale" {
		t.Errorf("for sale: %q", rows)
	}
	if _, rows = exportedRows(t, w, admin, "/api/dashboard/exportBooks?status=1"); len(rows) != 1 || !slices.Contains(rows[0], "Sold") {
		t.Errorf("bought: %q", rows)
	}
	w.get("/api/dashboard/exportBooks?status=4", admin).wantStatus(400, "invalid_fields")
}

func TestAnExportHasEveryBookOfManyPagesOnce(t *testing.T) {
	w := newMarketFixture(t)
	admin := w.promoted("root", user.Admin)
	w.makeStore("ann")
	const books = 405 // three pages
	for range books {
		w.posted("ann")
	}
	columns, rows := exportedRows(t, w, admin, "/api/dashboard/exportBooks?status=0")
	ids := map[string]bool{}
	for _, row := range rows {
		ids[row[slices.Index(columns, "id")]] = true
	}
	if len(rows) != books || len(ids) != books {
		t.Errorf("%d rows of %d books, want %d", len(rows), len(ids), books)
	}
}

func TestAnAdminExportsPeopleWithoutSecrets(t *testing.T) {
	w := newMarketFixture(t)
	admin := w.promoted("root", user.Admin)
	w.as("ann")
	w.as("bob")
	columns, rows := exportedRows(t, w, admin, "/api/dashboard/exportUsers")
	if len(rows) != 3 || slices.Contains(columns, "passwordHash") || len(columns) != len(rows[0]) {
		t.Errorf("%q: %q", columns, rows)
	}
	_, rows = exportedRows(t, w, admin, "/api/dashboard/exportUsers?search=ann")
	if len(rows) != 1 || !strings.HasPrefix(rows[0][slices.Index(columns, "email")], "ann@") {
		t.Errorf("found %q", rows)
	}
}
