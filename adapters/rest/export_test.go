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
func exported(t *testing.T, payee string, names ...string) string {
	t.Helper()
	w := newMarketFixture(t)
	admin := w.promoted("root", user.Admin)
	w.post("/api/auth/updateProfile", w.as("ann"), object{"paymentUsername": payee}).wantStatus(200, "")
	for _, name := range names {
		w.bought("ann", "bob", "name", name)
	}
	return w.get("/api/dashboard/exportTransactions", admin).raw
}

// A spreadsheet with another separator than ours may ignore our quotes.
func TestTheExportContainsNoFormulas(t *testing.T) {
	raw := exported(t, "ada",
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

func TestAPaymentUsernameIsExportedByteForByte(t *testing.T) {
	for payee, cell := range map[string]string{"@ada": `"@ada"`, "ada;=x": `"ada;=x"`, "+1 585 555": `"+1 585 555"`, `a"b`: `"a""b"`, "$ada-b": `"$ada-b"`} {
		raw := exported(t, payee, "Algebra")
		if !strings.Contains(raw, ","+cell+",") {
			t.Errorf("%s is exported in %s", payee, raw)
		}
		rows, err := csv.NewReader(strings.NewReader(raw)).ReadAll()
		if err != nil || len(rows) != 2 || rows[1][slices.Index(rows[0], "sellerPaymentUsername")] != payee {
			t.Errorf("%s is read as %q, %v", payee, rows, err)
		}
	}
}

func TestEveryCellOfTheExportIsQuoted(t *testing.T) {
	for line := range strings.Lines(exported(t, "ada", `Zoology, the "big" one`)) {
		text, ended := strings.CutSuffix(line, "\r\n")
		cells := strings.Split(text, `","`)
		if !ended || len(cells) != 23 || !strings.HasPrefix(text, `"`) || !strings.HasSuffix(text, `"`) {
			t.Errorf("%d cells in %q", len(cells), line)
		}
	}
}

func TestOrdinaryNamesAreExportedUnchanged(t *testing.T) {
	names := []string{"C++", "Introduction to C, C++ and C#", "Calculus - early transcendentals", "R@U: a history", "x=y; a proof", "What is |x|?"}
	rows, err := csv.NewReader(strings.NewReader(exported(t, "ada", names...))).ReadAll()
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
