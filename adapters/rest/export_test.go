package rest_test

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/user"
)

// exported returns the CSV export of books with these names, newest first, of a
// seller with this payment username.
func exported(t *testing.T, payee, query string, names ...string) string {
	t.Helper()
	w := newMarketFixture(t)
	admin := w.promoted("root", user.Admin)
	w.post("/api/auth/updateProfile", w.as("ann"), object{"paymentUsername": payee}).wantStatus(200, "")
	for _, name := range names {
		w.bought("ann", "bob", "name", name)
	}
	r := w.get("/api/dashboard/exportTransactions"+query, admin).wantStatus(200, "")
	file, marked := strings.CutPrefix(r.raw, "\ufeff")
	if !marked {
		t.Errorf("the file begins with %.20q", r.raw)
	}
	return file
}

// A spreadsheet with another separator than ours may ignore our quotes.
func TestTheExportContainsNoFormulas(t *testing.T) {
	raw := exported(t, "=1+1", "",
		`=cmd|' /C calc'!A0`, `Algebra;=cmd|' /C calc'!A0;x`, `Algebra,=1+1,x`, `Algebra; +1`, `Algebra;;-1`, `Algebra;"=1+1";x`, `Algebra;""=1+1`,
		` =1+1`, `"=1+1"`, `@SUM(A1)`, `Algebra;|cmd`, `＝1+1`, `Algebra；＝1+1`, `Algebra，＋1`, `x;=1;=2,=3`, `;=`)
	for _, cell := range strings.FieldsFunc(raw, func(r rune) bool { return strings.ContainsRune(",;，；\t\r\n", r) }) {
		if strings.IndexAny(strings.TrimLeft(cell, ` "`), "=+-@|＝＋－＠") == 0 {
			t.Errorf("a cell is %q", cell)
		}
	}
	if n := strings.Count(raw, "'"); n < 20 {
		t.Errorf("only %d apostrophes in %s", n, raw)
	}
}

func TestAPaymentUsernameForAPayoutIsExportedByteForByte(t *testing.T) {
	w := newMarketFixture(t)
	admin := w.promoted("root", user.Admin)
	w.bought("ann", "bob", "name", "Algebra")
	for payee, cell := range map[string]string{"@ada": `"@ada"`, "ada;=x": `"ada;=x"`, "+1 585 555": `"+1 585 555"`, `a"b`: `"a""b"`, `=HYPERLINK("//x","y")`: `"=HYPERLINK(""//x"",""y"")"`} {
		w.post("/api/auth/updateProfile", w.as("ann"), object{"paymentUsername": payee, "firstName": "Zoë"}).wantStatus(200, "")
		for _, path := range []string{"/api/dashboard/exportTransactions", "/api/dashboard/exportUsers"} {
			columns, rows := exportedRows(t, w, admin, path+"?for=payout")
			at := slices.IndexFunc(columns, func(c string) bool { return strings.EqualFold(strings.TrimPrefix(c, "seller"), "paymentUsername") })
			if raw := w.get(path+"?for=payout", admin).raw; !strings.Contains(raw, ","+cell+",") || !slices.ContainsFunc(rows, func(r []string) bool { return r[at] == payee }) || !strings.Contains(raw, "Zoë") {
				t.Errorf("%s is exported in %s", payee, raw)
			}
			if raw := w.get(path, admin).raw; !strings.HasPrefix(raw, "\ufeff\"id\",") || payee[0] == '=' && !strings.Contains(raw, `"'=HYPERLINK(`) {
				t.Errorf("without the purpose of a payout %s is exported in %s", payee, raw)
			}
			w.get(path+"?for=else", admin).wantStatus(400, "invalid_fields")
		}
	}
}

func TestOrdinaryNamesAreExportedUnchangedAndEveryCellIsQuoted(t *testing.T) {
	names := []string{"C++", "Introduction to C, C++ and C#", "Calculus - early transcendentals", "R@U: a history", "x=y; a proof", "What is |x|?", `Zoology, the "big" one`}
	file := exported(t, "ada", "", names...)
	for line := range strings.Lines(file) {
		text, ended := strings.CutSuffix(line, "\r\n")
		if cells := strings.Split(text, `","`); !ended || len(cells) != 23 || !strings.HasPrefix(text, `"`) || !strings.HasSuffix(text, `"`) {
			t.Errorf("%d cells in %q", len(cells), line)
		}
	}
	rows, err := csv.NewReader(strings.NewReader(file)).ReadAll()
	if err != nil || len(rows) != len(names)+1 {
		t.Fatalf("%q, %v", rows, err)
	}
	for _, row := range rows[1:] {
		if !slices.Contains(names, row[2]) {
			t.Errorf("a name is exported as %q", row[2])
		}
	}
}

func TestTransactionsAreSearchedAndExported(t *testing.T) {
	w := newMarketFixture(t)
	admin := w.promoted("root", user.Admin)
	cancelled := w.bought("ann", "bob", "name", "=HYPERLINK(\"http://evil\")", "price", 20)
	code := w.get("/api/user/getOrders", w.as("bob")).wantStatus(200, "").text(0, "code")
	w.post("/api/dashboard/cancelTransaction", admin, object{"bookId": cancelled, "reason": " =no show"}).wantStatus(200, "")
	done := w.bought("cyd", "bob", "name", "Zoology")
	w.post("/api/dashboard/confirmBook", admin, object{"bookId": done})
	for query, want := range map[string][]string{"search=zoo": {"Zoology"}, "search=CYD": {"Zoology"}, "status=2": {"Zoology"}, "status=3": {}} {
		w.get("/api/dashboard/getTransactions?"+query, admin).lists(want...)
		if _, rows := exportedRows(t, w, admin, "/api/dashboard/exportTransactions?"+query); len(rows) != len(want) {
			t.Errorf("%s exports %q", query, rows)
		}
	}
	_, rows := exportedRows(t, w, admin, "/api/dashboard/exportTransactions")
	if len(rows) != 2 || rows[0][2] != "Zoology" || rows[0][3] != "verified" || rows[0][6] != "42.00" || rows[1][2] != "'=HYPERLINK(\"http://evil\")" || rows[1][6] != "21.00" {
		t.Errorf("exported %q", rows)
	}
	if last := rows[1][len(rows[1])-2:]; code == "" || last[0] != code || last[1] != "'=no show" {
		t.Errorf("the order %s ends with %q", code, last)
	}
}

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

func TestBooksAndPeopleAreExported(t *testing.T) {
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
	columns, rows = exportedRows(t, w, admin, "/api/dashboard/exportUsers?search=ann")
	if len(rows) != 1 || !strings.HasPrefix(rows[0][slices.Index(columns, "email")], "ann@") || slices.Contains(columns, "passwordHash") || len(columns) != len(rows[0]) {
		t.Errorf("found %q: %q", columns, rows)
	}
}

func TestAnExportHasEveryBookOfManyPagesOnce(t *testing.T) {
	w := newMarketFixture(t)
	admin := w.promoted("root", user.Admin)
	w.makeStore("ann")
	const books = 405 // three pages
	w.importCSV(w.as("ann"), "", algebras(books)).wantStatus(200, "")
	columns, rows := exportedRows(t, w, admin, "/api/dashboard/exportBooks?status=0")
	ids := map[string]bool{}
	for _, row := range rows {
		ids[row[slices.Index(columns, "id")]] = true
	}
	if len(rows) != books || len(ids) != books {
		t.Errorf("%d rows of %d books, want %d", len(rows), len(ids), books)
	}
}
