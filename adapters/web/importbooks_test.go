package web_test

import (
	"fmt"
	"html"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/spreadsheets"
	"golang.org/x/text/encoding/japanese"
)

// importFile sends the form of an import with one field.
func (v *visit) importFile(field, content string) page {
	v.t.Helper()
	return v.arrives("/mine/import", "POST /mine/import "+content, v.upload("/mine/import", func(form *multipart.Writer) error {
		if field == "file" {
			return file(form, field, "books.csv", content)
		}
		return form.WriteField(field, content)
	}))
}

func TestSellersListManyBooksAfterAPreview(t *testing.T) {
	c := newCampus(t)
	ada := c.student("Ada")
	ada.open("/mine").shows(200, "Sell many books")
	ada.open("/mine/import").shows(200, "Check the file", "A person can import 500 lines a day, a campus store 10,000.")
	file := "name,edition,course,price,condition,date\nAlgebra,3,MTH 165,12.50,good,2026-09-01\n<script>,x,,12,good,2026-09-01\n"
	checked := ada.importFile("file", file).shows(200, "1 line can be listed.", "Line 3", "Must be a whole number.", "This field is missing.", "List 1 book")
	ada.open("/mine").shows(200).lacks("Algebra")
	id := checked.hidden("id")
	ben := c.student("Ben")
	ben.open("/mine/import").shows(200).lacks("Line 3")
	ben.send("/mine/import/start", "id", id).shows(404)
	ben.send("/mine/import/cancel", "id", id).shows(404)
	for range 2 { // pressing the button twice lists once
		ada.send("/mine/import/start", "id", id).shows(200, "0 books are listed now. The file has 1.", "Cancel the rest", "Show the progress").lacks("Check the file")
	}
	if p := ada.importFile("file", file); p.status != http.StatusConflict || !strings.Contains(p.body, "still being listed") {
		t.Errorf("another file meanwhile: %d", p.status)
	}
	ada.send("/mine/import/cancel", "id", id).shows(200, "You cancelled the rest.", "Another file", "Line 3")
	ada.send("/mine/import/start", "id", id).shows(409, "cannot be listed any more")
	ada.importFile("file", "title\nAlgebra\n").shows(400, "its first line must name the columns")
	ada.importFile("file", strings.Repeat("x", 10<<20+1)).shows(400, "at most 10 MiB")
	ada.importFile("other", "x").shows(400, "at most 10 MiB")
	ada.importFile("file", file)
	ada.lang = "fr"
	ada.open("/mine/import").shows(200, "1 ligne peut être mise en vente.", "Ligne 3", "Doit être un nombre entier.")
	c.visitor().importFile("file", file).shows(200, `action="/login"`)
}

func TestBooksThatTheirSellerHasAreLeftOutUnlessTheSellerWantsThem(t *testing.T) {
	c := newCampus(t)
	ada := c.student("Ada")
	ada.send("/sell", "name", "Algebra", "course", "MTH 165", "edition", "3", "condition", "Good", "price", "12.50", "date", "2026-09-07").shows(200, "Your book is listed")
	const file = "name,edition,course,price,condition,date\nAlgebra,3,MTH 165,12.50,good,2026-09-01\n"
	all := ada.importFile("file", file).shows(200, "0 lines can be listed. 1 line is left out, because you have its book already.", `2 <span class="muted">left out</span>`, "List 1 line all the same").lacks("List 0 books", "List 1 book<")
	ada.send("/mine/import/start", "id", all.hidden("id")).shows(409, "You have all of these books already.", "List 1 line all the same")
	some := ada.importFile("file", file+"Topology,1,MTH 440,5,good,2026-09-01\n").shows(200, "1 line can be listed. 1 line is left out", "List 1 book<", "List all 2 lines all the same")
	ada.send("/mine/import/start", "id", some.hidden("id")).shows(200, "The file has 1.", "1 line is left out")
	ada.send("/mine/import/cancel", "id", some.hidden("id"))
	again := ada.importFile("file", file)
	ada.lang = "fr"
	ada.open("/mine/import").shows(200, "1 ligne est laissée de côté, car vous avez déjà ce livre.", "Mettre quand même en vente 1 ligne")
	ada.lang = "en"
	ada.send("/mine/import/start", "id", again.hidden("id"), "again", "1").shows(200, "The file has 1.").lacks("left out")
}

