package web_test

import (
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
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
