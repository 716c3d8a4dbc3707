package graph_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/graph"
	"github.com/octavo-books/octavo/adapters/graph/graphgen"
)

// maxWork limits the allocations of a request that the limits or the validator refuse. The
// validator allocates several times for each comparison of two fields. The documents for
// which the limits were made took 500,000 allocations and more.
const maxWork = 60_000

// inline nests n inline fragments around a text.
func inline(n int, between string) string {
	return strings.Repeat("...{", n) + between + strings.Repeat("}", n)
}

// fragments defines n fragments, each with the format applied to its number.
func fragments(n int, format string) string { return repeat(n, " fragment F%d on User { "+format+" }") }

func users(n int) string {
	if n == 0 {
		return "id "
	}
	return "me {" + users(n-1) + "} me {" + users(n-1) + "}"
}

// hostile are documents that grow with n in every way that makes the validator's work grow
// faster than the document. All select the unknown field "nope", so that none is executed.
var hostile = map[string]func(n int) string{
	"inline fragments in each other": func(n int) string { return "{nope " + strings.Repeat("...{me{id}", n) + strings.Repeat("}", n) + "}" },
	"one field again and again":      func(n int) string { return "{nope " + strings.Repeat("me{id}", n) + "}" },
	"one field in inline fragments":  func(n int) string { return "{nope " + inline(10, strings.Repeat("me{id}", n)) + "}" },
	"one field with many below": func(n int) string {
		return "{nope " + repeat(n, "me{a%[1]dx b%[1]dx c%[1]dx d%[1]dx e%[1]dx f%[1]dx g%[1]dx}") + "}"
	},
	"one field with many arguments": func(n int) string {
		return "{nope " + inline(9, strings.Repeat("me("+repeat(20, "a%d:1 ")+"){id}", n)) + "}"
	},
	"many arguments on one field": func(n int) string {
		return "{nope me(" + repeat(n, "a%d:1 ") + "){id} me(" + repeat(n, "a%d:1 ") + "){id}}"
	},
	"conflicts":                    func(n int) string { return "{nope " + inline(10, repeat(n, "a:x%d ")) + "}" },
	"a field twice at every level": func(n int) string { return "{nope " + users(min(n, 12)) + "}" },
	"fragments in one place":       func(n int) string { return "{nope me{" + repeat(n, "...F%d ") + "}}" + fragments(n, "x%d") },
	"fragments of the same field":  func(n int) string { return "{nope me{" + inline(9, repeat(n, "...F%d ")) + "}}" + fragments(n, "id") },
	"one fragment again and again": func(n int) string { return "{nope me{" + strings.Repeat("...F0 ", n) + "}}" + fragments(1, "id") },
	"undefined fragments":          func(n int) string { return "{nope me{" + repeat(n, "...F%d ") + "}}" },
	"unused fragments":             func(n int) string { return "{nope}" + fragments(n, strings.Repeat("id ", 30)) },
	"a large unused fragment":      func(n int) string { return "{nope}" + fragments(1, strings.Repeat("id ", n)) },
	"fragments within fields twice": func(n int) string {
		return "{nope " + strings.Repeat("me{...F0 ...F1 ...F2}", n) + "}" + fragments(3, "id id")
	},
	"a chain of fragments": func(n int) string {
		return "{nope me{...F0}}" + repeat(n, " fragment F%[1]d on User { id ...F1%[1]d }")
	},
	"fragments that double": func(n int) string { return "{nope me { ...F0 } }" + doubling(n) },
	"operations with one fragment": func(n int) string {
		return repeat(n, "query Q%d{nope me{...F0}}") + fragments(1, strings.Repeat("id ", 10))
	},
	"directives": func(n int) string { return "{nope me" + strings.Repeat(" @include(if: true)", n) + "{id}}" },
	"lists in lists": func(n int) string {
		return "{nope user(id: " + strings.Repeat("[", n) + strings.Repeat("]", n) + "){id}}"
	},
	"variables": func(n int) string {
		return "query(" + repeat(n, "$v%d: Int ") + "){nope users(" + repeat(n, "first: $v%d ") + "){x}}"
	},
}

// work sends a document twice and returns the response and its allocations.
func work(t *testing.T, h http.Handler, document string) (a answer, allocations float64) {
	t.Helper()
	body := query(t, document)
	allocations = testing.AllocsPerRun(1, func() { a = serve(t, h, post(body)) })
	return a, allocations
}

