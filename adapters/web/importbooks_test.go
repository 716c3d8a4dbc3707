package web_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// upload sends the form of an import with one field.
func (v *visit) importFile(field, content string, pairs ...string) page {
	v.t.Helper()
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	create := func() error {
		if field == "file" {
			w, err := m.CreateFormFile(field, "books.csv")
			if err == nil {
				_, err = w.Write([]byte(content))
			}
			return err
		}
		return m.WriteField(field, content)
	}
	if err := create(); err != nil {
		v.t.Fatal(err)
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		_ = m.WriteField(pairs[i], pairs[i+1])
	}
	_ = m.Close()
	r := httptest.NewRequest(http.MethodPost, "/mine/import", &b)
	r.Header.Set("Content-Type", m.FormDataContentType())
	r.Header.Set("Accept-Language", v.lang)
	for name, value := range v.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	w := httptest.NewRecorder()
	v.handler.ServeHTTP(w, r)
	return page{v.t, w.Code, "/mine/import", w.Body.String(), w.Header()}
}

func TestSellersListManyBooksAfterAPreview(t *testing.T) {
	c := newCampus(t)
	ada := c.student("Ada")
	ada.open("/mine").shows(200, "Sell many books")
	ada.open("/mine/import").shows(200, "Check the file")
	file := "name,edition,course,price,condition,date\nAlgebra,3,MTH 165,12.50,good,2026-09-01\n<script>,x,,12,good,2026-09-01\n"
	checked := ada.importFile("file", file).shows(200, "1 line can be listed.", "Line 3", "Must be a whole number.", "This field is missing.", "List 1 book")
	if strings.Contains(checked.body, "<script>,") {
		t.Error("the file is not escaped")
	}
	ada.open("/mine").shows(200).lacks("Algebra")
	for range 2 { // pressing the button twice lists once
		ada.importFile("text", file, "key", checked.hidden("key")).shows(200, "1 book is listed now.", "Lines that were not listed", "Line 3")
	}
	if n := strings.Count(ada.open("/mine").body, "<h3>"); n != 1 {
		t.Errorf("%d books are listed", n)
	}
	ada.importFile("file", "title\nAlgebra\n").shows(400, "its first line must name the columns")
	ada.importFile("file", strings.Repeat("x", 1<<20+1)).shows(400, "at most 1 MiB")
	ada.importFile("other", "x").shows(400, "at most 1 MiB")
	ada.lang = "fr"
	ada.importFile("file", file).shows(200, "1 ligne peut être mise en vente.", "Ligne 3", "Doit être un nombre entier.")
	if p := c.visitor().importFile("file", file); p.status == http.StatusOK {
		t.Errorf("a visitor gets %d", p.status)
	}
}
