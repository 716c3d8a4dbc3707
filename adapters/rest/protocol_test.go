package rest_test

import (
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/book"
)

func TestTheRoutesAreThoseOfTheDocument(t *testing.T) {
	s := newSiteWithoutUseCases(t)
	want := map[string]bool{}
	for path, item := range s.document.Paths.Map() {
		for method, op := range item.Operations() {
			want[method+" "+router(path)] = true
			if alias, ok := op.Extensions["x-alias"].(string); ok {
				want[method+" "+router(alias)] = true
			}
		}
	}
	have := map[string]bool{}
	for _, r := range s.engine.Routes() {
		have[r.Method+" "+r.Path] = true
	}
	if !maps.Equal(want, have) {
		t.Errorf("the document says\n%v\nserved are\n%v", slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(have)))
	}
}

// contractRoutes lists the routes of the contract as "METHOD path who".
const contractRoutes = `
POST /api/auth/signup anyone
GET /api/auth/confirm/:token anyone
POST /api/auth/confirm/:token anyone
POST /api/auth/resendConfirmation anyone
POST /api/auth/login anyone
POST /api/auth/refresh anyone
POST /api/auth/logout signed-in
POST /api/auth/passwordResetRequest anyone
POST /api/auth/passwordReset anyone
POST /api/auth/updatePassword signed-in
POST /api/auth/updateProfile signed-in
GET /api/books/getAllBooks optional
GET /api/books/search/:query user
GET /api/books/search/public/:query anyone
GET /api/books/getBooksNoToken/:limit/:skip anyone
GET /api/books/getBook/:id optional
GET /api/books/getUsersPosts user
GET /api/books/getUserMatches user
POST /api/books/postBook user
POST /api/books/updateBook user
POST /api/books/deleteBook user
POST /api/books/reactivateBook user
POST /api/books/addPhoto user
POST /api/books/removePhoto user
POST /api/books/requestBook user
POST /api/books/checkoutCart user
GET /api/user/getRequests user
GET /api/user/getCartItems user
GET /api/user/getPurchasedBooks user
GET /api/user/getSoldBooks user
GET /api/user/getUserData user
GET /api/user/getUserStatistics user
GET /api/user/getNotifications user
POST /api/user/deleteRequest user
POST /api/user/addToCart user
POST /api/user/removeFromCart user
POST /api/user/clearCart user
POST /api/user/markNotificationsRead user
POST /api/user/report user
GET /api/dashboard/getReports admin
POST /api/dashboard/resolveReport admin
GET /api/user/notifications/stream user
GET /api/dashboard/getStatistics admin
GET /api/dashboard/getUsers admin
GET /api/dashboard/getTransactions admin
GET /api/dashboard/getBooksWithStatus/:status admin
POST /api/dashboard/confirmBook admin
POST /api/dashboard/setBookPaid admin
POST /api/dashboard/settleOrder admin
POST /api/dashboard/cancelTransaction admin
PUT /api/dashboard/makeAdmin owner
PUT /api/dashboard/revokeAdmin owner
POST /api/dashboard/setStore owner
POST /api/dashboard/deactivateBooks owner
GET /api/dashboard/getAuditLog owner`

func TestTheDocumentMatchesTheContract(t *testing.T) {
	s := newSiteWithoutUseCases(t)
	who := map[string]string{}
	for path, item := range s.document.Paths.Map() {
		for method, op := range item.Operations() {
			x, _ := op.Extensions["x-who"].(string)
			who[method+" "+router(path)] = x
			open := op.Security != nil && len(*op.Security) == 0
			if (x == "anyone") != open {
				t.Errorf("%s says %s, but its security says otherwise", path, x)
			}
		}
	}
	for line := range strings.SplitSeq(strings.TrimSpace(contractRoutes), "\n") {
		part := strings.Fields(line)
		if who[part[0]+" "+part[1]] != part[2] {
			t.Errorf("%s %s is for %q, the contract says %s", part[0], part[1], who[part[0]+" "+part[1]], part[2])
		}
	}
}

