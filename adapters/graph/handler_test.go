package graph_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/graph"
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/sent"
)

// answer is a response as a client sees it.
type answer struct {
	Status int
	Header http.Header
	Text   string
	sent   func() string
	Data   map[string]any
	Errors []struct {
		Message    string
		Path       []any
		Locations  []any
		Extensions map[string]any
	}
}

// String says what came back, and what was sent.
func (a answer) String() string {
	return fmt.Sprintf("%d %s, in response to %s", a.Status, sent.Short(a.Text), a.sent())
}

func (a answer) code() string {
	if len(a.Errors) == 0 {
		return ""
	}
	code, _ := a.Errors[0].Extensions["code"].(string)
	return code
}

// newHandler returns the handler with the program's middleware.
func newHandler(t testing.TB, services *authrooms.Auth, authenticator httpx.Authenticator, cfg graph.Config) http.Handler {
	t.Helper()
	if cfg.Cookies.SameSite == 0 {
		cfg.Cookies.SameSite = http.SameSiteLaxMode
	}
	log := slog.New(slog.DiscardHandler)
	kit, err := httpx.NewMiddleware(httpx.Config{
		Cookies: cfg.Cookies, AllowedOrigins: []string{"https://app.test"}, CORSPaths: []string{"/", "/graphql"},
	}, httpx.Options{Auth: authenticator, Log: log, WriteError: graph.Refuse})
	if err != nil {
		t.Fatal(err)
	}
	h, err := graph.NewHandler(services, cfg, log)
	if err != nil {
		t.Fatal(err)
	}
	return kit.Wrap(h)
}

// newHandlerWithoutUseCases returns a handler without use cases. A resolver that calls one panics.
func newHandlerWithoutUseCases(t testing.TB, development bool) http.Handler {
	return newHandler(t, &authrooms.Auth{}, nil, graph.Config{Development: development})
}

func serve(t testing.TB, h http.Handler, r *http.Request) answer {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	a := answer{Status: w.Code, Header: w.Header(), Text: w.Body.String(), sent: func() string { return sent.Request(r.Method, r.URL.Path, body) }}
	if strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") {
		if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil {
			t.Fatalf("the response is not JSON: %v: %q", err, a.Text)
		}
	}
	return a
}

func post(body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	return r
}