func TestAHostileDocumentIsRefusedBeforeItIsValidated(t *testing.T) {
	h := newHandlerWithoutUseCases(t, true)
	for name, document := range hostile {
		t.Run(name, func(t *testing.T) {
			a, allocations := work(t, h, document(240))
			if a.Status != 400 || a.code() != "QUERY_TOO_COMPLEX" && a.code() != "BAD_REQUEST" {
				t.Errorf("answered %d %s: %s", a.Status, a.code(), a)
			}
			if allocations > maxWork {
				t.Errorf("took %.0f allocations", allocations)
			}
		})
	}
}

func TestADocumentWithinTheLimitsIsValidatedWithBoundedWork(t *testing.T) {
	h := newHandlerWithoutUseCases(t, true)
	for name, document := range hostile {
		t.Run(name, func(t *testing.T) {
			for n := 1; n <= 1000; n += 1 + n/8 {
				a, allocations := work(t, h, document(n))
				if a.code() == "QUERY_TOO_COMPLEX" {
					return
				}
				if a.code() != "BAD_REQUEST" || allocations > maxWork {
					t.Fatalf("of size %d took %.0f allocations: %s", n, allocations, a)
				}
			}
		})
	}
}

// FuzzDocument builds documents from everything that can be nested or repeated.
func FuzzDocument(f *testing.F) {
	f.Add([]byte("\x00\x01\x02\x03\x04\x05\x06\x07"))
	f.Add([]byte(strings.Repeat("\x02", 12) + strings.Repeat("\x00\x05", 60)))
	f.Add([]byte(strings.Repeat("\x00\x03\x05", 300)))
	f.Add([]byte(strings.Repeat("\x04", 40) + strings.Repeat("\x07\x04\x04", 100)))
	h := newHandlerWithoutUseCases(f, true)
	f.Fuzz(func(t *testing.T, choices []byte) {
		if a, allocations := work(t, h, written(choices)); a.Status != 400 || allocations > maxWork {
			t.Errorf("answered %d %s after %.0f allocations: %s", a.Status, a.code(), allocations, written(choices))
		}
	})
}

// written builds a document: each choice opens, closes or adds something, and the end
// closes what is open.
func written(choices []byte) string {
	var b strings.Builder
	b.WriteString("{nope ")
	open, defined := 1, 0
	for _, c := range choices {
		switch {
		case c%8 == 0:
			b.WriteString("me{")
			open++
		case c%8 == 1:
			b.WriteString("sessions{")
			open++
		case c%8 == 2:
			b.WriteString("...{")
			open++
		case c%8 == 4:
			fmt.Fprintf(&b, "...F%d ", c/8%4)
		case c%8 == 5 && open > 1:
			b.WriteString("id}")
			open--
		case c%8 == 7 && open < 20:
			b.WriteString("id" + strings.Repeat("}", open))
			fmt.Fprintf(&b, " fragment F%d on User{", defined)
			open, defined = 1, defined+1
		default:
			fmt.Fprintf(&b, "%c%d:id ", 'a'+c/16%2, c/32)
		}
	}
	return b.String() + "id" + strings.Repeat("}", open)
}

// relayed is the query of a page with twenty components, each with a fragment for what
// it shows of every user, as clients of Apollo and Relay write it.
func relayed() string {
	parts := repeat(20, " fragment Part%d on User { __typename id email role createdAt }")
	return "query Page($n: Int = 20) { __typename me { __typename id ...Part0 sessions { ...Seen } } users(first: $n) { __typename edges { __typename cursor node {" +
		repeat(20, "...Part%d ") + "sessions @include(if: true) { ...Seen ... on Session { __typename id } } } } pageInfo { hasNextPage endCursor } } }" +
		" fragment Seen on Session { __typename id current browser os device }" + parts
}

func TestDocumentsOfCommonClientsAreAccepted(t *testing.T) {
	for name, document := range map[string]string{
		"introspection":                introspection,
		"introspection of graphql-js":  introspectionWithAll,
		"a page of twenty components":  relayed(),
		"every operation of an app":    repeat(40, "query Q%d { me { ...U } } ") + "query Page { me { ...U } } fragment U on User { id email }",
		"ten sign-ins, one a password": "mutation Page {" + repeat(10, `a%d: signIn(email: "a@b.edu", password: "x") { accessToken }`) + "}",
		"ten tokens":                   "query Page {" + repeat(10, `a%d: tokenInfo(token: "x") { active }`) + "}",
		"a hundred sessions ended":     "mutation Page {" + repeat(100, `a%d: revokeSession(id: "%[1]d")`) + "}",
	} {
		t.Run(name, func(t *testing.T) {
			body := map[string]any{"query": document}
			if strings.Contains(document, " Page") {
				body["operationName"] = "Page"
			}
			a := serve(t, newHandlerWithoutUseCases(t, true), post(asJSON(t, body)))
			if a.Status != 200 { // it was executed, even though it fails without use cases
				t.Errorf("answered %d: %s", a.Status, a)
			}
		})
	}
}

