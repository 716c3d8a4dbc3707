package graph_test

import (
	"fmt"
	"strings"
	"testing"
)

const secret = "correct horse battery"

// malformed is a body with the response that it gets. If code is empty, any may come.
type malformed struct {
	body   string
	status int
	code   string
}

func TestABodyThatIsNoRequestIsRefusedWithACode(t *testing.T) {
	nested := strings.Repeat("[", 100) + strings.Repeat("]", 100)
	refusesAll(t, map[string]malformed{
		"nothing":                    {"", 400, "BAD_REQUEST"},
		"white space":                {" \n", 400, "BAD_REQUEST"},
		"no JSON":                    {secret, 400, "BAD_REQUEST"},
		"half a JSON":                {`{"query":"{me{id}}","variables":{"password":"` + secret, 400, "BAD_REQUEST"},
		"null":                       {"null", 400, "BAD_REQUEST"},
		"a number":                   {"5", 400, "BAD_REQUEST"},
		"a string":                   {`"` + secret + `"`, 400, "BAD_REQUEST"},
		"a batch":                    {`[{"query":"{me{id}}"},{"query":"{me{id}}"}]`, 400, "BAD_REQUEST"},
		"an empty batch":             {`[]`, 400, "BAD_REQUEST"},
		"an empty object":            {`{}`, 400, "BAD_REQUEST"},
		"trailing garbage":           {`{"query":"{me{id}}"} ` + secret, 400, "BAD_REQUEST"},
		"two objects":                {`{"query":"{me{id}}"}{"query":"{me{id}}"}`, 400, "BAD_REQUEST"},
		"a byte order mark":          {"\ufeff" + `{"query":"{me{id}}"}`, 400, "BAD_REQUEST"},
		"no UTF-8":                   {"{\"query\":\"{me{id}} #\xff\"}", 400, "BAD_REQUEST"},
		"a comment":                  {`{"query":"{me{id}}" /* */}`, 400, "BAD_REQUEST"},
		"a query twice":              {`{"query":"{me{id}}","query":"{me{id}}"}`, 400, "BAD_REQUEST"},
		"a variable twice":           {`{"query":"{me{id}}","variables":{"a":1,"a":2}}`, 400, "BAD_REQUEST"},
		"a deep variable twice":      {`{"query":"{me{id}}","variables":{"a":[{"b":1,"b":2}]}}`, 400, "BAD_REQUEST"},
		"a query in capitals":        {`{"Query":"{me{id}}"}`, 400, "BAD_REQUEST"},
		"a query that is a number":   {`{"query":5}`, 400, "BAD_REQUEST"},
		"a query that is null":       {`{"query":null}`, 400, "BAD_REQUEST"},
		"a name that is a number":    {`{"query":"{me{id}}","operationName":5}`, 400, "BAD_REQUEST"},
		"variables in a list":        {`{"query":"{me{id}}","variables":[]}`, 400, "BAD_REQUEST"},
		"variables in a string":      {`{"query":"{me{id}}","variables":"{}"}`, 400, "BAD_REQUEST"},
		"extensions in a list":       {`{"query":"{me{id}}","extensions":[]}`, 400, "BAD_REQUEST"},
		"a persisted query, no hash": {`{"extensions":{"persistedQuery":5}}`, 400, "BAD_REQUEST"},
		"a persisted query, too new": {`{"extensions":{"persistedQuery":{"version":2,"sha256Hash":"a"}}}`, 400, "BAD_REQUEST"},
		"a persisted query, big":     {`{"extensions":{"persistedQuery":{"version":99999999999999999999}}}`, 400, "BAD_REQUEST"},
		"variables nested deeply":    {`{"query":"{me{id}}","variables":{"a":` + nested + `}}`, 400, "BAD_REQUEST"},
		"a body nested very deeply":  {strings.Repeat(`{"a":`, 200_000), 400, "BAD_REQUEST"},
		"over 1 MiB":                 {`{"query":"{me{id}}","variables":{"a":"` + strings.Repeat("a", 1<<20) + `"}}`, 413, "BAD_REQUEST"},
	})
}

func TestAQueryThatTheSchemaDoesNotAllowIsRefusedWithACode(t *testing.T) {
	refusesAll(t, map[string]malformed{
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
	})
}

