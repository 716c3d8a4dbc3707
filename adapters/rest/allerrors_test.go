package rest_test

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// offence is a request with the fields that its response names.
type offence struct {
	path, who string
	body      any
	wrong     []string
}

func TestOneResponseNamesAllErrorsOfAnAccount(t *testing.T) {
	namesAll(t, map[string]offence{
		"a sign-up": {
			"/api/auth/signup", "", object{"email": "ann@example.com", "password": "short", "firstName": 5, "lastName": " ", "University": "MIT", "lang": "de"},
			[]string{"University", "campusMailbox", "email", "firstName", "lang", "lastName", "password", "paymentUsername", "university"},
		},
		"a sign-up with the address for its password": {
			"/api/auth/signup", "", object{"email": "ann@rochester.edu", "password": "Ann@rochester.edu", "firstName": nil},
			[]string{"campusMailbox", "firstName", "lastName", "password", "paymentUsername", "university"},
		},
		"a sign-up whose address is no text": {
			"/api/auth/signup", "", with(signup("ann"), "email", 5, "password", "password123"),
			[]string{"email", "password"},
		},
		"a new password for a code": {
			"/api/auth/passwordReset", "", object{"email": "ann@rochester.edu", "password": "12345678"},
			[]string{"code", "password"},
		},
		"another password": {
			"/api/auth/updatePassword", "student", object{"newPassword": "short"},
			[]string{"newPassword", "password"},
		},
		"a profile": {"/api/auth/updateProfile", "student", object{"firstName": "", "lastName": 5, "Firstname": "Ann"}, []string{"Firstname", "firstName", "lastName"}},
		"a sign-in": {"/api/auth/login", "", object{"Email": "ann@rochester.edu"}, []string{"Email", "email", "password"}},
	})
}

func TestOneResponseNamesAllErrorsOfABookOrASale(t *testing.T) {
	namesAll(t, map[string]offence{
		"a book": {
			"/api/books/postBook", "student", object{"name": "\u200b", "edition": 0, "price": "12", "condition": "mint", "date": "1066-10-14", "ISBN": "1", "Comments": 5},
			[]string{"Comments", "ISBN", "condition", "course", "date", "edition", "name", "price"},
		},
		"a book and its key": {
			"/api/books/postBook", "student", with(calculus(), "price", 0),
			[]string{"Idempotency-Key", "price"},
		},
		"a change of a book": {
			"/api/books/updateBook", "student", object{"bookId": "", "name": 5, "price": 1.005, "date": "soon"},
			[]string{"bookId", "date", "name", "price"},
		},
		"a request": {
			"/api/books/requestBook", "student", object{"name": "", "ISBN": "1", "edition": 1.5, "maxPrice": 0},
			[]string{"ISBN", "course", "edition", "maxPrice", "name"},
		},
		"a cancelled sale": {"/api/dashboard/cancelTransaction", "admin", object{"bookId": "", "reason": " "}, []string{"bookId", "reason"}},
		"an unlisting":     {"/api/dashboard/deactivateBooks", "owner", object{"olderThanDays": -1, "dryRun": "no"}, []string{"dryRun", "olderThanDays"}},
		"a checkout":       {"/api/books/checkoutCart", "student", object{"bookIds": []any{"1", 2}, "allowPartial": 1}, []string{"allowPartial", "bookIds"}},
		"a field twice":    {"/api/books/requestBook", "student", `{"name":"Algebra","name":"Calculus","edition":0,"edition":0}`, []string{"course", "edition", "name"}},
		"a null field":     {"/api/books/postBook", "student", with(calculus(), "course", nil), []string{"course"}},
	})
}

func namesAll(t *testing.T, offences map[string]offence) {
	t.Helper()
	s := newSiteWithoutUseCases(t)
	for name, c := range offences {
		t.Run(name, func(t *testing.T) {
			r := s.post(c.path, c.who, c.body)
			if slices.Contains(c.wrong, "Idempotency-Key") {
				r = s.post(c.path, c.who, c.body, header("Idempotency-Key", ""))
			}
			if got := slices.Sorted(maps.Keys(r.wantStatus(400, "invalid_fields").fields())); !slices.Equal(got, c.wrong) {
				t.Errorf("names %q: %s", got, r)
			}
		})
	}
}

