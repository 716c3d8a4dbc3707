package rest_test

import (
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/user"
)

const importHead = "name,edition,course,price,condition,date,ISBN,Comments\n"

// algebras is a file with so many books.
func algebras(lines int) string {
	return importHead + strings.Repeat("Algebra,3,MTH 165,12.50,good,2026-09-01,,\n", lines)
}

func (w *marketFixture) importCSV(token, query, file string) *result {
	w.t.Helper()
	return w.post("/api/books/importBooks"+query, token, io.Reader(strings.NewReader(file)), header("Content-Type", "text/csv; charset=UTF-8"))
}

func TestAFileOfBooksIsPostedLineByLine(t *testing.T) {
	w := newMarketFixture(t)
	file := importHead + "Algebra,3,MTH 165,12.50,good,2026-09-01,,\"=1+1\n<script>\"\nTopology,x,,12,good,2026-09-01,,\n"
	dry := w.importCSV(w.as("ann"), "?dryRun=true", file).wantStatus(200, "")
	if dry.at("accepted") != 1.0 || !strings.Contains(dry.raw, `"books":[]`) || !strings.Contains(dry.raw, `"line":4`) {
		t.Errorf("a dry run says %s", dry)
	}
	w.get("/api/getUsersPosts", w.as("ann")).lists()
	done := w.importCSV(w.as("ann"), "", file).wantStatus(200, "")
	if done.at("accepted") != 1.0 || !strings.Contains(done.raw, `"name":"Algebra"`) || !strings.Contains(done.raw, `"edition":"Must be a whole number."`) || !strings.Contains(done.raw, `"course":"This field is missing."`) {
		t.Errorf("imported %s", done)
	}
	if bad := w.importCSV(w.as("ann"), "", importHead+"Algebra,3,MTH 165,,Bad,,,\n").wantStatus(200, ""); !strings.Contains(bad.raw, `"condition":"Choose one of`) || bad.at("rejected", 0, "fields", "price") == nil || bad.at("rejected", 0, "fields", "date") == nil {
		t.Errorf("everything that is wrong with a line: %s", bad)
	}
	out := w.get("/api/books/exportMyBooks", w.as("ann"))
	if !strings.HasPrefix(out.raw, "\ufeff\"id\",") || !strings.Contains(out.raw, `"Algebra","3","MTH 165"`) || !strings.Contains(out.raw, "'=1+1") {
		t.Errorf("exported %s", out)
	}
	for _, file := range []string{algebras(1), importHead} { // nothing to post is nothing to repeat
		w.post("/api/books/importBooks", w.as("ann"), io.Reader(strings.NewReader(file)), header("Content-Type", "text/csv"), header("Idempotency-Key", "k")).wantStatus(200, "")
	}
	if again := w.importCSV(w.as("ben"), "", out.raw).wantStatus(200, ""); again.at("accepted") != 1.0 {
		t.Errorf("the file of one's own books is read as %s", again)
	}
}

func TestAFileFromASpreadsheetIsReadAndTheAnswerSaysHow(t *testing.T) {
	w := newMarketFixture(t)
	file := "Titre;Édition;Cours;Prix;État;Disponible\r\nAlgèbre;3e;MTH 165;12,50;bon état;07/12/2026\r\nTotal;;;12,50;;\r\n"
	done := w.importCSV(w.as("ann"), "", file).wantStatus(200, "")
	if done.at("accepted") != 1.0 || done.at("books", 0, "price") != 12.5 || done.at("books", 0, "date") != "2026-12-07T00:00:00Z" || done.at("books", 0, "condition") != "Good" {
		t.Errorf("imported %s", done)
	}
	if !strings.Contains(done.raw, `"encoding":"UTF-8"`) || !strings.Contains(done.raw, `"separator":";"`) || !strings.Contains(done.raw, `"dates":"day"`) || !strings.Contains(done.raw, `"totals":[3]`) {
		t.Errorf("how it was read: %s", done)
	}
	windows := "name;edition;course;price;condition;date\r\nAlg\xe8bre;3;MTH 165;12,50;good;7/12/2026\r\n"
	r := w.post("/api/books/importBooks?dates=month", w.as("ann"), io.Reader(strings.NewReader(windows)), header("Content-Type", "text/csv; charset=windows-1252")).wantStatus(200, "")
	if r.at("books", 0, "name") != "Algèbre" || r.at("books", 0, "date") != "2026-07-12T00:00:00Z" || !strings.Contains(r.raw, `"encoding":"Windows-1252"`) {
		t.Errorf("imported %s", r)
	}
	w.importCSV(w.as("ann"), "?dates=maybe", file).wantStatus(400, "invalid_fields")
	w.importCSV(w.as("ann"), "", "PK\x03\x04").wantStatus(400, "csv_invalid")
}

func TestAnImportIsRefusedInTheOrderOfTheContract(t *testing.T) {
	w := newMarketFixture(t)
	send := func(token, media, body string) *result {
		return w.post("/api/books/importBooks", token, io.Reader(strings.NewReader(body)), header("Content-Type", media))
	}
	send("", "text/csv", importHead+strings.Repeat("x", 10<<20)).wantStatus(413, "body_too_large")
	send("", "application/json", importHead).wantStatus(415, "unsupported_media_type")
	send("", "text/csv; charset=latin1", importHead).wantStatus(415, "unsupported_media_type")
	send("", "text/csv", importHead).wantStatus(401, "unauthenticated")
	for _, file := range []string{"name\nAlgebra\n", ""} {
		send(w.as("ann"), "text/csv", file).wantStatus(400, "csv_invalid")
	}
	w.importCSV(w.as("ann"), "?dryRun=perhaps", importHead).wantStatus(400, "invalid_fields")
}

func TestWhoHasListedTooMuchIsToldWhenToComeBack(t *testing.T) {
	w := newMarketFixture(t)
	w.importCSV(w.as("ann"), "", algebras(501)).wantStatus(429, "import_limit").wantsToWaitADay()
	for range 60 {
		w.posted("ann")
	}
	w.post("/api/postBook", w.as("ann"), calculus()).wantStatus(429, "post_limit").wantsToWaitADay()
	w.makeStore("ann")
	w.importCSV(w.as("ann"), "", algebras(501)).wantStatus(200, "")
	w.posted("ann")
}

// makeStore makes an account that of a campus store, which may list any number of books.
func (w *marketFixture) makeStore(name string) {
	w.t.Helper()
	w.post("/api/dashboard/setStore", w.promoted("olga", user.Owner), object{"userId": w.id(name), "store": true}).wantStatus(200, "")
}

// wantsToWaitADay checks that a limit of a day says when to come back.
func (r *result) wantsToWaitADay() {
	r.t.Helper()
	if wait, err := strconv.Atoi(r.header.Get("Retry-After")); err != nil || wait < 23*3600 || wait > 24*3600 {
		r.t.Errorf("Retry-After is %q", r.header.Get("Retry-After"))
	}
}
