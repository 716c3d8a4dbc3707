package rest_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/octavo-books/octavo/domain/user"
)

// delivered sells a book and delivers it.
func (w *marketFixture) delivered(seller, buyer string, pairs ...any) {
	w.t.Helper()
	id, admin := w.bought(seller, buyer, pairs...), w.promoted("dean", user.Admin)
	w.post("/api/dashboard/confirmBook", admin, object{"bookId": id}).wantStatus(200, "")
	w.post("/api/dashboard/setBookPaid", admin, object{"bookId": id}).wantStatus(200, "")
}

func TestAnybodyMayAskWhatABookHasSoldFor(t *testing.T) {
	w := newMarketFixture(t)
	hint := func(query string) object {
		t.Helper()
		r := w.get("/api/books/priceHint?"+query, "").wantStatus(200, "")
		if r.method != "/api/books/priceHint" {
			t.Errorf("method %s, want /api/books/priceHint", r.method)
		}
		return r.data.(object)
	}
	w.delivered("ann", "bob", "price", 10, "ISBN", "0-306-40615-2")
	w.delivered("ann", "cat", "price", 20.01, "ISBN", "9780306406157")
	few := object{"count": 2.0, "low": nil, "median": nil, "high": nil, "basis": "isbn"}
	if got := hint("ISBN=978-0-306-40615-7&course=MATH%20161"); !maps.Equal(got, few) {
		t.Errorf("of two sales: %v", got)
	}
	w.delivered("bob", "cat", "price", 40)
	all := object{"count": 3.0, "low": 15.01, "median": 20.01, "high": 30.01, "basis": "course"}
	if got := hint("ISBN=978-0-306-40615-7&course=math-161"); !maps.Equal(got, all) {
		t.Errorf("of three sales of the course: %v", got)
	}
	all["basis"] = "title"
	if got := hint("course=&name=calculus%20early%20transcendentals"); !maps.Equal(got, all) {
		t.Errorf("of three sales of the title: %v", got)
	}
}

func TestAPriceHintNeedsSomethingToLookFor(t *testing.T) {
	w := newMarketFixture(t)
	for query, fields := range map[string][]string{
		"": {"ISBN"}, "?ISBN=": {"ISBN"}, "?course=%21%21&name=%3F": {"course", "name"},
		"?ISBN=1&course=%21&name=%21": {"ISBN", "course", "name"}, "?ISBN=1&course=CSC1": {"ISBN"},
		"?ISBN=1&course=" + url41 + "&name=a&name=b": {"ISBN", "course", "name"},
	} {
		if got := slices.Sorted(maps.Keys(w.get("/api/books/priceHint"+query, "").wantStatus(400, "").fields())); !slices.Equal(got, fields) {
			t.Errorf("%s: the error names %v, want %v", query, got, fields)
		}
	}
}

const url41 = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

func TestAnISBNSuggestsWhatOthersHavePosted(t *testing.T) {
	w := newMarketFixture(t)
	w.posted("ann")
	w.posted("ann", "ISBN", "0-306-40615-2", "edition", 8, "authors", "James Stewart")
	r := w.get("/api/books/suggest?ISBN=978-0-306-40615-7", w.as("bob")).wantStatus(200, "")
	if want := (object{"name": "Calculus: Early Transcendentals", "authors": "James Stewart", "edition": 8.0, "course": "MATH 161"}); !maps.Equal(r.data.(object), want) {
		t.Errorf("suggested %v", r.data)
	}
	if r := w.get("/api/books/suggest?ISBN=9783161484100", w.as("bob")).wantStatus(200, ""); r.data != nil {
		t.Errorf("an unknown ISBN suggests %v", r.data)
	}
	for typed, want := range map[string]string{
		"calc": "title Calculus: Early Transcendentals 2", "math": "course MATH 161 2", "math%201": "course MATH 161 2", "stewart": "title Calculus: Early Transcendentals 2",
		"97803": "isbn 9780306406157 1", "0-3064": "isbn 9780306406157 1", "ISBN+0306406152": "isbn 9780306406157 1", "xyzzyplugh": "", "": "", "%20": "", "c": "",
	} {
		r := w.get("/api/books/suggest?q="+typed, "").wantStatus(200, "") // nobody needs to sign in
		got := ""
		if found := r.data.([]any); len(found) > 0 {
			first := found[0].(object)
			got = fmt.Sprint(first["kind"], " ", first["text"], " ", first["count"])
		}
		if got != want {
			t.Errorf("%q suggests %q first, want %q", typed, got, want)
		}
	}
	for query, code := range map[string]string{"": "invalid_fields", "?ISBN=": "invalid_fields", "?ISBN=9783161484101": "invalid_fields"} {
		if r := w.get("/api/books/suggest"+query, w.as("bob")).wantStatus(400, code); r.fields()["ISBN"] == nil {
			t.Errorf("%q: the error names %v", query, r.fields())
		}
	}
}