func TestAQueryThatCostsTooMuchIsRefusedWithACode(t *testing.T) {
	refusesAll(t, map[string]malformed{
		"21 aliases":                {query(t, "{"+repeat(21, "a%d: me { id }")+"}"), 400, "QUERY_TOO_COMPLEX"},
		"101 aliases in a mutation": {query(t, "mutation {"+repeat(101, `a%d: revokeSession(id: "%[1]d")`)+"}"), 400, "QUERY_TOO_COMPLEX"},
		"101 aliases by fragments":  {query(t, "mutation { ...A ... on Mutation {"+repeat(51, `b%d: revokeSession(id: "%[1]d") @skip(if: true)`)+"} } fragment A on Mutation {"+repeat(50, `a%d: revokeSession(id: "%[1]d") @include(if: true)`)+"}"), 400, "QUERY_TOO_COMPLEX"},
		"aliases in one fragment":   {query(t, "{ ...A ...B } fragment A on Query {"+repeat(11, "a%d: me { id }")+"} fragment B on Query {"+repeat(11, "b%d: me { id }")+"}"), 400, "QUERY_TOO_COMPLEX"},
		"too deep":                  {query(t, "{ me "+strings.Repeat("{ sessions ", 20)+"{ id }"+strings.Repeat("}", 20)+"}"), 400, "QUERY_TOO_COMPLEX"},
		"too deep by fragments":     {query(t, "{ ...F0 }"+repeat(15, "fragment F%[1]d on User { sessions { ...F1%[1]d } }")), 400, ""},
		"fragments doubling":        {query(t, "{ me { ...F0 } }"+doubling(60)), 400, "QUERY_TOO_COMPLEX"},
		"a thousand fields":         {query(t, "{ me {"+strings.Repeat(" id", 1001)+" } }"), 400, "QUERY_TOO_COMPLEX"},
		"100,000 tokens":            {query(t, "{ me {"+strings.Repeat(" id", 100_000)+" } }"), 400, "QUERY_TOO_COMPLEX"},
		"100,000 braces":            {query(t, strings.Repeat("{ a ", 100_000)), 400, "QUERY_TOO_COMPLEX"},
		"a costly page":             {query(t, "{"+repeat(3, "a%d: users(first: 100) { edges { node { sessions { id ip os browser device userAgent } } } }")+"}"), 400, "QUERY_TOO_COMPLEX"},
		"5,000 ids":                 {asJSON(t, map[string]any{"query": "mutation($i: [ID!]!) { adminDeleteUsers(ids: $i) }", "variables": map[string]any{"i": make([]int, 5000)}}), 400, "QUERY_TOO_COMPLEX"},
	})
}

// refusesAll requires the response of each case, which quotes nothing of the body.
func refusesAll(t *testing.T, cases map[string]malformed) {
	t.Helper()
	h := newHandlerWithoutUseCases(t, false)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			a := serve(t, h, post(c.body))
			if a.Status != c.status || c.code != "" && a.code() != c.code {
				t.Errorf("answered %d %s, want %d %s: %s", a.Status, a.code(), c.status, c.code, a)
			}
			for _, e := range a.Errors {
				if e.Extensions["code"] == nil || e.Message == "" {
					t.Errorf("an error without code or message: %s", a)
				}
			}
			if strings.Contains(a.Text, "Did you mean") || strings.Contains(a.Text, secret) {
				t.Errorf("the error quotes the body: %s", a)
			}
			if a.Header.Get("Cache-Control") != "no-store" {
				t.Error("the response may be cached")
			}
		})
	}
}

// doubling is a chain of fragments, each of which spreads the next one twice.
func doubling(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " fragment F%d on User { ...F%d ...F%d }", i, i+1, i+1)
	}
	fmt.Fprintf(&b, " fragment F%d on User { id }", n)
	return b.String()
}

func FuzzRequest(f *testing.F) {
	for _, seed := range []string{
		`{"query":"{me{id}}"}`, `{"query":"query A($a:Int){users(first:$a){edges{node{id}}}}","operationName":"A","variables":{"a":1}}`,
		`[]`, `{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"x"}}}`, `{"query":"{...F} fragment F on Query{...F}"}`,
		`{"query":"{__typename @skip(if:true)}"}`, `{"query":"{a:me{...@include(if:$b){id}}}"}`,
	} {
		f.Add([]byte(seed))
	}
	h := newHandlerWithoutUseCases(f, false)
	f.Fuzz(func(t *testing.T, body []byte) {
		a := serve(t, h, post(string(body)))
		if a.Status != 200 && a.code() == "" {
			t.Errorf("refused without a code: %d %s", a.Status, a)
		}
		if a.code() == "INTERNAL" && a.Data != nil && len(a.Data) > 0 {
			return // a resolver without its use case
		}
		if a.Status >= 500 {
			t.Errorf("failed: %d %s", a.Status, a)
		}
	})
}
