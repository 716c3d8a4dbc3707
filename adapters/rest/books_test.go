package rest_test

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/user"
)

// names returns the names in a list of books or requests.
func (r *result) names() []string {
	out := []string{}
	for i := range r.list() {
		out = append(out, r.text(i, "name"))
	}
	return out
}

func (r *result) lists(want ...string) *result {
	r.t.Helper()
	if got := r.names(); r.status != 200 || !slices.Equal(got, want) && len(got)+len(want) > 0 {
		r.t.Errorf("listed %q, want %q (%d)", got, want, r.status)
	}
	return r
}

func TestAPostedBookIsAnsweredAsSent(t *testing.T) {
	w := newMarketFixture(t)
	r := w.post("/api/books/postBook", w.as("ann"), with(calculus(), "price", 39.99, "condition", "LIKE NEW", "ISBN", "0-306-40615-2", "Comments", "two\nlines")).wantStatus(201, "")
	answered := object{
		"name": "Calculus: Early Transcendentals", "edition": 8.0, "course": "MATH 161", "price": 39.99, "condition": "Like New",
		"date": "2026-09-01T00:00:00Z", "Comments": "two\nlines", "ISBN": "9780306406157", "status": 0.0, "university": "Rochester",
	}
	for field, want := range answered {
		if r.at(field) != want {
			t.Errorf("%s is %v, want %v", field, r.at(field), want)
		}
	}
	if r.text("seller", "firstName") != "Ann" || r.text("seller", "id") != w.id("ann") || r.method != "/api/books/postBook" {
		t.Errorf("answered %s", r)
	}
	for _, secret := range []string{"Doe", "rochester.edu", "box-", "pay-"} {
		if strings.Contains(r.raw, secret) {
			t.Errorf("the response reveals %s: %s", secret, r)
		}
	}
}

func TestDatesAndNumbersAreAcceptedInAnySpelling(t *testing.T) {
	w := newMarketFixture(t)
	for date, want := range map[string]string{
		`"2026-09-01T12:30:00+02:00"`: "2026-09-01T10:30:00Z", `"2026-09-02"`: "2026-09-02T00:00:00Z", `1788265600000`: "2026-09-01T12:26:40Z",
		`{"year":2028,"month":2,"day":29}`: "2028-02-29T00:00:00Z", `1.7566848e12`: "2025-09-01T00:00:00Z", `1756684800000.0`: "2025-09-01T00:00:00Z",
	} {
		r := w.post("/api/postBook", w.as("ann"), `{"name":"C","edition":0.1e1,"course":"M","price":1e2,"condition":"New","ISBN":"","date":`+date+`}`).wantStatus(201, "")
		if r.text("date") != want || r.at("edition") != 1.0 || r.at("price") != 100.0 || r.at("ISBN") != nil {
			t.Errorf("%s became %s, want %s", date, r, want)
		}
	}
}

func TestMoneyIsExact(t *testing.T) {
	w := newMarketFixture(t)
	for written, want := range map[string]string{"0.01": "0.01", "19.9": "19.90", "8191.87": "8191.87", "10000": "10000.00", "10000.00": "10000.00"} {
		body := strings.Replace(`{"name":"C","edition":1,"course":"M","price":P,"condition":"New","date":0}`, "P", written, 1)
		r := w.post("/api/postBook", w.as("ann"), strings.Replace(body, `"date":0`, `"date":"2026-09-01"`, 1)).wantStatus(201, "")
		if !strings.Contains(r.raw, `"price":`+want) {
			t.Errorf("%s became %s", written, r)
		}
	}
}

func TestAllBooksAreFilteredAndSorted(t *testing.T) {
	w := newMarketFixture(t)
	w.posted("ann", "name", "A", "price", 10, "condition", "New", "course", "CSC 172")
	w.posted("ann", "name", "B", "price", 20, "condition", "Poor", "course", "MATH 1")
	w.posted("ann", "name", "C", "price", 30.5, "condition", "New", "course", "CSC-171")
	for query, want := range map[string][]string{
		"": {"C", "B", "A"}, "?condition=new": {"C", "A"}, "?course=csc172": {"A"}, "?minPrice=20": {"C", "B"}, "?maxPrice=20.00": {"B", "A"},
		"?minPrice=10.01&maxPrice=30.49": {"B"}, "?university=rochester": {"C", "B", "A"}, "?university=MIT": {},
		"?sort=price": {"A", "B", "C"}, "?sort=-price": {"C", "B", "A"}, "?condition=&course=&minPrice=&limit=&cursor=": {"C", "B", "A"}, "?unknown=1": {"C", "B", "A"},
	} {
		w.get("/api/books/getAllBooks"+query, "").lists(want...)
	}
	w.get("/api/books/getAllBooks/", w.as("ann")).lists() // one's own are left out
	w.get("/api/books/getAllBooks?minPrice=20&maxPrice=10", "").wantStatus(400, "")
}

