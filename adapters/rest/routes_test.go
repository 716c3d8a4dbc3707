package rest_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/user"
)

// documentedRoute is a route in the document.
type documentedRoute struct {
	method, pattern, path string // path is the pattern, filled in
	who                   string
	body                  *openapi3.Schema // nil: it takes none
	paged                 bool
}

// routes returns all routes.
func (s *site) routes() (all []documentedRoute) {
	fill := strings.NewReplacer("{token}", "x", "{query}", "x", "{limit}", "1", "{skip}", "0", "{id}", "1", "{status}", "0")
	for path, item := range s.document.Paths.Map() {
		for method, op := range item.Operations() {
			r := documentedRoute{method: method, pattern: router(path), path: fill.Replace(path), who: fmt.Sprint(op.Extensions["x-who"])}
			if op.RequestBody != nil && op.RequestBody.Value.Content.Get("application/json") != nil {
				r.body = op.RequestBody.Value.Content.Get("application/json").Schema.Value
			}
			r.paged = slices.ContainsFunc(op.Parameters, func(p *openapi3.ParameterRef) bool { return p.Value.Name == "cursor" })
			all = append(all, r)
		}
	}
	return all
}

// admitted returns the least privileged token that the route accepts, and those that
// it refuses.
func (r documentedRoute) admitted() (token string, refused []string) {
	ranks := []string{"newcomer", "student", "admin", "owner"}
	need := slices.Index([]string{"signed-in", "user", "admin", "owner"}, r.who)
	if need < 0 {
		return "", nil
	}
	return ranks[need], ranks[:need]
}

func TestEveryRouteChecksItsCaller(t *testing.T) {
	s := newSiteWithoutUseCases(t)
	for _, r := range s.routes() {
		token, refused := r.admitted()
		if token == "" && r.who != "optional" {
			continue
		}
		s.call(r.method, r.path, "nobody's", nil).wantStatus(401, "unauthenticated")
		if token != "" {
			s.call(r.method, r.path, "", nil).wantStatus(401, "unauthenticated")
		}
		for _, less := range refused {
			if got := s.call(r.method, r.path, less, nil); got.status != 403 {
				t.Errorf("%s %s lets %s in: %d, want 403", r.method, r.pattern, less, got.status)
			}
		}
	}
}

func TestEveryRouteWithABodyValidatesAllOfIt(t *testing.T) {
	s := newSiteWithoutUseCases(t)
	checked := 0
	for _, r := range s.routes() {
		if r.body == nil {
			continue
		}
		checked++
		token, _ := r.admitted()
		for _, body := range []string{"null", "[]", "{", "{}{}", "\xff"} {
			s.call(r.method, r.path, token, body).wantStatus(400, "invalid_json")
		}
		s.call(r.method, r.path, token, "{}", header("Content-Type", "text/plain")).wantStatus(415, "unsupported_media_type")
		wrong := object{}
		for name := range r.body.Properties {
			wrong[name] = []any{[]any{}}
		}
		if got := s.call(r.method, r.path, token, wrong).wantStatus(400, "invalid_fields"); !sameNames(got.fields(), r.body.Properties) {
			t.Errorf("%s %s with every field of the wrong type: the error names %v", r.method, r.pattern, got.fields())
		}
		if len(r.body.Required) == 0 {
			continue
		}
		got := s.call(r.method, r.path, token, object{}).wantStatus(400, "invalid_fields").fields()
		for _, name := range r.body.Required {
			if got[name] == nil {
				t.Errorf("%s %s with an empty object: the error names %v, not %s", r.method, r.pattern, got, name)
			}
		}
	}
	if checked < 20 {
		t.Errorf("only %d routes take a body", checked)
	}
}

// Every list has pages, and refuses the same ones.
func TestEveryListRefusesABadPage(t *testing.T) {
	w := newMarketFixture(t)
	owner, lists := w.promoted("olga", user.Owner), 0
	talk := w.post("/api/user/sendMessage", owner, object{"bookId": w.posted("ann"), "text": "Hi"}).wantStatus(201, "").text("conversationId")
	for _, r := range w.routes() {
		if !r.paged {
			continue
		}
		lists++
		path := strings.NewReplacer("{conversationId}", talk, "search/public/x", "search/public/calculus", "search/x", "search/calculus").Replace(r.path)
		for query, field := range map[string]string{"limit=0": "limit", "limit=201": "limit", "limit=x": "limit", "cursor=!!": "cursor", "cursor=x": "cursor"} {
			if got := w.call(r.method, path+"?"+query, owner, nil).wantStatus(400, ""); got.fields()[field] == nil || len(got.fields()) != 1 {
				t.Errorf("%s?%s names %v: %s", path, query, got.fields(), got)
			}
		}
	}
	if lists < 15 {
		t.Errorf("only %d lists have pages", lists)
	}
}

func sameNames[A, B any](a map[string]A, b map[string]B) bool {
	return slices.Equal(slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b)))
}

// succeeded collects the routes that have answered a test with success.
var succeeded sync.Map

func noteSuccess(_ context.Context, x httpx.RequestInfo) {
	if x.Status < 300 {
		succeeded.Store(x.Method+" "+x.Route, true)
	}
}

// TestMain fails if the whole suite ran and some route of the document has never
// succeeded.
func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if code == 0 && flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.list").Value.String() == "" {
		code = reportUntested()
	}
	os.Exit(code)
}

// reportUntested prints the routes that have never succeeded and returns 1 if there are any.
func reportUntested() (code int) {
	text, err := os.ReadFile("openapi.yaml")
	if err != nil {
		panic(err)
	}
	document, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		panic(err)
	}
	for _, r := range (&site{document: document}).routes() {
		if _, ok := succeeded.Load(r.method + " " + r.pattern); !ok {
			fmt.Println("no test calls this route successfully:", r.method, r.pattern)
			code = 1
		}
	}
	return code
}
