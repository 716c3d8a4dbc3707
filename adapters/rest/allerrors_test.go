package rest_test

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

func TestOneResponseNamesAllErrorsThatDependOnEachOther(t *testing.T) {
	s := newSiteWithoutUseCases(t)
	for name, c := range map[string]struct {
		path, who string
		body      any
		wrong     []string
	}{
		"a sign-up with the address for its password": {
			"/api/auth/signup", "", object{"email": "ann@rochester.edu", "password": "Ann@rochester.edu", "firstName": nil, "campusMailbox": "\n", "paymentUsername": ""},
			[]string{"campusMailbox", "firstName", "lastName", "password", "paymentUsername", "university"},
		},
		"a sign-up whose address is no text": {"/api/auth/signup", "", with(signup("ann"), "email", 5, "password", "password123"), []string{"email", "password"}},
		"a book and its key":                 {"/api/books/postBook", "student", with(calculus(), "price", 0), []string{"Idempotency-Key", "price"}},
		"a field twice":                      {"/api/books/requestBook", "student", `{"name":"Algebra","name":"Calculus","edition":0,"edition":0}`, []string{"course", "edition", "name"}},
	} {
		r := s.post(c.path, c.who, c.body)
		if slices.Contains(c.wrong, "Idempotency-Key") {
			r = s.post(c.path, c.who, c.body, header("Idempotency-Key", ""))
		}
		if got := slices.Sorted(maps.Keys(r.wantStatus(400, "invalid_fields").fields())); !slices.Equal(got, c.wrong) {
			t.Errorf("%s names %q: %s", name, got, r)
		}
	}
}

func TestAnEmptyIdIsABadRequest(t *testing.T) {
	ids := 0
	for _, r := range newSiteWithoutUseCases(t).routes() {
		if r.body == nil {
			continue
		}
		for name, field := range r.body.Properties {
			if !strings.HasSuffix(name, "Id") && !strings.HasSuffix(name, "Ids") && name != "ids" {
				continue
			}
			ids++
			if v := outOfBounds(field.Value); v == nil { // else TestEveryRouteNamesAllThatIsWrongTogether sends it
				t.Errorf("%s accepts an empty %s", r.pattern, name)
			}
		}
	}
	if ids < 20 {
		t.Errorf("only %d fields are ids", ids)
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