var next = regexp.MustCompile(`^<(/[^>]+)>; rel="next"$`)

func TestPagesFollowTheirLinkAndSurviveInserts(t *testing.T) {
	w := newMarketFixture(t)
	for _, name := range []string{"A", "B", "C", "D", "E"} {
		w.posted("ann", "name", name, "course", "C++ 1")
	}
	var seen []string
	path := "/api/books/getAllBooks?limit=2&course=" + url.QueryEscape("C++ 1")
	for i := 0; path != ""; i++ {
		r := w.get(path, "").wantStatus(200, "")
		seen, path = append(seen, r.names()...), ""
		if m := next.FindStringSubmatch(r.header.Get("Link")); m != nil {
			path = m[1]
		}
		w.posted("ann", "name", "new", "course", "C++ 1")
	}
	if !slices.Equal(seen, []string{"E", "D", "C", "B", "A"}) {
		t.Errorf("walked over %v", seen)
	}
}

func TestPagesByNumberHaveTheOrderOfAllBooks(t *testing.T) {
	w := newMarketFixture(t)
	for _, name := range []string{"A", "B", "C"} {
		w.posted("ann", "name", name)
	}
	w.get("/api/books/getBooksNoToken/2/0", "").lists("C", "B")
	w.get("/api/getBooksNoToken/2/2/", "").lists("A")
	w.get("/api/getBooksNoToken/200/1000000", "").lists()
}

func TestSearchUnderstandsTitlesCoursesAndISBNs(t *testing.T) {
	w := newMarketFixture(t)
	w.posted("ann", "name", "Les Misérables", "course", "FR 200", "ISBN", "9780306406157")
	w.posted("ann", "name", "The C/C++ Book", "course", "CSC 172")
	w.posted("bob", "name", "Organic Chemistry", "course", "CHM 203")
	for query, want := range map[string][]string{
		"miserables": {"Les Misérables"}, "CSC-172": {"The C/C++ Book"}, "0306406152": {"Les Misérables"}, "978-0-306-40615-7": {"Les Misérables"},
		"C%2FC%2B%2B%20book": {"The C/C++ Book"}, "organic%20chem": {"Organic Chemistry"}, "%2F": {}, "!!!": {}, "%00": {}, "nothing": {}, "x'%20OR%20'y'='y": {}, "%25": {}, "*": {}, "%22": {},
	} {
		w.get("/api/books/search/public/"+query, "").lists(want...)
		w.get("/api/search/public/"+query+"/", "").lists(want...)
	}
	w.get("/api/books/search/organic", w.as("ann")).lists("Organic Chemistry")
	for path, as := range map[string]string{"/api/books/search/": w.as("bob"), "/api/books/search/public/": ""} {
		if r := w.get(path+"miserabels", as).lists("Les Misérables"); r.header.Get("Searched-Instead") != "Mis%C3%A9rables" {
			t.Errorf("searched %q instead", r.header.Get("Searched-Instead"))
		}
		if r := w.get(path+"miserables", as).lists("Les Misérables"); r.header.Values("Searched-Instead") != nil {
			t.Errorf("searched %q instead of a word that a book has", r.header.Get("Searched-Instead"))
		}
	}
	w.get("/api/books/search/organic", w.as("bob")).lists()
	w.get("/api/books/search/organic", "").wantStatus(401, "unauthenticated")
	w.get("/api/books/search/public", w.as("ann")).lists() // a search for "public"
}

