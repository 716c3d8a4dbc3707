package graph_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/graph"
	"github.com/octavo-books/octavo/adapters/httpkit"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// answer is what a client sees.
type answer struct {
	Status int
	Header http.Header
	Text   string
	Data   map[string]any
	Errors []struct {
		Message    string
		Path       []any
		Locations  []any
		Extensions map[string]any
	}
}

func (a answer) code() string {
	if len(a.Errors) == 0 {
		return ""
	}
	code, _ := a.Errors[0].Extensions["code"].(string)
	return code
}

// edge is the handler inside a kit, as the program serves it.
func edge(t testing.TB, services *auth.Services, gate httpkit.Authenticator, cfg graph.Config) http.Handler {
	t.Helper()
	if cfg.Cookies.SameSite == 0 {
		cfg.Cookies.SameSite = http.SameSiteLaxMode
	}
	log := slog.New(slog.DiscardHandler)
	kit, err := httpkit.New(httpkit.Config{
		Cookies: cfg.Cookies, AllowedOrigins: []string{"https://app.test"}, CORSPaths: []string{"/", "/graphql"},
	}, httpkit.Options{Auth: gate, Log: log, Refuse: graph.Refuse})
	if err != nil {
		t.Fatal(err)
	}
	return kit.Wrap(graph.NewHandler(services, cfg, log))
}

// bare is an edge without any use cases behind it: what reaches one panics.
func bare(t testing.TB, development bool) http.Handler {
	return edge(t, &auth.Services{}, nil, graph.Config{Development: development})
}

