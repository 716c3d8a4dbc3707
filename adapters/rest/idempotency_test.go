package rest_test

import (
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
)

// Each route that takes a key repeats its response, and refuses another body under it. What a key is worth is in
// the contract of the stores.
func TestAKeyRepeatsTheFirstResponse(t *testing.T) {
	w := newMarketFixture(t)
	book := func() object { return object{"bookIds": []string{w.posted("ann")}} }
	search := func(query string) object {
		return object{"searchId": w.post("/api/user/saveSearch", w.as("bob"), object{"query": query, "mail": false}).wantStatus(201, "").text("id")}
	}
	lost := object{"bookIds": []string{w.bought("ann", "cyd")}}
	for name, c := range map[string]struct {
		path, alias string
		body, other any
		status      int
	}{
		"a post":           {"/api/books/postBook", "/api/postBook", calculus(), with(calculus(), "price", 13), 201},
		"posts":            {"/api/books/postBooks", "", object{"books": []any{calculus()}}, object{"books": []any{calculus(), calculus()}}, 201},
		"an import":        {"/api/books/importBooks", "", importHead + "Algebra,3,MTH 165,12.50,good,2026-09-01,,\n", importHead + "Topology,3,MTH 165,12.50,good,2026-09-01,,\n", 200},
		"a request":        {"/api/books/requestBook", "/api/requestBook", object{"name": "calculus", "course": "MATH 200"}, object{"name": "calculus", "course": "MATH 201"}, 201},
		"a search":         {"/api/user/saveSearch", "", object{"query": "calculus", "mail": true}, object{"query": "algebra", "mail": true}, 201},
		"a search's wish":  {"/api/user/requestSavedSearch", "", search("topology"), search("geometry"), 201},
		"a purchase":       {"/api/books/checkoutCart", "", book(), book(), 201},
		"a lost purchase":  {"/api/books/checkoutCart", "", lost, book(), 409},
		"at another price": {"/api/books/checkoutCart", "", with(book(), "total", 1.0), book(), 409},
	} {
		t.Run(name, func(t *testing.T) {
			w := w.forTest(t)
			key := header("Idempotency-Key", name)
			send := func(path string, body any, options ...func(*http.Request)) *result {
				if text, file := body.(string); file {
					body, options = io.Reader(strings.NewReader(text)), append(options, header("Content-Type", "text/csv"))
				}
				return w.post(path, w.as("bob"), body, options...)
			}
			first := send(c.path, c.body, key).wantStatus(c.status, "")
			if first.header.Get("Idempotent-Replayed") != "" {
				t.Errorf("the first response says that it is a repetition: %s", first)
			}
			for _, path := range []string{c.path, c.alias} {
				if path == "" {
					continue
				}
				again := send(path, c.body, key).wantStatus(c.status, "")
				if again.header.Get("Idempotent-Replayed") != "true" || !reflect.DeepEqual(again.data, first.data) {
					t.Errorf("first %s\nagain %q %s", first, again.header.Get("Idempotent-Replayed"), again)
				}
			}
			send(c.path, c.other, key).wantStatus(409, "idempotency_mismatch")
			for _, bad := range []string{"", strings.Repeat("k", 256)} {
				if r := send(c.path, c.body, header("Idempotency-Key", bad)).wantStatus(400, ""); r.fields()["Idempotency-Key"] == nil {
					t.Errorf("a key of %d letters: %s", len(bad), r)
				}
			}
		})
	}
}
