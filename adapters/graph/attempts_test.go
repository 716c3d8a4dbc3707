package graph_test

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/authkit"
)

// attempt is a sign-in with a wrong password. A document may have many of them, by aliases.
const attempt = `%[1]d: signIn(email: "ada@campus.edu", password: "guess number %[1]d")`

func TestTenAttemptsInOneRequestCountAsTen(t *testing.T) {
	for name, document := range map[string]string{
		"by aliases":          "mutation {" + repeat(10, "a"+attempt+" { accessToken }") + "}",
		"by fragments":        "mutation { ...A ...B } fragment A on Mutation {" + repeat(5, "a"+attempt+" { accessToken }") + "} fragment B on Mutation {" + repeat(5, "b"+attempt+" { accessToken }") + "}",
		"by inline fragments": "mutation { " + repeat(10, "... on Mutation { a"+attempt+" { accessToken } }") + "}",
		"with @include":       "mutation { " + repeat(10, "a"+attempt+" @include(if: true) { accessToken }") + "}",
		"with @skip":          "mutation { " + repeat(10, "... @skip(if: false) { a"+attempt+" { accessToken } }") + "}",
	} {
		t.Run(name, func(t *testing.T) {
			c := newCore(t, nil)
			c.CreateUser(t, "ada@campus.edu")
			before := c.Hasher.Calls
			codes := map[any]int{}
			a := c.ask(document, nil)
			for _, e := range a.Errors {
				codes[e.Extensions["code"]]++
			}
			if codes["INVALID_CREDENTIALS"] != 10 || len(codes) != 1 || c.Hasher.Calls-before != 10 {
				t.Errorf("answered %v, %d passwords were compared: %s", codes, c.Hasher.Calls-before, a)
			}
			if a := c.ask(signIn, credentials()); a.code() != "RATE_LIMITED" {
				t.Errorf("the right password after that: %s", a)
			}
		})
	}
}

func TestASkippedSignInCountsNoAttempt(t *testing.T) {
	c := newCore(t, nil)
	c.CreateUser(t, "ada@campus.edu")
	before := c.Hasher.Calls
	c.ask("mutation { signOut "+repeat(5, "a"+attempt+" @skip(if: true) { accessToken }")+repeat(5, "... @include(if: false) { b"+attempt+" { accessToken } }")+"}", nil)
	if c.Hasher.Calls != before {
		t.Errorf("%d passwords were compared", c.Hasher.Calls-before)
	}
	if a := c.ask(signIn, credentials()); a.code() != "" {
		t.Errorf("the right password after that: %s", a)
	}
}

func TestAFragmentSpreadTenTimesCountsOneAttempt(t *testing.T) {
	c := newCore(t, nil)
	c.CreateUser(t, "ada@campus.edu")
	before := c.Hasher.Calls
	a := c.ask("mutation {"+strings.Repeat(" ...F", 10)+" } fragment F on Mutation { a: signIn(email: \"ada@campus.edu\", password: \""+authkit.Password+"\") { accessToken } }", nil)
	if a.code() != "" || c.Hasher.Calls-before != 1 {
		t.Errorf("%d passwords were compared: %s", c.Hasher.Calls-before, a)
	}
}