func TestAnEmptyIdIsABadRequest(t *testing.T) {
	s := newSiteWithoutUseCases(t)
	for path, c := range map[string]struct{ method, who, field string }{
		"/api/books/updateBook":            {"POST", "student", "bookId"},
		"/api/books/deleteBook":            {"POST", "student", "bookId"},
		"/api/books/reactivateBook":        {"POST", "student", "bookId"},
		"/api/user/addToCart":              {"POST", "student", "bookId"},
		"/api/user/removeFromCart":         {"POST", "student", "bookId"},
		"/api/user/deleteRequest":          {"POST", "student", "requestId"},
		"/api/books/checkoutCart":          {"POST", "student", "bookIds"},
		"/api/user/markNotificationsRead":  {"POST", "student", "ids"},
		"/api/dashboard/confirmBook":       {"POST", "admin", "bookId"},
		"/api/dashboard/resolveReport":     {"POST", "admin", "reportId"},
		"/api/dashboard/setBookPaid":       {"POST", "admin", "bookId"},
		"/api/dashboard/settleOrder":       {"POST", "admin", "bookId"},
		"/api/dashboard/cancelTransaction": {"POST", "admin", "bookId"},
		"/api/dashboard/makeAdmin":         {"PUT", "owner", "userId"},
		"/api/dashboard/revokeAdmin":       {"PUT", "owner", "userId"},
		"/api/dashboard/setStore":          {"POST", "owner", "userId"},
	} {
		body := object{c.field: ""}
		if c.field == "bookIds" || c.field == "ids" {
			body[c.field] = []any{"1", ""}
		}
		if path == "/api/dashboard/cancelTransaction" {
			body["reason"] = "A page is missing."
		}
		if path == "/api/dashboard/resolveReport" {
			body["action"] = "dismiss"
		}
		if path == "/api/dashboard/setStore" {
			body["store"] = true
		}
		r := s.call(c.method, path, c.who, body).wantStatus(400, "invalid_fields")
		if _, ok := r.fields()[c.field]; !ok || len(r.fields()) != 1 {
			t.Errorf("%s: the error names the fields %v", path, r.fields())
		}
	}
}

// ruleBreakers are values of the right type that break a rule of the domain alone, by path and
// field.
var ruleBreakers = map[string]object{
	"/api/auth/signup":         {"email": "ann@example.com", "password": "short"},
	"/api/auth/passwordReset":  {"password": "short"},
	"/api/auth/updatePassword": {"newPassword": "short"},
	"/api/books/checkoutCart":  {"bookIds": manyIDs()},
	"/api/books/postBook":      {"name": "\u200b", "course": "\u00ad", "ISBN": "9780306406158", "date": "1066-10-14"},
	"/api/books/updateBook":    {"name": "\u200b", "course": "\u00ad", "ISBN": "9780306406158", "date": "1066-10-14"},
	"/api/books/requestBook":   {"name": "\u200b", "course": "\u00ad", "ISBN": "9780306406158"},
}

func manyIDs() (ids []string) {
	for i := range 101 {
		ids = append(ids, strconv.Itoa(i+1))
	}
	return ids
}

// outOfBounds returns a value of the right type that the schema refuses; nil if it refuses none.
func outOfBounds(s *openapi3.Schema) any {
	switch {
	case s.Type.Is("string") && len(s.Enum) > 0:
		return "none of them"
	case s.Type.Is("string") && s.MinLength > 0:
		return ""
	case s.Min != nil:
		return *s.Min - 1
	case s.Type.Is("array") && s.Items.Value.MinLength > 0:
		return []string{""}
	}
	return nil
}

// Every route with a body names fields that break a rule of the domain, are out of bounds, of the
// wrong type, misspelt and missing in one answer.
func TestEveryRouteNamesAllThatIsWrongTogether(t *testing.T) {
	s := newSiteWithoutUseCases(t)
	ruled := 0
	for _, r := range s.routes() {
		if r.body == nil {
			continue
		}
		body, want := object{}, map[string]bool{}
		for i, name := range slices.Sorted(maps.Keys(r.body.Properties)) {
			field := r.body.Properties[name].Value
			breaker, rule := ruleBreakers[r.pattern][name]
			switch {
			case rule:
				body[name] = breaker
				ruled++
			case outOfBounds(field) != nil:
				body[name] = outOfBounds(field)
			case i%2 == 0 && !slices.Contains(r.body.Required, name):
				body[name] = object{"of": "the wrong type"}
			case !slices.Contains(r.body.Required, name):
				continue
			}
			want[name] = true
		}
		misspelt := strings.ToUpper(slices.Sorted(maps.Keys(r.body.Properties))[0])
		body[misspelt], want[misspelt] = "x", true
		token, _ := r.admitted()
		if got := s.call(r.method, r.path, token, body).wantStatus(400, "invalid_fields"); !sameNames(got.fields(), want) {
			t.Errorf("%s %s: the error names %v, want %v", r.method, r.pattern, slices.Sorted(maps.Keys(got.fields())), slices.Sorted(maps.Keys(want)))
		}
	}
	if ruled != 16 {
		t.Errorf("%d fields of the routes break rules: a path or field was renamed", ruled)
	}
}