func TestAFrenchSpreadsheetIsListedAfterItsPreviewSaysHowItWasRead(t *testing.T) {
	c := newCampus(t)
	ada := c.student("Ada")
	file := "Titre;Édition;Cours;Prix;État;Disponible;Notes\r\nAlg\xe8bre;3e;MTH 165;12,50;comme neuf;07/12/2026;bien\r\n;;;;;;\r\nTotal;;;12,50;;;\r\n"
	file = strings.NewReplacer("É", "\xc9").Replace(file)
	p := ada.importFile("file", file).shows(200, "1 line can be listed.", "The file is in Windows-1252, with semicolons between its cells.", "Check that accents are right.", "In its dates, the day comes first.",
		"1 blank line is left out.", "Left out because they are totals: line 4.", "As they will be listed", "Algèbre", "$12.50", "Like New", `<time datetime="2026-12-07">`).lacks("Lines with errors")
	ada.send("/mine/import/columns", "id", p.hidden("id"), "c0", "name", "c1", "edition", "c2", "course", "c3", "price", "c4", "condition", "c5", "date", "c6", "Comments", "dates", "month").
		shows(200, "In its dates, the month comes first.", `<time datetime="2026-07-12">`)
	ada.lang = "fr"
	ada.open("/mine/import").shows(200, "Le fichier est en Windows-1252, avec des points-virgules entre ses cellules.", "Tels qu’ils seront publiés", "comme neuf")
}

func TestAJapaneseSpreadsheetIsListedAfterItsPreviewSaysHowItWasRead(t *testing.T) {
	ada := newCampus(t).student("Ada")
	const file = "name,edition,course,price,condition,date\r\nデータサイエンス入門,2,JAPN 469,1200,Good,2026/12/07\r\n"
	ada.importFile("file", string(must.Get(japanese.ShiftJIS.NewEncoder().Bytes([]byte(file)))(t))).shows(200, "1 line can be listed.", "The file is in Shift_JIS, with commas between its cells.",
		"Check that the characters are right.", "データサイエンス入門", `<time datetime="2026-12-07">`)
}

func TestALineWithAnOpenQuoteIsShownAndDownloadedWholeWithTheReason(t *testing.T) {
	ada := newCampus(t).student("Ada")
	const line = `=Algebra,"3,MTH 165,12.50,good,2026-09-01`
	ada.importFile("file", "name,edition,course,price,condition,date\n"+line+"\nTopology,1,MTH 440,5,good,2026-09-01\n").shows(200, "1 line can be listed.", "<code>"+line+"</code>")
	for range 2 { // what was downloaded comes back
		got := ada.request(http.MethodGet, "/mine/import/errors", nil)
		if want := "\"'" + strings.ReplaceAll(line, `"`, `""`) + "\",\"\",\"\",\"\",\"\",\"\",\""; !strings.Contains(got.body, want) || strings.Count(got.body, "\n") != 2 {
			t.Fatalf("downloaded %q, want %q", got.body, want)
		}
		ada.importFile("file", got.body).shows(200, "0 lines can be listed.")
	}
}