func TestTheAliasesOfTheContractAnswerUnderTheirCanonicalName(t *testing.T) {
	s := newSiteWithoutUseCases(t)
	for alias, canonical := range map[string]string{
		"GET /api/search/public/x?limit=0": "/api/books/search/public/:query", "GET /api/getBooksNoToken/0/0": "/api/books/getBooksNoToken/:limit/:skip",
		"GET /api/getUsersPosts": "/api/books/getUsersPosts", "GET /api/getUserMatches": "/api/books/getUserMatches",
		"POST /api/deleteBook": "/api/books/deleteBook", "POST /api/reactivateBook": "/api/books/reactivateBook",
		"POST /api/postBook": "/api/books/postBook", "POST /api/requestBook": "/api/books/requestBook",
		"GET /api/getRequests": "/api/user/getRequests", "GET /api/getCartItems": "/api/user/getCartItems",
		"GET /api/getPurchasedBooks": "/api/user/getPurchasedBooks", "GET /api/getUserData": "/api/user/getUserData",
		"GET /api/getSoldBooks": "/api/user/getSoldBooks", "GET /api/getUserStatistics": "/api/user/getUserStatistics",
		"GET /api/getNotifications": "/api/user/getNotifications", "POST /api/deleteRequest": "/api/user/deleteRequest",
		"POST /api/addToCart": "/api/user/addToCart", "POST /api/removeFromCart": "/api/user/removeFromCart",
		"POST /api/clearCart": "/api/user/clearCart",
	} {
		method, path, _ := strings.Cut(alias, " ")
		if got := s.call(method, path, "", nil); got.method != canonical || got.status != 401 && got.status != 400 {
			t.Errorf("%s answered %d as %s", alias, got.status, got.method)
		}
	}
}

func TestUnknownRoutesAndMethodsAnswerInTheEnvelope(t *testing.T) {
	s := newSiteWithoutUseCases(t)
	s.get("/api/nothing", "").wantStatus(404, "route_not_found")
	s.get("/api", "").wantStatus(404, "route_not_found")
	s.post("/api/books/getBook/1/2", "nonsense", "not JSON").wantStatus(404, "route_not_found")
	r := s.get("/api/books/postBook", "").wantStatus(405, "method_not_allowed")
	if r.header.Get("Allow") != "POST" || r.method != "/api/books/postBook" {
		t.Errorf("Allow %q for %s", r.header.Get("Allow"), r.method)
	}
	r = s.post("/api/getBooksNoToken/1/2/", "", nil).wantStatus(405, "method_not_allowed")
	if r.header.Get("Allow") != "GET, HEAD" || r.method != "/api/books/getBooksNoToken/:limit/:skip" {
		t.Errorf("Allow %q for %s", r.header.Get("Allow"), r.method)
	}
	r = s.call(http.MethodDelete, "/api/auth/confirm/x", "", nil).wantStatus(405, "")
	if !strings.Contains(r.header.Get("Allow"), "GET") || !strings.Contains(r.header.Get("Allow"), "POST") {
		t.Errorf("Allow %q", r.header.Get("Allow"))
	}
}

func TestATrailingSlashIsTheSameRoute(t *testing.T) {
	s := newSiteWithoutUseCases(t)
	for _, path := range []string{"/api/books/postBook/", "/api/postBook/"} {
		if r := s.post(path, "", nil).wantStatus(401, "unauthenticated"); r.method != "/api/books/postBook" {
			t.Errorf("%s is %s, want /api/books/postBook", path, r.method)
		}
	}
}

const big = 1<<20 + 1

func TestRequestsAreCheckedInTheOrderOfTheContract(t *testing.T) {
	s := newSiteWithoutUseCases(t)
	large := strings.Repeat("x", big)
	plain := header("Content-Type", "text/plain")
	s.post("/api/books/postBook", "", large, plain).wantStatus(413, "body_too_large")
	s.post("/api/books/postBook", "", io.LimitReader(strings.NewReader(large), big), plain).wantStatus(413, "body_too_large")
	s.post("/api/books/postBook", "", "{}", plain).wantStatus(415, "unsupported_media_type")
	s.post("/api/books/postBook", "", "not JSON").wantStatus(401, "unauthenticated")
	s.post("/api/books/postBook", "stale", "not JSON").wantStatus(401, "unauthenticated")
	s.post("/api/books/postBook", "newcomer", "not JSON").wantStatus(403, "profile_needed")
	s.post("/api/books/postBook", "student", "not JSON").wantStatus(400, "invalid_json")
	s.post("/api/dashboard/confirmBook", "student", "not JSON").wantStatus(403, "forbidden")
	s.post("/api/dashboard/confirmBook", "admin", "not JSON").wantStatus(400, "invalid_json")
	s.call("PUT", "/api/dashboard/makeAdmin", "admin", "not JSON").wantStatus(403, "forbidden")
	s.call("PUT", "/api/dashboard/makeAdmin", "owner", "{}").wantStatus(400, "invalid_fields")
	s.get("/api/books/getAllBooks?limit=x", "stale").wantStatus(401, "unauthenticated")
	s.get("/api/books/getAllBooks?limit=x", "").wantStatus(400, "invalid_fields")
	s.get("/api/dashboard/getBooksWithStatus/4", "student").wantStatus(403, "forbidden")
}

