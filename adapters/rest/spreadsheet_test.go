package rest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/spreadsheet"
)

// awkwardBooks are the texts of books that spreadsheets mistake for something else.
var awkwardBooks = []struct{ name, course, comments string }{
	{"Élan vital, 漢字 & Straße", "18.10", "call +1 585"}, {"1984", "6.042", "12/10/2026"}, {`=HYPERLINK("http://x","y")`, "MAR 12", "-1"},
	{"Calculus; early, \"transcendentals\"", "0123", "5 €"}, {"3-4", "1E5", "two\nlines"}, {"@SUM(A1)", "CSC 172", "10 %"},
}

// shelf is a market in which ann offers awkwardBooks, of which bob has bought the first.
func shelf(t *testing.T) (w *marketFixture, admin string) {
	t.Helper()
	w = newMarketFixture(t)
	admin = w.promoted("root", user.Admin)
	w.post("/api/auth/updateProfile", w.as("ann"), object{"paymentUsername": "007", "campusMailbox": "0270", "firstName": "Zoë"}).wantStatus(200, "")
	for i, b := range awkwardBooks {
		id := w.posted("ann", "name", b.name, "course", b.course, "Comments", b.comments, "ISBN", "9780262033848", "price", 1250.5)
		if i == 0 {
			w.post("/api/books/checkoutCart", w.as("bob"), object{"bookIds": []string{id}}).wantStatus(201, "")
		}
	}
	return w, admin
}

func TestNoCellOfAnExportIsReadAsSomethingElseInAnyCountry(t *testing.T) {
	deep.Only(t, "opens four files in LibreOffice in seven languages")
	w, admin := shelf(t)
	exports := []struct{ path, token string }{
		{"/api/books/exportMyBooks?for=spreadsheet", w.as("ann")}, {"/api/dashboard/exportBooks?status=0&for=spreadsheet", admin},
		{"/api/dashboard/exportTransactions?for=spreadsheet", admin}, {"/api/dashboard/exportUsers?for=spreadsheet", admin},
	}
	var files [][]byte
	for _, e := range exports {
		files = append(files, []byte(w.get(e.path, e.token).raw))
	}
	for _, locale := range spreadsheet.Locales {
		for i, shown := range spreadsheet.Open(t, locale, files...) {
			columns, rows := exportedRows(t, w, exports[i].token, exports[i].path)
			wantShown(t, exports[i].path+" in "+locale, columns, rows, shown)
		}
	}
}

// wantShown compares what a spreadsheet shows below the names of the columns with the rows of a file.
func wantShown(t *testing.T, where string, columns []string, rows [][]string, shown [][]spreadsheet.Cell) {
	t.Helper()
	if len(shown) < len(rows)+1 || len(rows) == 0 {
		t.Fatalf("%s has %d rows, not %d", where, len(shown), len(rows)+1)
	}
	for i, row := range rows {
		for j, cell := range row {
			if got := shown[i+1][j]; !shownRight(columns[j], cell, got) {
				t.Errorf("%s: %s %q is the %s %q", where, columns[j], cell, got.Type, got.Text)
			}
		}
	}
}

// shownRight reports whether a cell is what the file has. Ids are texts, and amounts may
// lose zeros at their ends.
func shownRight(column, cell string, got spreadsheet.Cell) bool {
	plain := strings.ReplaceAll(cell, "\r\n", "\n")
	switch {
	case column == "id" || strings.HasSuffix(column, "Id"):
		return got.Type == "string" && got.Text == cell && strings.HasPrefix(cell, "'")
	case got.Type == "float":
		return got.Text == plain || slices.Contains([]string{"price", "fee", "total"}, column) && strings.TrimRight(strings.TrimRight(plain, "0"), ".") == strings.ReplaceAll(got.Text, ",", ".")
	case got.Type == "boolean":
		return strings.EqualFold(got.Text, plain)
	}
	return got.Text == plain && (got.Type == "string" || got.Type == "" && plain == "")
}

func TestOnesOwnBooksComeBackFromASpreadsheetAsTheyWere(t *testing.T) {
	deep.Only(t, "saves a file with LibreOffice in seven languages")
	w, _ := shelf(t)
	file := []byte(w.get("/api/books/exportMyBooks?for=spreadsheet", w.as("ann")).raw)
	columns, before := exportedRows(t, w, w.as("ann"), "/api/books/exportMyBooks")
	for i, locale := range spreadsheet.Locales {
		who := "reader" + string(rune('a'+i))
		saved := string(spreadsheet.Save(t, locale, file))
		if in := w.importCSV(w.as(who), "", saved).wantStatus(200, ""); in.at("accepted") != float64(len(awkwardBooks)) {
			t.Errorf("%s: %s is read as %s", locale, saved, in)
			continue
		}
		_, after := exportedRows(t, w, w.as(who), "/api/books/exportMyBooks")
		slices.Reverse(after) // newest first
		for n, row := range after {
			for j, column := range columns {
				if slices.Contains([]string{"name", "edition", "course", "ISBN", "condition", "price", "date", "Comments", "authors"}, column) && row[j] != before[n][j] {
					t.Errorf("%s: %s was %q and is %q", locale, column, before[n][j], row[j])
				}
			}
		}
	}
}

func TestIDsAreTextsInAFileForASpreadsheetAndPlainInOthers(t *testing.T) {
	w, admin := shelf(t)
	for path, token := range map[string]string{
		"/api/books/exportMyBooks": w.as("ann"), "/api/dashboard/exportBooks": admin, "/api/dashboard/exportTransactions": admin, "/api/dashboard/exportUsers": admin,
	} {
		columns, plain := exportedRows(t, w, token, path)
		_, guarded := exportedRows(t, w, token, path+"?for=spreadsheet")
		ids := 0
		for i, row := range plain {
			for j, cell := range row {
				if column := columns[j]; column == "id" || strings.HasSuffix(column, "Id") {
					ids++
					cell = "'" + strings.Trim(cell, "'")
				}
				if guarded[i][j] != cell {
					t.Errorf("%s: %s %q is %q for a spreadsheet", path, columns[j], row[j], guarded[i][j])
				}
			}
			if strings.HasPrefix(row[0], "'") {
				t.Errorf("%s: a program reads the id %q", path, row[0])
			}
		}
		if ids == 0 {
			t.Errorf("%s has no ids", path)
		}
		w.get(path+"?for=else", token).wantStatus(400, "invalid_fields")
	}
	again := w.importCSV(w.as("ben"), "", w.get("/api/books/exportMyBooks?for=spreadsheet", w.as("ann")).raw).wantStatus(200, "")
	if again.at("accepted") != float64(len(awkwardBooks)) {
		t.Errorf("the file for a spreadsheet is read as %s", again)
	}
}

func TestAnExportHasISBNsAndNumbersInTextsThatNoSpreadsheetChanges(t *testing.T) {
	w, admin := shelf(t)
	_, rows := exportedRows(t, w, admin, "/api/dashboard/exportBooks?status=0")
	var courses []string
	for _, row := range rows {
		courses = append(courses, row[3])
		if row[4] != "978-0262033848" || row[6] != "1250.50" {
			t.Errorf("a book is exported as %q", row)
		}
	}
	if want := []string{"CSC 172", "'1E5", "'0123", "'MAR 12", "'6.042"}; !slices.Equal(courses, want) {
		t.Errorf("courses are exported as %q, want %q", courses, want)
	}
}