func TestWrongCellsAreCorrectedInPlaceOrDownloadedWithTheReasons(t *testing.T) {
	c := newCampus(t)
	ada := c.student("Ada")
	file := "Shelf,name,edition,course,price,condition,date\nA1,Algebra,x,MTH 165,12.50,good,2026-09-01\nA2,=Topology,1,,free,good,2026-09-01\n"
	p := ada.importFile("file", file).shows(200, "0 lines can be listed.", "Lines with errors", `name="2.edition" value="x" aria-label="Line 2: Edition" aria-invalid="true"`, "Must be a whole number.",
		`name="3.price" value="free"`, `name="3.course" value=""`, "Must be an amount in USD", `name="2.name" value="Algebra" aria-label="Line 2: Title">`).lacks("List 1 book")
	got := ada.request(http.MethodGet, "/mine/import/errors", nil)
	want := "\ufeff\"Shelf\",\"name\",\"edition\",\"course\",\"price\",\"condition\",\"date\",\"why\"\r\n\"A1\",\"Algebra\",\"x\",\"MTH 165\",\"12.50\",\"good\",\"2026-09-01\",\"Edition: Must be a whole number.\"\r\n" +
		"\"A2\",\"'=Topology\",\"1\",\"\",\"free\",\"good\",\"2026-09-01\",\"Course: This field is missing. Price: Must be an amount in USD with at most two decimals, such as 12.50.\"\r\n"
	if got.body != want || !strings.HasPrefix(got.header.Get("Content-Disposition"), "attachment") {
		t.Errorf("downloaded %q (%v)", got.body, got.header)
	}
	p = ada.send("/mine/import/correct", "id", p.hidden("id"), "2.edition", "2nd", "3.course", "MTH 440", "3.price", "still free").
		shows(200, "1 line can be listed.", "List 1 book", `name="3.price" value="still free"`, `name="3.course" value="MTH 440" aria-label="Line 3: Course">`).lacks(`name="2.edition"`)
	ben := c.student("Ben")
	ben.send("/mine/import/correct", "id", p.hidden("id"), "3.price", "1").shows(404)
	ben.open("/mine/import/errors").shows(404)
	ada.send("/mine/import/correct", "id", p.hidden("id"), "3.price", "7,50").shows(200, "2 lines can be listed.", "$7.50").lacks("Lines with errors")
	again := ada.importFile("file", got.body).shows(200, "0 lines can be listed.", "=Topology") // what was downloaded comes back
	if strings.Contains(html.UnescapeString(again.body), "'=Topology") {
		t.Error("the guard before a formula became a part of the title")
	}
}

func TestALineWithItsCellsInOtherColumnsIsCorrectedInPlace(t *testing.T) {
	ada := newCampus(t).student("Ada")
	file := "name,edition,course,price,condition,date,authors,Comments\n,1,MTH 440,5,good,2026-09-01,Topology,\"Ink\non page 2\"\nTome,1,MTH 1,x,good,2026-09-01,," + strings.Repeat("数", 101) + "\n"
	p := ada.importFile("file", file).shows(200, `name="2.authors" value="Topology" aria-label="Line 2: Authors">`, "<textarea name=\"2.Comments\" rows=\"2\" aria-label=\"Line 2: Comments\">\nInk\non page 2</textarea>").
		lacks(`name="4.Comments"`)
	ada.send("/mine/import/correct", "id", p.hidden("id"), "2.name", "Topology", "2.authors", "", "2.Comments", "Ink\r\non page 2", "9.price", strings.Repeat("x", 100<<10)).
		shows(200, "1 line can be listed.", "<td>Topology</td>", "Line 4").lacks("Line 2")
}

func TestADownloadOfTheLinesWithErrorsKeepsTheDatesThatTheOthersHaveDecided(t *testing.T) {
	ada := newCampus(t).student("Ada")
	ada.lang = "en-US"
	p := ada.importFile("file", "name,edition,course,price,condition,date\nFine,1,MTH 1,5,good,25/12/2026\nAlgebra,x,MTH 165,12.50,good,07/12/2026\nTopology,x,MTH 440,5,good,7.12.2026\n")
	p.shows(200, "1 line can be listed.", "In its dates, the day comes first.", `name="3.date" value="07/12/2026"`)
	got := ada.request(http.MethodGet, "/mine/import/errors", nil)
	if !strings.Contains(got.body, `"good","2026-12-07","Edition`) || !strings.Contains(got.body, `"good","7.12.2026","Edition`) {
		t.Errorf("downloaded %q", got.body)
	}
	ada.importFile("file", strings.ReplaceAll(got.body, `"x"`, `"2"`)).shows(200, "2 lines can be listed.", `<time datetime="2026-12-07">`).lacks(`datetime="2026-07-12"`)
}