func TestA401HasAWWWAuthenticateHeader(t *testing.T) {
	s := newSiteWithoutUseCases(t)
	for _, bad := range []string{"Bearer stale", "Bearer", "Basic eDp5", "student", ""} {
		r := s.get("/api/user/getUserData", "", header("Authorization", bad)).wantStatus(401, "unauthenticated")
		if r.header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%q: WWW-Authenticate %q, want \"Bearer\"", bad, r.header.Get("WWW-Authenticate"))
		}
	}
}

func TestBodiesThatAreNotOneJSONObjectAreRefused(t *testing.T) {
	s := newSiteWithoutUseCases(t)
	for name, body := range map[string]string{
		"empty": "", "null": "null", "a list": "[]", "a number": "1", "a text": `"{}"`, "two objects": "{}{}", "trailing garbage": `{} x`,
		"half": `{"bookId":`, "a comment": "{/**/}", "not UTF-8": "{\"bookId\":\"\xff\"}", "single quotes": "{'bookId':'1'}",
		"a form": "bookId=1", "a byte order mark": "\ufeff{}", "a comma too many": `{"bookId":"1",}`, "no colon": `{"bookId" "1"}`, "a number as name": `{1:2}`, "a lone brace": "{", "too deep": strings.Repeat(`{"a":`, 20000) + "1" + strings.Repeat("}", 20000),
	} {
		r := s.post("/api/books/deleteBook", "student", body)
		r.wantStatus(400, "invalid_json")
		if r.fields() != nil || strings.Contains(r.text("error"), "bookId") {
			t.Errorf("%s: %s", name, r)
		}
	}
}

func TestOnlyJSONBodiesAreAccepted(t *testing.T) {
	s := newSiteWithoutUseCases(t)
	for media, status := range map[string]int{
		"application/json": 400, "application/json; charset=utf-8": 400, "Application/JSON;charset=UTF-8": 400,
		"": 415, "text/json": 415, "application/json; charset=latin1": 415, "application/x-www-form-urlencoded": 415,
		"application/jsonp": 415, "multipart/form-data": 415, "application/json, text/plain": 415,
	} {
		s.post("/api/books/deleteBook", "student", "{}", header("Content-Type", media)).wantStatus(status, "")
	}
}

func TestEveryOffendingFieldOfABookIsNamed(t *testing.T) {
	with := func(field string, v any) object { return with(calculus(), field, v) }
	s := newSiteWithoutUseCases(t)
	for name, c := range map[string]struct {
		body  any
		wrong []string
	}{
		"all missing":          {object{}, []string{"condition", "course", "date", "edition", "name", "price"}},
		"all wrong":            {object{"name": 1, "edition": "x", "course": nil, "price": "1", "condition": "mint", "date": true, "Comments": 5, "ISBN": []int{}}, []string{"Comments", "ISBN", "condition", "course", "date", "edition", "name", "price"}},
		"an empty name":        {with("name", ""), []string{"name"}},
		"half an edition":      {with("edition", 1.5), []string{"edition"}},
		"a third decimal":      {with("price", 1.005), []string{"price"}},
		"absurd exponents":     {`{"name":"C","edition":1e999999999,"course":"M","price":1e-999999999999999999999,"condition":"New","date":1e400}`, []string{"date", "edition", "price"}},
		"no such day":          {with("date", "2026-02-30"), []string{"date"}},
		"no such month":        {with("date", object{"year": 2026, "month": 13, "day": 1}), []string{"date"}},
		"a day in parts":       {with("date", object{"year": 2026, "month": 2}), []string{"date"}},
		"milliseconds too far": {with("date", 1e18), []string{"date"}},
		"a day before books":   {with("date", "0001-01-01"), []string{"date"}},
		"a wrong check digit":  {with("ISBN", "9780306406158"), []string{"ISBN"}},
		"a name in other case": {with("isbn", "9780306406157"), []string{"isbn"}},
	} {
		r := s.post("/api/postBook", "student", c.body).wantStatus(400, "invalid_fields")
		if got := slices.Sorted(maps.Keys(r.fields())); !slices.Equal(got, c.wrong) {
			t.Errorf("%s: the error names the fields %v, want %v: %s", name, got, c.wrong, r)
		}
		for field, why := range r.fields() {
			if text, _ := why.(string); strings.Contains(text, "schema") {
				t.Errorf("%s: %s: %q is no sentence for a person", name, field, why)
			}
		}
	}
}