func serve(t testing.TB, h http.Handler, r *http.Request) answer {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	a := answer{Status: w.Code, Header: w.Header(), Text: w.Body.String()}
	if strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") {
		if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil {
			t.Fatalf("answered no JSON: %v: %q", err, a.Text)
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

const secret = "correct horse battery"

func TestMalformedRequestsAreRefusedWithACode(t *testing.T) {
	h := bare(t, false)
	nested := strings.Repeat("[", 100) + strings.Repeat("]", 100)
	for name, c := range map[string]struct {
		body   string
		status int
		code   string
	}{
		"nothing":                     {"", 400, "BAD_REQUEST"},
		"white space":                 {" \n", 400, "BAD_REQUEST"},
		"no JSON":                     {secret, 400, "BAD_REQUEST"},
		"half a JSON":                 {`{"query":"{me{id}}","variables":{"password":"` + secret, 400, "BAD_REQUEST"},
		"null":                        {"null", 400, "BAD_REQUEST"},
		"a number":                    {"5", 400, "BAD_REQUEST"},
		"a string":                    {`"` + secret + `"`, 400, "BAD_REQUEST"},
		"a batch":                     {`[{"query":"{me{id}}"},{"query":"{me{id}}"}]`, 400, "BAD_REQUEST"},
		"an empty batch":              {`[]`, 400, "BAD_REQUEST"},
		"an empty object":             {`{}`, 400, "BAD_REQUEST"},
		"trailing garbage":            {`{"query":"{me{id}}"} ` + secret, 400, "BAD_REQUEST"},
		"two objects":                 {`{"query":"{me{id}}"}{"query":"{me{id}}"}`, 400, "BAD_REQUEST"},
		"a byte order mark":           {"\ufeff" + `{"query":"{me{id}}"}`, 400, "BAD_REQUEST"},
		"no UTF-8":                    {"{\"query\":\"{me{id}} #\xff\"}", 400, "BAD_REQUEST"},
		"a comment":                   {`{"query":"{me{id}}" /* */}`, 400, "BAD_REQUEST"},
		"a query twice":               {`{"query":"{me{id}}","query":"{me{id}}"}`, 400, "BAD_REQUEST"},
		"a variable twice":            {`{"query":"{me{id}}","variables":{"a":1,"a":2}}`, 400, "BAD_REQUEST"},
		"a deep variable twice":       {`{"query":"{me{id}}","variables":{"a":[{"b":1,"b":2}]}}`, 400, "BAD_REQUEST"},
		"a query in capitals":         {`{"Query":"{me{id}}"}`, 400, "BAD_REQUEST"},
		"a query that is a number":    {`{"query":5}`, 400, "BAD_REQUEST"},
		"a query that is null":        {`{"query":null}`, 400, "BAD_REQUEST"},
		"a name that is a number":     {`{"query":"{me{id}}","operationName":5}`, 400, "BAD_REQUEST"},
		"variables in a list":         {`{"query":"{me{id}}","variables":[]}`, 400, "BAD_REQUEST"},
		"variables in a string":       {`{"query":"{me{id}}","variables":"{}"}`, 400, "BAD_REQUEST"},
		"extensions in a list":        {`{"query":"{me{id}}","extensions":[]}`, 400, "BAD_REQUEST"},
		"a persisted query, no hash":  {`{"extensions":{"persistedQuery":5}}`, 400, "BAD_REQUEST"},
		"a persisted query, too new":  {`{"extensions":{"persistedQuery":{"version":2,"sha256Hash":"a"}}}`, 400, "BAD_REQUEST"},
		"a persisted query, big":      {`{"extensions":{"persistedQuery":{"version":99999999999999999999}}}`, 400, "BAD_REQUEST"},
		"variables nested deeply":     {`{"query":"{me{id}}","variables":{"a":` + nested + `}}`, 400, "BAD_REQUEST"},
		"a body nested very deeply":   {strings.Repeat(`{"a":`, 200_000), 400, "BAD_REQUEST"},
		"an empty query":              {`{"query":""}`, 400, "BAD_REQUEST"},
		"a query of comments":         {query(t, "# nothing"), 400, "BAD_REQUEST"},
		"a query with a syntax error": {query(t, `mutation { signIn(email: "a" "`+secret+`") { accessToken } }`), 400, "BAD_REQUEST"},
		"an open string":              {query(t, `mutation { signIn(email: "`+secret+"\n"), 400, "BAD_REQUEST"},
		"only a fragment":             {query(t, `fragment F on User { id }`), 400, "BAD_REQUEST"},
		"an unknown field":            {query(t, `{ mee { id } }`), 400, "BAD_REQUEST"},
		"an unknown argument":         {query(t, `{ users(frist: 1) { pageInfo { hasNextPage } } }`), 400, "BAD_REQUEST"},
		"an unknown type":             {query(t, `query($a: Sting) { users(search: $a) { pageInfo { hasNextPage } } }`), 400, "BAD_REQUEST"},
		"an unknown enum value":       {query(t, `mutation { setRole(userId: "1", role: ADMN) { id } }`), 400, "BAD_REQUEST"},
		"an unknown directive":        {query(t, `{ me @admin { id } }`), 400, "BAD_REQUEST"},
		"an unknown fragment":         {query(t, `{ me { ...F } }`), 400, "BAD_REQUEST"},
		"an unknown operation":        {`{"query":"query A{me{id}} query B{me{id}}","operationName":"C"}`, 400, "BAD_REQUEST"},
		"two operations, no name":     {query(t, "query A{me{id}} query B{me{id}}"), 400, "BAD_REQUEST"},
		"two anonymous operations":    {query(t, "{me{id}} {me{id}}"), 400, "BAD_REQUEST"},
		"a subscription":              {query(t, "subscription { me { id } }"), 400, "BAD_REQUEST"},
		"a type definition":           {query(t, "type User { id: ID }"), 400, "BAD_REQUEST"},
		"a missing argument":          {query(t, "mutation { signIn(email: \"a\") { accessToken } }"), 400, "BAD_REQUEST"},
		"a missing variable":          {query(t, "query($t: String!) { tokenInfo(token: $t) { active } }"), 400, "BAD_REQUEST"},
		"a null variable":             {`{"query":"query($t: String!) { tokenInfo(token: $t) { active } }","variables":{"t":null}}`, 400, "BAD_REQUEST"},
		"a variable of another type":  {`{"query":"query($t: String!) { tokenInfo(token: $t) { active } }","variables":{"t":{"a":"` + secret + `"}}}`, 400, "BAD_REQUEST"},
		"a list for a string":         {`{"query":"query($t: String!) { tokenInfo(token: $t) { active } }","variables":{"t":["` + secret + `"]}}`, 400, "BAD_REQUEST"},
		"a huge number":               {`{"query":"query($n: Int) { users(first: $n) { pageInfo { hasNextPage } } }","variables":{"n":1e400}}`, 400, "BAD_REQUEST"},
		"a string for a number":       {`{"query":"query($n: Int) { users(first: $n) { pageInfo { hasNextPage } } }","variables":{"n":"many"}}`, 400, "BAD_REQUEST"},
		"a role in lower case":        {`{"query":"mutation($r: Role!) { setRole(userId: 1, role: $r) { id } }","variables":{"r":"owner"}}`, 200, "BAD_REQUEST"},
		"a number for a string":       {`{"query":"query($t: String!) { tokenInfo(token: $t) { active } }","variables":{"t":5}}`, 200, "BAD_REQUEST"},
		"a fragment of itself":        {query(t, "{ me { ...F } } fragment F on User { id ...F }"), 400, "BAD_REQUEST"},
		"fragments in a ring":         {query(t, "{ me { ...A } } fragment A on User { ...B } fragment B on User { ...A }"), 400, "BAD_REQUEST"},
		"a deferred fragment":         {query(t, "{ me { ... @defer { id } } }"), 400, "BAD_REQUEST"},
		"a deferred spread":           {query(t, "{ me { ...F @defer } } fragment F on User { id }"), 400, "BAD_REQUEST"},
		"introspection":               {query(t, "{ __schema { types { name } } }"), 400, "BAD_REQUEST"},
		"introspection of a type":     {query(t, `{ __type(name: "User") { name } }`), 400, "BAD_REQUEST"},
		"introspection in a fragment": {query(t, "{ ...F } fragment F on Query { a: __schema { types { name } } }"), 400, "BAD_REQUEST"},
		"21 aliases":                  {query(t, "{"+repeat(21, "a%d: me { id }")+"}"), 400, "QUERY_TOO_COMPLEX"},
		"100 sign-ins":                {query(t, "mutation {"+repeat(100, `a%d: signIn(email: "a@b.edu", password: "x") { accessToken }`)+"}"), 400, "QUERY_TOO_COMPLEX"},
		"aliases in one fragment":     {query(t, "{ ...A ...B } fragment A on Query {"+repeat(11, "a%d: me { id }")+"} fragment B on Query {"+repeat(11, "b%d: me { id }")+"}"), 400, "QUERY_TOO_COMPLEX"},
		"too deep":                    {query(t, "{ me "+strings.Repeat("{ sessions ", 20)+"{ id }"+strings.Repeat("}", 20)+"}"), 400, "QUERY_TOO_COMPLEX"},
		"too deep by fragments":       {query(t, "{ ...F0 }"+repeat(15, "fragment F%[1]d on User { sessions { ...F1%[1]d } }")), 400, ""},
		"fragments doubling":          {query(t, "{ me { ...F0 } }"+doubling(60)), 400, "QUERY_TOO_COMPLEX"},
		"a thousand fields":           {query(t, "{ me {"+strings.Repeat(" id", 1001)+" } }"), 400, "QUERY_TOO_COMPLEX"},
		"100,000 tokens":              {query(t, "{ me {"+strings.Repeat(" id", 100_000)+" } }"), 400, "QUERY_TOO_COMPLEX"},
		"100,000 braces":              {query(t, strings.Repeat("{ a ", 100_000)), 400, "QUERY_TOO_COMPLEX"},
		"a costly page":               {query(t, "{"+repeat(3, "a%d: users(first: 100) { edges { node { sessions { id ip os browser device userAgent } } } }")+"}"), 400, "QUERY_TOO_COMPLEX"},
		"5,000 ids":                   {asJSON(t, map[string]any{"query": "mutation($i: [ID!]!) { adminDeleteUsers(ids: $i) }", "variables": map[string]any{"i": make([]int, 5000)}}), 400, "QUERY_TOO_COMPLEX"},
		"over 1 MiB":                  {`{"query":"{me{id}}","variables":{"a":"` + strings.Repeat("a", 1<<20) + `"}}`, 413, "BAD_REQUEST"},
	} {
		t.Run(name, func(t *testing.T) {
			a := serve(t, h, post(c.body))
			if a.Status != c.status || c.code != "" && a.code() != c.code {
				t.Errorf("answered %d %s, want %d %s: %.300s", a.Status, a.code(), c.status, c.code, a.Text)
			}
			for _, e := range a.Errors {
				if e.Extensions["code"] == nil || e.Message == "" {
					t.Errorf("an error without code or message: %s", a.Text)
				}
			}
			if strings.Contains(a.Text, "Did you mean") || strings.Contains(a.Text, secret) {
				t.Errorf("tells too much: %s", a.Text)
			}
			if a.Header.Get("Cache-Control") != "no-store" {
				t.Error("may be cached")
			}
		})
	}
}

// doubling is a chain of fragments each of which spreads the next one twice.
func doubling(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " fragment F%d on User { ...F%d ...F%d }", i, i+1, i+1)
	}
	fmt.Fprintf(&b, " fragment F%d on User { id }", n)
	return b.String()
}