func TestUnknownColumnsAreAskedForAndARefusalShowsNothingElse(t *testing.T) {
	c := newCampus(t)
	ada := c.student("Ada")
	file := "What|Which|For|How much|How good|When|Shelf\nAlgebra|3|MTH 165|12.50|good|2026-09-01|A1\n"
	p := ada.importFile("file", file).shows(200, "Which column is which?", `<label for="c3">How much</label>`, "<td>12.50</td>", "with vertical bars between its cells").lacks("can be listed", "Lines with errors")
	assign := []string{"id", p.hidden("id"), "c0", "name", "c1", "edition", "c2", "course", "c3", "price", "c4", "condition", "c6", ""}
	ada.send("/mine/import/columns", append(assign, "c5", "")...).shows(400, "No column has this.", "<code>Available from</code>", `<option value="price" selected>`)
	ada.send("/mine/import/columns", append(assign, "c5", "name")...).shows(400, "Two columns have this.")
	ada.send("/mine/import/columns", append(assign, "c5", "date")...).shows(200, "1 line can be listed.", "$12.50")
	for file, why := range map[string]string{"PK\x03\x04": "This is a workbook.", "%PDF-1.7\nname,price\n": "This is a document, a web page or a picture.", "a\x00": "The encoding of this file is unknown.", "title\nAlgebra\n": "<code>price</code>: The header lacks this column."} {
		ada.importFile("file", file).shows(400, why).lacks("can be listed", "$12.50")
	}
	ada.open("/mine/import").shows(200, "1 line can be listed.") // the one before is still there
}

func TestTheBrowsersCountrySaysTheOrderOfDatesIfNothingElseDoes(t *testing.T) {
	c := newCampus(t)
	file := "name,edition,course,price,condition,date\nAlgebra,3,MTH 165,12.50,good,07/12/2026\n"
	for lang, want := range map[string]string{"en-US,en;q=0.9": "2026-07-12", "en-GB": "2026-12-07", "fr-FR,fr": "2026-12-07", "de": "2026-12-07", "en": "", "": ""} {
		v := c.student("Ada" + lang[:min(2, len(lang))] + lang[max(0, len(lang)-2):])
		v.lang = lang
		if p := v.importFile("file", file); want != "" && !strings.Contains(p.body, `datetime="`+want+`"`) || want == "" && !strings.Contains(p.body, "This can be two dates.") {
			t.Errorf("for %q the date is not %q:\n%s", lang, want, p.body)
		}
	}
}

func TestTheFileOfADesktopShowsItsTenBooksUnchanged(t *testing.T) {
	c := newCampus(t)
	for i, f := range spreadsheets.Files(t) {
		v := c.student("Ada" + string(rune('a'+i)))
		v.lang = f.Locale
		v.importFile("file", string(f.Data))
		v.lang = "en"
		books := f.Listed()
		p := v.open("/mine/import").shows(200, fmt.Sprintf("%d lines can be listed.", len(books)), "1 blank line is left out.", "Left out because they are totals").lacks("Which column")
		if strings.Contains(p.body, "The spreadsheet has lost characters here.") != f.Lossy || strings.Contains(p.body, "Lines with errors") != f.Lossy {
			t.Errorf("%s: %s", f.Name, p.body)
		}
		body := html.UnescapeString(p.body)
		for _, b := range books {
			row := "<td>" + f.In(b.Name) + "</td><td>"
			_, rest, found := strings.Cut(body, row)
			if cells, _, _ := strings.Cut(rest, "</tr>"); !found || !strings.Contains(cells, `datetime="`+b.Date.Format(time.DateOnly)+`"`) {
				t.Errorf("%s: %q is not shown with its date:\n%s", f.Name, row, body)
			}
		}
		v.send("/mine/import/start", "id", p.hidden("id")).shows(200, fmt.Sprintf("The file has %d.", len(books)))
	}
}