func TestABookIsVisibleToItsBuyerSellerAndAdmins(t *testing.T) {
	w := newMarketFixture(t)
	w.as("eve")
	id := w.bought("ann", "bob")
	admin := w.promoted("root", user.Admin)
	w.get("/api/books/getBook/"+id, "").wantStatus(404, "book_not_found")
	w.get("/api/books/getBook/"+id, w.as("eve")).wantStatus(404, "book_not_found")
	for _, token := range []string{w.as("ann"), w.as("bob"), admin} {
		if r := w.get("/api/books/getBook/"+id, token).wantStatus(200, ""); r.at("status") != 1.0 {
			t.Errorf("answered %s", r)
		}
	}
	if r := w.get("/api/books/getBook/"+id, w.as("bob")); r.text("order", "seller", "lastName") != "Doe" || r.at("order", "seller", "email") != nil || strings.Contains(r.raw, "pay-") {
		t.Errorf("answered %s", r)
	}
	for _, none := range append(noIDs, "1%2F2") {
		w.get("/api/books/getBook/"+none, "").wantStatus(404, "book_not_found")
	}
	w.get("/api/books/getBook/"+id, "stale").wantStatus(401, "unauthenticated")
}

func TestPublicReadsAreCacheable(t *testing.T) {
	w := newMarketFixture(t)
	id := w.posted("ann")
	for _, path := range []string{"/api/books/getAllBooks", "/api/books/getBook/" + id, "/api/books/search/public/calculus", "/api/books/getBooksNoToken/5/0"} {
		first := w.get(path, "").wantStatus(200, "")
		etag := first.header.Get("ETag")
		w.Clock.Advance(time.Second)
		again := w.get(path, "", header("If-None-Match", `"other", `+etag))
		if got := first.header.Get("Cache-Control"); got != "public, max-age=0, s-maxage=60, stale-while-revalidate=60" || !strings.HasPrefix(etag, `W/"`) {
			t.Errorf("%s: Cache-Control %q, ETag %s", path, got, etag)
		}
		if etag == "" || again.status != 304 || again.raw != "" || again.header.Get("ETag") != etag {
			t.Errorf("%s: %d %q with ETag %s", path, again.status, again.raw, etag)
		}
		if w.get(path, "", header("If-None-Match", `W/"other"`)).status != 200 {
			t.Errorf("%s: another ETag is answered 304", path)
		}
	}
	etag := w.get("/api/books/getAllBooks", "").header.Get("ETag")
	w.posted("ann", "name", "New")
	if w.get("/api/books/getAllBooks", "", header("If-None-Match", etag)).status != 200 {
		t.Error("a new book does not change the ETag")
	}
	if r := w.get("/api/books/getAllBooks", w.as("ann")); !strings.Contains(r.header.Get("Cache-Control"), "private") || !strings.Contains(r.header.Get("Vary"), "Authorization, Cookie") {
		t.Errorf("a caller's own list may be shared: %v", r.header)
	}
	// The response is that of a visitor, but a CDN that ignores Vary must not keep it.
	if r := w.get("/api/books/search/public/calculus", w.as("ann")); r.header.Get("Cache-Control") != "private, no-cache" {
		t.Errorf("a response to a token may be shared: %v", r.header)
	}
	if r := w.get("/api/getUserData", w.as("ann")); r.header.Get("Cache-Control") != "no-store" {
		t.Errorf("an account may be cached: %v", r.header)
	}
}

func TestHeadAnswersLikeGet(t *testing.T) {
	w := newMarketFixture(t)
	w.posted("ann")
	r := w.call("HEAD", "/api/books/getAllBooks", "", nil)
	if r.status != 200 || r.header.Get("ETag") == "" {
		t.Errorf("answered %d %v", r.status, r.header)
	}
}

func TestAuthorsMayBeLeftOutAndRemoved(t *testing.T) {
	w := newMarketFixture(t)
	for _, none := range []any{"", "  ", nil} {
		id := w.posted("ann", "authors", none)
		r := w.post("/api/books/updateBook", w.as("ann"), object{"bookId": id, "authors": "Euler"}).wantStatus(200, "")
		if r.at("authors") != "Euler" {
			t.Errorf("authors %v become %v", none, r.at("authors"))
		}
		r = w.post("/api/books/updateBook", w.as("ann"), object{"bookId": id, "authors": none}).wantStatus(200, "")
		if r.at("authors") != "" {
			t.Errorf("%q removes no authors: %v", none, r.at("authors"))
		}
		w.post("/api/books/requestBook", w.as("ann"), object{"name": "Calculus", "course": "MATH 161", "authors": none}).wantStatus(201, "")
	}
}