func TestOnlyPostsOfJSONAreOperations(t *testing.T) {
	h := bare(t, false)
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
		"a websocket's wish":  {func(r *http.Request) { r.Header.Set("Upgrade", "websocket"); r.Header.Set("Connection", "Upgrade") }, 200},
		"an event stream's":   {func(r *http.Request) { r.Header.Set("Accept", "text/event-stream") }, 200},
	} {
		t.Run(name, func(t *testing.T) {
			r := post(query(t, "{ __typename }"))
			c.edit(r)
			a := serve(t, h, r)
			if a.Status != c.status {
				t.Errorf("answered %d, want %d: %s", a.Status, c.status, a.Text)
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
	a := serve(t, bare(t, true), post(query(t, `{ tokenInfo(token: "x") { active } }`)))
	if a.code() != "INTERNAL" || strings.Contains(a.Text, "nil pointer") {
		t.Errorf("answered %s", a.Text)
	}
}

func TestDevelopmentServesIntrospectionSuggestionsAndAPage(t *testing.T) {
	h := bare(t, true)
	if a := serve(t, h, post(query(t, introspection))); len(a.Errors) != 0 || !strings.Contains(a.Text, "adminDeleteUsers") {
		t.Errorf("introspection: %.300s", a.Text)
	}
	if a := serve(t, h, post(query(t, "{ mee { id } }"))); !strings.Contains(a.Text, "Did you mean") {
		t.Errorf("no suggestion: %s", a.Text)
	}
	html := serve(t, h, httptest.NewRequest("GET", "/graphql", nil))
	if html.Status != 200 || !strings.Contains(html.Text, "<title>Octavo GraphQL") {
		t.Errorf("page: %d %.100s", html.Status, html.Text)
	}
	for _, foreign := range []string{"http://", "https://", "<style", "style=", "onclick=", "<script>"} {
		if strings.Contains(html.Text, foreign) {
			t.Errorf("the page has %q", foreign)
		}
	}
	for _, asset := range []string{"script.js", "style.css"} {
		if !strings.Contains(html.Text, "/graphql?asset="+asset) {
			t.Errorf("the page does not use %s", asset)
		}
		if a := serve(t, h, httptest.NewRequest("GET", "/graphql?asset="+asset, nil)); a.Status != 200 || a.Text == "" {
			t.Errorf("%s: %d", asset, a.Status)
		}
	}
	if a := serve(t, h, httptest.NewRequest("GET", "/graphql?asset=../graph.go", nil)); a.Status != 404 {
		t.Errorf("another file: %d", a.Status)
	}
	if a := serve(t, h, httptest.NewRequest("GET", "/graphql?query={me{id}}", nil)); a.Status != 405 {
		t.Errorf("a query by GET: %d", a.Status)
	}
}

func TestPersistedQueries(t *testing.T) {
	h := bare(t, false)
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
		t.Errorf("unknown: %d %s", a.Status, a.Text)
	}
	if a := serve(t, h, named(document, strings.Repeat("0", 64))); a.code() != "BAD_REQUEST" {
		t.Errorf("another hash: %s", a.Text)
	}
	if a := serve(t, h, named(document, hash)); a.Data["__typename"] != "Query" {
		t.Errorf("stored: %s", a.Text)
	}
	if a := serve(t, h, named("", hash)); a.Data["__typename"] != "Query" {
		t.Errorf("used: %s", a.Text)
	}
	long := "{ __typename } #" + strings.Repeat("x", 1<<15)
	sum = sha256.Sum256([]byte(long))
	if a := serve(t, h, named(long, hex.EncodeToString(sum[:]))); a.Data["__typename"] != "Query" {
		t.Errorf("a long document: %.200s", a.Text)
	}
	if a := serve(t, h, named("", hex.EncodeToString(sum[:]))); a.code() != "NOT_FOUND" {
		t.Error("a long document was stored")
	}
	refused := "{ mee }"
	sum = sha256.Sum256([]byte(refused))
	serve(t, h, named(refused, hex.EncodeToString(sum[:])))
	if a := serve(t, h, named("", hex.EncodeToString(sum[:]))); a.code() != "NOT_FOUND" {
		t.Errorf("a refused document was stored: %s", a.Text)
	}
}

func TestManyPersistedQueriesPushOldOnesOut(t *testing.T) {
	h := bare(t, false)
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
	h := bare(t, false)
	for name, cookie := range map[string]string{"access": "octavo_access", "refresh": "octavo_refresh"} {
		r := post(query(t, "mutation { signOut }"))
		r.AddCookie(&http.Cookie{Name: cookie, Value: "x"})
		r.Header.Set("Origin", "https://evil.test")
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		if a := serve(t, h, r); a.Status != 403 || a.code() != "FORBIDDEN" {
			t.Errorf("%s: %d %s", name, a.Status, a.Text)
		}
	}
}

func TestRefuseSpeaksGraphQL(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		status int
		code   string
	}{
		"limited":                  {fault.New(fault.Limited, "rate_limited", "Slow down."), 429, "RATE_LIMITED"},
		"internal":                 {httpkit.ErrInternal, 500, "INTERNAL"},
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

func FuzzRequest(f *testing.F) {
	for _, seed := range []string{
		`{"query":"{me{id}}"}`, `{"query":"query A($a:Int){users(first:$a){edges{node{id}}}}","operationName":"A","variables":{"a":1}}`,
		`[]`, `{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"x"}}}`, `{"query":"{...F} fragment F on Query{...F}"}`,
		`{"query":"{__typename @skip(if:true)}"}`, `{"query":"{a:me{...@include(if:$b){id}}}"}`,
	} {
		f.Add([]byte(seed))
	}
	h := bare(f, false)
	f.Fuzz(func(t *testing.T, body []byte) {
		a := serve(t, h, post(string(body)))
		if a.Status != 200 && a.code() == "" {
			t.Errorf("refused without a code: %d %s", a.Status, a.Text)
		}
		if a.code() == "INTERNAL" && a.Data != nil && len(a.Data) > 0 {
			return // a resolver without its use case
		}
		if a.Status >= 500 {
			t.Errorf("failed: %d %s", a.Status, a.Text)
		}
	})
}

const introspection = `query IntrospectionQuery { __schema { queryType { name } mutationType { name } subscriptionType { name }
 types { ...FullType } directives { name description locations args { ...InputValue } } } }
fragment FullType on __Type { kind name description
 fields(includeDeprecated: true) { name description args { ...InputValue } type { ...TypeRef } isDeprecated deprecationReason }
 inputFields { ...InputValue } interfaces { ...TypeRef } enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
 possibleTypes { ...TypeRef } }
fragment InputValue on __InputValue { name description type { ...TypeRef } defaultValue }
fragment TypeRef on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } } } }`