// introspectionWithAll is the result of getIntrospectionQuery of graphql-js with all
// options, which GraphiQL and code generators send.
const introspectionWithAll = `query IntrospectionQuery { __schema { description queryType { name kind } mutationType { name kind } subscriptionType { name kind }
 types { ...FullType } directives { name description isRepeatable locations args(includeDeprecated: true) { ...InputValue } } } }
fragment FullType on __Type { kind name description specifiedByURL isOneOf
 fields(includeDeprecated: true) { name description args(includeDeprecated: true) { ...InputValue } type { ...TypeRef } isDeprecated deprecationReason }
 inputFields(includeDeprecated: true) { ...InputValue } interfaces { ...TypeRef } enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
 possibleTypes { ...TypeRef } }
fragment InputValue on __InputValue { name description type { ...TypeRef } defaultValue isDeprecated deprecationReason }
fragment TypeRef on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } } } } } }`

func TestAMutationStopsWhenTheClientDisconnects(t *testing.T) {
	c := newCore(t, nil)
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	h := newHandler(t, c.Auth, c.Authenticator, graph.Config{Observe: func(context.Context, string, string) { leave() }})
	r := post(query(t, "mutation {"+repeat(5, `a%[1]d: signUp(email: "ada%[1]d@campus.edu", password: "correct horse battery") `)+"}"))
	h.ServeHTTP(httptest.NewRecorder(), r.WithContext(ctx))
	if c.Hasher.Calls != 2 { // for the first field, after which the client disconnects
		t.Errorf("passwords were hashed %d times", c.Hasher.Calls)
	}
}

func TestARequestMayHashTenPasswordsAndCheckTenTokens(t *testing.T) {
	h := newHandlerWithoutUseCases(t, false)
	for name, c := range map[string]struct {
		field string // an operation with one password or token
		most  int
	}{
		"signIn":           {`signIn(email: "a@b.edu", password: "x") { accessToken }`, 10},
		"signUp":           {`signUp(email: "a@b.edu", password: "x")`, 5},
		"resetPassword":    {`resetPassword(email: "a@b.edu", code: "1", newPassword: "x")`, 10},
		"changePassword":   {`changePassword(currentPassword: "x", newPassword: "y")`, 5},
		"acceptInvitation": {`acceptInvitation(token: "x", password: "y") { accessToken }`, 10},
		"adminSetPassword": {`adminSetPassword(userId: "1", newPassword: "y")`, 10},
		"tokenInfo":        {`tokenInfo(token: "x") { active }`, 10},
	} {
		t.Run(name, func(t *testing.T) {
			operation, root := "mutation", "Mutation"
			if name == "tokenInfo" {
				operation, root = "query", "Query"
			}
			fields := func(n int) string { return repeat(n, "a%d: "+c.field+" ") }
			if a := serve(t, h, post(query(t, operation+"{"+fields(c.most)+"}"))); a.Status != 200 {
				t.Errorf("%d were refused: %s", c.most, a)
			}
			for how, document := range map[string]string{
				"by aliases":       operation + "{" + fields(c.most+1) + "}",
				"in fragments":     operation + "{ ...A ...on " + root + "{" + fields(c.most) + "}} fragment A on " + root + "{ z: " + c.field + " }",
				"behind @skip":     operation + "{" + repeat(c.most+1, "a%d: "+strings.Replace(c.field, ")", ") @skip(if: true)", 1)+" ") + "}",
				"among operations": operation + " A {" + fields(c.most+1) + "} query B { me { id } }",
			} {
				if a := serve(t, h, post(query(t, document))); a.Status != 400 || a.code() != "QUERY_TOO_COMPLEX" {
					t.Errorf("%d %s: answered %d %s", c.most+1, how, a.Status, a)
				}
			}
		})
	}
}

// A field with a password that is not counted would let one request hash one for each
// alias.
func TestEveryFieldWithAPasswordOrTokenIsCounted(t *testing.T) {
	schema := graphgen.NewExecutableSchema(graphgen.Config{}).Schema()
	h := newHandlerWithoutUseCases(t, false)
	for _, f := range slices.Concat(schema.Query.Fields, schema.Mutation.Fields) {
		takes := f.Name == "tokenInfo"
		for _, a := range f.Arguments {
			takes = takes || strings.Contains(strings.ToLower(a.Name), "password")
		}
		if !takes {
			continue
		}
		// Without arguments, because the limit applies before the document is validated.
		document := "{" + repeat(11, "a%d: "+f.Name+" ") + "}"
		if a := serve(t, h, post(query(t, document))); a.code() != "QUERY_TOO_COMPLEX" {
			t.Errorf("11 of %s: %s", f.Name, a)
		}
	}
}