func asJSON(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func query(t testing.TB, q string) string { return asJSON(t, map[string]any{"query": q}) }

func repeat(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func TestOnlyPostsOfJSONAreOperations(t *testing.T) {
	h := newHandlerWithoutUseCases(t, false)
	for name, c := range map[string]struct {
		edit   func(*http.Request)
		status int
	}{
		"GET":                 {func(r *http.Request) { r.Method = "GET" }, 405},
		"GET with a query":    {func(r *http.Request) { r.Method, r.URL.RawQuery = "GET", "query={me{id}}" }, 405},
		"GET of a mutation":   {func(r *http.Request) { r.Method, r.URL.RawQuery = "GET", "query=mutation{signOut}" }, 405},
		"PUT":                 {func(r *http.Request) { r.Method = "PUT" }, 405},
		"DELETE":              {func(r *http.Request) { r.Method = "DELETE" }, 405},
		"a form":              {func(r *http.Request) { r.Header.Set("Content-Type", "application/x-www-form-urlencoded") }, 415},
		"multipart":           {func(r *http.Request) { r.Header.Set("Content-Type", "multipart/form-data; boundary=x") }, 415},
		"plain text":          {func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, 415},
		"application/graphql": {func(r *http.Request) { r.Header.Set("Content-Type", "application/graphql") }, 415},
		"no content type":     {func(r *http.Request) { r.Header.Del("Content-Type") }, 415},
		"a broken one":        {func(r *http.Request) { r.Header.Set("Content-Type", "application/json; ;;=") }, 415},
		"two in one":          {func(r *http.Request) { r.Header.Set("Content-Type", "text/plain, application/json") }, 415},
		"another charset":     {func(r *http.Request) { r.Header.Set("Content-Type", "application/json; charset=utf-16") }, 415},
		"compressed":          {func(r *http.Request) { r.Header.Set("Content-Encoding", "gzip") }, 415},
		"with its charset":    {func(r *http.Request) { r.Header.Set("Content-Type", "Application/JSON; charset=UTF-8") }, 200},
		"a websocket upgrade": {func(r *http.Request) { r.Header.Set("Upgrade", "websocket"); r.Header.Set("Connection", "Upgrade") }, 200},
		"an event stream":     {func(r *http.Request) { r.Header.Set("Accept", "text/event-stream") }, 200},
	} {
		t.Run(name, func(t *testing.T) {
			r := post(query(t, "{ __typename }"))
			c.edit(r)
			a := serve(t, h, r)
			if a.Status != c.status {
				t.Errorf("answered %d, want %d: %s", a.Status, c.status, a)
			}
			if a.Status != 200 && a.code() != "BAD_REQUEST" {
				t.Errorf("code %q", a.code())
			}
			if a.Status == 405 && a.Header.Get("Allow") != "POST" {
				t.Errorf("Allow %q", a.Header.Get("Allow"))
			}
		})
	}
}

func TestAPanicInAResolverIsInternal(t *testing.T) {
	a := serve(t, newHandlerWithoutUseCases(t, true), post(query(t, `{ tokenInfo(token: "x") { active } }`)))
	if a.code() != "INTERNAL" || strings.Contains(a.Text, "nil pointer") {
		t.Errorf("answered %s", a)
	}
}

func TestDevelopmentServesIntrospectionSuggestionsAndAPage(t *testing.T) {
	h := newHandlerWithoutUseCases(t, true)
	if a := serve(t, h, post(query(t, introspection))); len(a.Errors) != 0 || !strings.Contains(a.Text, "adminDeleteUsers") {
		t.Errorf("introspection: %s", a)
	}
	if a := serve(t, h, post(query(t, "{ mee { id } }"))); !strings.Contains(a.Text, "Did you mean") {
		t.Errorf("no suggestion: %s", a)
	}
	html := serve(t, h, httptest.NewRequest("GET", "/graphql", nil))
	if html.Status != 200 || !strings.Contains(html.Text, "<title>Octavo GraphQL") {
		t.Errorf("page: %d %s", html.Status, html)
	}
	if a := serve(t, h, httptest.NewRequest("GET", "/graphql?query={me{id}}", nil)); a.Status != 405 {
		t.Errorf("a query by GET: %d", a.Status)
	}
}

func TestPersistedQueries(t *testing.T) {
	h := newHandlerWithoutUseCases(t, false)
	const document = "query A { __typename }"
	sum := sha256.Sum256([]byte(document))
	named := func(query, hash string) *http.Request {
		m := map[string]any{"extensions": map[string]any{"persistedQuery": map[string]any{"version": 1, "sha256Hash": hash}}}
		if query != "" {
			m["query"] = query
		}
		return post(asJSON(t, m))
	}
	hash := hex.EncodeToString(sum[:])
	if a := serve(t, h, named("", hash)); a.Status != 200 || a.code() != "NOT_FOUND" || a.Errors[0].Message != "PersistedQueryNotFound" {
		t.Errorf("unknown: %d %s", a.Status, a)
	}
	if a := serve(t, h, named(document, strings.Repeat("0", 64))); a.code() != "BAD_REQUEST" {
		t.Errorf("another hash: %s", a)
	}
	if a := serve(t, h, named(document, hash)); a.Data["__typename"] != "Query" {
		t.Errorf("stored: %s", a)
	}
	if a := serve(t, h, named("", hash)); a.Data["__typename"] != "Query" {
		t.Errorf("used: %s", a)
	}
	long := "{ __typename } #" + strings.Repeat("x", 1<<15)
	sum = sha256.Sum256([]byte(long))
	if a := serve(t, h, named(long, hex.EncodeToString(sum[:]))); a.Data["__typename"] != "Query" {
		t.Errorf("a long document: %s", a)
	}
	if a := serve(t, h, named("", hex.EncodeToString(sum[:]))); a.code() != "NOT_FOUND" {
		t.Error("a long document was stored")
	}
	refused := "{ mee }"
	sum = sha256.Sum256([]byte(refused))
	serve(t, h, named(refused, hex.EncodeToString(sum[:])))
	if a := serve(t, h, named("", hex.EncodeToString(sum[:]))); a.code() != "NOT_FOUND" {
		t.Errorf("a refused document was stored: %s", a)
	}
}

func TestTheOldestPersistedQueriesAreEvicted(t *testing.T) {
	h := newHandlerWithoutUseCases(t, false)
	hash := func(s string) string { sum := sha256.Sum256([]byte(s)); return hex.EncodeToString(sum[:]) }
	for i := range 600 {
		q := fmt.Sprintf("query Q%d { __typename }", i)
		a := serve(t, h, post(asJSON(t, map[string]any{"query": q, "extensions": map[string]any{"persistedQuery": map[string]any{"version": 1, "sha256Hash": hash(q)}}})))
		if a.Status != 200 {
			t.Fatal(a.Text)
		}
	}
	ask := func(i int) string {
		return serve(t, h, post(asJSON(t, map[string]any{"extensions": map[string]any{"persistedQuery": map[string]any{"version": 1, "sha256Hash": hash(fmt.Sprintf("query Q%d { __typename }", i))}}}))).code()
	}
	if ask(0) != "NOT_FOUND" || ask(599) != "" {
		t.Errorf("the oldest: %q, the newest: %q", ask(0), ask(599))
	}
}

func TestCrossSiteRequestsByCookieAreForbidden(t *testing.T) {
	h := newHandlerWithoutUseCases(t, false)
	for name, cookie := range map[string]string{"access": "octavo_access", "refresh": "octavo_refresh"} {
		r := post(query(t, "mutation { signOut }"))
		r.AddCookie(&http.Cookie{Name: cookie, Value: "x"})
		r.Header.Set("Origin", "https://evil.test")
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		if a := serve(t, h, r); a.Status != 403 || a.code() != "FORBIDDEN" {
			t.Errorf("%s: %d %s", name, a.Status, a)
		}
	}
}

func TestErrorsOfTheMiddlewareHaveTheGraphQLFormat(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		status int
		code   string
	}{
		"limited":                  {fault.New(fault.Limited, "rate_limited", "Slow down."), 429, "RATE_LIMITED"},
		"internal":                 {httpx.ErrInternal, 500, "INTERNAL"},
		"forbidden":                {user.ErrForbidden, 403, "FORBIDDEN"},
		"a conflict of the market": {fault.New(fault.Conflict, "book_transition", "No."), 409, "BAD_REQUEST"},
		"a kind that is none":      {fault.New(99, "x", "X."), 500, "INTERNAL"},
		"a cause":                  {fmt.Errorf("dial tcp"), 500, "INTERNAL"},
	} {
		w := httptest.NewRecorder()
		graph.Refuse(w, nil, c.err)
		if w.Code != c.status || !strings.Contains(w.Body.String(), `"code":"`+c.code+`"`) || bytes.Contains(w.Body.Bytes(), []byte("tcp")) {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}

const introspection = `query IntrospectionQuery { __schema { queryType { name } mutationType { name } subscriptionType { name }
 types { ...FullType } directives { name description locations args { ...InputValue } } } }
fragment FullType on __Type { kind name description
 fields(includeDeprecated: true) { name description args { ...InputValue } type { ...TypeRef } isDeprecated deprecationReason }
 inputFields { ...InputValue } interfaces { ...TypeRef } enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
 possibleTypes { ...TypeRef } }
fragment InputValue on __InputValue { name description type { ...TypeRef } defaultValue }
fragment TypeRef on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } } } }`