func TestABookIsChangedFieldByField(t *testing.T) {
	w := newMarketFixture(t)
	id := w.posted("ann", "ISBN", "9780306406157", "Comments", "x")
	r := w.post("/api/books/updateBook", w.as("ann"), object{"bookId": id, "price": 12.34, "ISBN": nil, "Comments": nil}).wantStatus(200, "")
	if r.at("price") != 12.34 || r.at("ISBN") != nil || r.at("Comments") != "" || r.text("name") != "Calculus: Early Transcendentals" {
		t.Errorf("answered %s", r)
	}
	r = w.post("/api/books/updateBook", w.as("ann"), object{"bookId": id, "ISBN": "978-0-306-40615-7", "date": "2027-01-01", "edition": 9, "condition": "poor"}).wantStatus(200, "")
	if r.at("ISBN") != "9780306406157" || r.at("date") != "2027-01-01T00:00:00Z" || r.at("condition") != "Poor" || r.at("price") != 12.34 {
		t.Errorf("answered %s", r)
	}
}

func TestABookIsUnlistedAndRelistedByItsSellerOnly(t *testing.T) {
	w := newMarketFixture(t)
	one, sold := object{"bookId": w.posted("ann")}, object{"bookId": w.bought("ann", "bob")}
	const unlist, relist, update = "/api/books/deleteBook", "/api/books/reactivateBook", "/api/books/updateBook"
	w.refuses(
		refusal{"ann", relist, one, 409, "book_transition", ""},
		refusal{"eve", unlist, one, 403, "not_your_book", ""},
		refusal{"eve", update, with(one, "price", 1), 403, "not_your_book", ""},
		refusal{"ann", update, with(sold, "price", 1), 409, "book_not_editable", ""},
	)
	if r := w.post("/api/deleteBook", w.as("ann"), one).wantStatus(200, ""); r.at("status") != 5.0 {
		t.Errorf("answered %s", r)
	}
	for _, none := range append(noIDs, one["bookId"].(string)) { // it is not public any more
		for _, path := range []string{unlist, relist} {
			w.refuses(refusal{"eve", path, object{"bookId": none}, 404, "book_not_found", ""})
		}
		w.refuses(refusal{"eve", update, object{"bookId": none, "price": 1}, 404, "book_not_found", ""})
	}
	w.get("/api/getUsersPosts", w.as("ann")).lists("Calculus: Early Transcendentals", "Calculus: Early Transcendentals")
	if r := w.post("/api/reactivateBook", w.as("ann"), one).wantStatus(200, ""); r.at("status") != 0.0 {
		t.Errorf("answered %s", r)
	}
}

func TestRequestsMatchPostsInBothDirections(t *testing.T) {
	w := newMarketFixture(t)
	early := w.posted("ann", "name", "Linear Algebra", "course", "MATH 200")
	r := w.post("/api/books/requestBook", w.as("bob"), object{"name": "algebra", "course": "math-200", "maxPrice": 45.5}).wantStatus(201, "")
	if r.text("matches", 0, "book", "id") != early || r.text("matches", 0, "reason") != "course" || r.at("request", "maxPrice") != 45.5 || r.at("request", "edition") != nil || r.at("request", "status") != 0.0 {
		t.Errorf("answered %s", r)
	}
	w.posted("ann", "name", "Dear Algebra", "course", "MATH 200", "price", 45.51)
	late := w.posted("cyd", "name", "Algebra II", "course", "MATH 200")
	r = w.get("/api/books/getUserMatches", w.as("bob")).wantStatus(200, "")
	if len(r.list()) != 2 || r.text(0, "book", "id") != late {
		t.Errorf("answered %s", r)
	}
	w.get("/api/getRequests", w.as("bob")).lists("algebra")
	request := w.get("/api/getRequests", w.as("bob")).text(0, "id")
	for _, none := range append(noIDs, request) {
		w.refuses(refusal{"ann", "/api/user/deleteRequest", object{"requestId": none}, 404, "request_not_found", ""})
	}
	w.post("/api/deleteRequest", w.as("bob"), object{"requestId": request}).wantStatus(200, "")
	w.get("/api/getUserMatches", w.as("bob")).lists()
}
