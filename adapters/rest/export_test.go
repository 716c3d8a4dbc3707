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
	for payee, cell := range map[string]string{"@ada": `"@ada"`, "ada;=x": `"ada;=x"`, "+1 585 555": `"+1 585 555"`, `a"b`: `"a""b"`, "$ada-b": `"$ada-b"`} {
		raw := exported(t, payee, "?for=payout", "Algebra")
		if !strings.Contains(raw, ","+cell+",") {
			t.Errorf("%s is exported in %s", payee, raw)
		}
		rows, err := csv.NewReader(strings.NewReader(raw)).ReadAll()
		if err != nil || len(rows) != 2 || rows[1][slices.Index(rows[0], "sellerPaymentUsername")] != payee {
			t.Errorf("%s is read as %q, %v", payee, rows, err)
		}
	}
}

func TestFilesForSpreadsheetsBeginWithAMarkAndHoldNoPaymentFormula(t *testing.T) {
	w := newMarketFixture(t)
	admin := w.promoted("root", user.Admin)
	const payee = `=HYPERLINK("//x","y")`
	w.post("/api/auth/updateProfile", w.as("ann"), object{"paymentUsername": payee, "firstName": "Zoë"}).wantStatus(200, "")
	w.bought("ann", "bob")
	quoted := strings.ReplaceAll(payee, `"`, `""`)
	for _, name := range []string{"exportTransactions", "exportUsers"} {
		path := "/api/dashboard/" + name
		raw := w.get(path, admin).wantStatus(200, "").raw
		if !strings.HasPrefix(raw, "\ufeff\"id\",") || strings.Contains(raw, `"=`) || !strings.Contains(raw, `"'=HYPERLINK(`) || !strings.Contains(raw, "Zoë") {
			t.Errorf("%s is %q", path, raw)
		}
		if raw := w.get(path+"?for=payout", admin).wantStatus(200, "").raw; !strings.Contains(raw, `,"`+quoted+`",`) {
			t.Errorf("%s for payouts is %q", path, raw)
		}
		w.get(path+"?for=else", admin).wantStatus(400, "invalid_fields")
	}
	for path, token := range map[string]string{"/api/dashboard/exportBooks": admin, "/api/books/exportMyBooks": w.as("ann")} {
		if raw := w.get(path, token).wantStatus(200, "").raw; !strings.HasPrefix(raw, "\ufeff\"id\",") {
			t.Errorf("%s is %q", path, raw)
		}
	}
}

func TestEveryCellOfTheExportIsQuoted(t *testing.T) {
	for line := range strings.Lines(exported(t, "ada", "", `Zoology, the "big" one`)) {
		text, ended := strings.CutSuffix(line, "\r\n")
		cells := strings.Split(text, `","`)
		if !ended || len(cells) != 23 || !strings.HasPrefix(text, `"`) || !strings.HasSuffix(text, `"`) {
			t.Errorf("%d cells in %q", len(cells), line)
		}
	}
}

func TestOrdinaryNamesAreExportedUnchanged(t *testing.T) {
	names := []string{"C++", "Introduction to C, C++ and C#", "Calculus - early transcendentals", "R@U: a history", "x=y; a proof", "What is |x|?"}
	rows, err := csv.NewReader(strings.NewReader(exported(t, "ada", "", names...))).ReadAll()
	if err != nil || len(rows) != len(names)+1 {
		t.Fatalf("%q, %v", rows, err)
	}
	for _, row := range rows[1:] {
		if !slices.Contains(names, row[2]) {
			t.Errorf("a name is exported as %q", row[2])
		}
	}
}

func TestTheExportHasTheCodeAndTheReasonOfACancellation(t *testing.T) {
	w := newMarketFixture(t)
	admin, id := w.promoted("root", user.Admin), w.bought("ann", "bob")
	w.post("/api/dashboard/cancelTransaction", admin, object{"bookId": id, "reason": " =no show"}).wantStatus(200, "")
	code := w.get("/api/user/getOrders", w.as("bob")).wantStatus(200, "").text(0, "code")
	if raw := w.get("/api/dashboard/exportTransactions", admin).raw; code == "" || !strings.HasSuffix(raw, `"`+code+`","'=no show"`+"\r\n") {
		t.Errorf("the order %s is exported as %s", code, raw)
	}
}
