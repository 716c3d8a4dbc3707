package rest_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/rest/wire"
)

// Every body is either refused with a message or answered as documented, never with
// a 500.
func FuzzBodies(f *testing.F) {
	for _, seed := range []string{
		`{}`, `null`, `[]`, `{"bookId":"1"}`, `{"bookIds":["1","x"],"allowPartial":true}`, `{"ids":[]}`, `{"name":"C","edition":1,"course":"M","price":1.5,"condition":"New","date":0}`,
		`{"name":"C","edition":1.0,"course":"M","price":1e2,"condition":"New","date":{"year":1,"month":1,"day":1}}`, `{"bookId":"1","ISBN":null,"Comments":null,"price":null}`,
		`{"NAME":"x","name":"y"}`, `{"name":"\u0000"}`, `{"name":"\ud800"}`, `{"date":"2026-02-30"}`, `{"olderThanDays":1e9}`, `{"email":"a@b.edu","password":""}`,
	} {
		f.Add(seed)
	}
	w := newMarketFixture(f)
	token := w.as("ann")
	f.Fuzz(func(t *testing.T, body string) {
		w := w.forTest(t)
		for _, path := range []string{
			"/api/postBook", "/api/books/updateBook", "/api/requestBook", "/api/books/checkoutCart", "/api/addToCart", "/api/user/markNotificationsRead",
			"/api/auth/updateProfile", "/api/auth/resendConfirmation", "/api/auth/login",
		} {
			if r := w.post(path, token, body); r.status >= 500 || r.status == 404 && r.text("code") == "route_not_found" {
				t.Errorf("%s answered %d %s", path, r.status, r)
			}
		}
	})
}

// No path and no query causes a 500.
func FuzzReads(f *testing.F) {
	for _, seed := range []string{"", "a", "%", "%zz", "limit=1&cursor=AAAA", "minPrice=1e2", "limit=-1;", "course=%ff", "cursor=gAE", "sort=price&cursor=Ag", "\x00", "C%2FC%2B%2B", "'--", "\"*", "../..", "limit=1&limit=2"} {
		f.Add(seed)
	}
	w := newMarketFixture(f)
	w.posted("ann")
	token := w.as("bob")
	f.Fuzz(func(t *testing.T, text string) {
		w := w.forTest(t)
		for _, path := range []string{
			"/api/books/getAllBooks?" + queryOf(text), "/api/books/getAllBooks?cursor=" + url.QueryEscape(text), "/api/getNotifications?cursor=" + url.QueryEscape(text),
			"/api/books/getAllBooks?sort=price&cursor=" + url.QueryEscape(text), "/api/search/public/x?cursor=" + url.QueryEscape(text),
			"/api/books/getBook/x" + url.PathEscape(text), "/api/search/public/x" + url.PathEscape(text), "/api/books/getBooksNoToken/1/" + url.PathEscape(text) + "1",
		} {
			if r := w.get(path, token); r.status >= 500 {
				t.Errorf("%q answered %d %s", path, r.status, r)
			}
		}
		if r := w.get("/api/user/getUserData", token, header("X-Request-Id", text), func(r *http.Request) { r.Header["Accept"] = []string{text} }); r.status != 200 {
			t.Errorf("answered %d", r.status)
		}
	})
}

// queryOf keeps only characters that a request line can contain.
func queryOf(text string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r == '#' || r > '~' {
			return -1
		}
		return r
	}, text)
}

// An accepted date is formatted so that it parses to the same time.
func FuzzDate(f *testing.F) {
	for _, seed := range []string{`"2026-09-01"`, `"2026-09-01T10:00:00+02:00"`, `0`, `-1`, `1e3`, `{"year":2026,"month":2,"day":29}`, `"9999-12-31T23:59:59-23:00"`, `253402300800000`, `null`, `{}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var d, again wire.Date
		if json.Unmarshal(b, &d) != nil {
			return
		}
		text, err := json.Marshal(d.Time)
		if err != nil || d.Year() < 1900 || d.Location() != time.UTC {
			t.Fatalf("%s became %v: %v", b, d, err)
		}
		if err := json.Unmarshal(text, &again); err != nil || !again.Equal(d.Time) {
			t.Errorf("%s became %s and then %v, %v", b, text, again, err)
		}
	})
}