func TestParametersOutOfRangeAreRefusedByName(t *testing.T) {
	s := newSiteWithoutUseCases(t)
	for path, field := range map[string]string{
		"/api/books/getAllBooks?limit=0": "limit", "/api/books/getAllBooks?limit=201": "limit", "/api/books/getAllBooks?limit=ten": "limit",
		"/api/books/getAllBooks?limit=1.5": "limit", "/api/books/getAllBooks?limit=1&limit=2": "limit", "/api/books/getAllBooks?limit=99999999999999999999": "limit",
		"/api/books/getAllBooks?condition=old": "condition", "/api/books/getAllBooks?minPrice=cheap": "minPrice", "/api/books/getAllBooks?minPrice=-1": "minPrice",
		"/api/books/getAllBooks?maxPrice=1.005": "maxPrice", "/api/books/getAllBooks?maxPrice=1e2": "maxPrice", "/api/books/getAllBooks?sort=best": "sort",
		"/api/books/getAllBooks?university=%00": "university", "/api/books/getAllBooks?course=%ff": "course",
		"/api/books/search/public/" + strings.Repeat("x", 301): "query", "/api/books/search/public/%ff": "query",
		"/api/books/getBooksNoToken/0/0": "limit", "/api/books/getBooksNoToken/201/0": "limit", "/api/books/getBooksNoToken/x/0": "limit",
		"/api/books/getAllBooks?limit=01": "limit", "/api/books/getAllBooks?limit=%2B1": "limit", "/api/books/getAllBooks?limit=%201": "limit", "/api/books/getAllBooks?limit=1_0": "limit",
		"/api/books/getAllBooks?minPrice=01": "minPrice", "/api/books/getAllBooks?minPrice=%2B1": "minPrice", "/api/books/getAllBooks?minPrice=0x1p4": "minPrice", "/api/books/getAllBooks?maxPrice=%201": "maxPrice",
		"/api/books/getBooksNoToken/01/0": "limit", "/api/books/getBooksNoToken/+1/0": "limit", "/api/books/getBooksNoToken/1/00": "skip", "/api/books/getBooksNoToken/1/-0": "skip",
		"/api/books/getBooksNoToken/10/-1": "skip", "/api/books/getBooksNoToken/10/x": "skip", "/api/books/getBooksNoToken/10/1.0": "skip",
	} {
		r := s.get(path, "").wantStatus(400, "invalid_fields")
		if _, ok := r.fields()[field]; !ok || len(r.fields()) != 1 {
			t.Errorf("%s: the error names the fields %v", path, r.fields())
		}
	}
	for _, status := range []string{"4", "6", "-1", "x", "1.0", "99999999999999999999", "01", "+1", "%2B1", "-0", "00", "1%20"} {
		s.get("/api/dashboard/getBooksWithStatus/"+status, "admin").wantStatus(400, "invalid_fields")
	}
	for _, status := range []string{"0", "01", "%2B1", "-01"} {
		s.get("/api/dashboard/getTransactions?status="+status, "admin").wantStatus(400, "invalid_fields")
		s.get("/api/dashboard/exportTransactions?status="+status, "admin").wantStatus(400, "invalid_fields")
	}
	s.get("/api/books/getAllBooks?a=%zz", "").wantStatus(400, "invalid_query")
	s.post("/api/books/checkoutCart", "student", nil, header("Idempotency-Key", "")).wantStatus(400, "invalid_fields")
	s.post("/api/books/checkoutCart", "student", nil, header("Idempotency-Key", strings.Repeat("k", 256))).wantStatus(400, "invalid_fields")
	s.get("/api/user/notifications/stream", "student", header("Last-Event-ID", "x")).wantStatus(400, "invalid_fields")
}

func TestTheDocumentExplainsConditionsAsTheDomainDoes(t *testing.T) {
	text := newSiteWithoutUseCases(t).document.Components.Schemas["Condition"].Value.Description
	for _, c := range book.Conditions() {
		if !strings.Contains(text, c.String()+": "+c.Meaning()) {
			t.Errorf("%s is not explained: %s", c, text)
		}
	}
}
