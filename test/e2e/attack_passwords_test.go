package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

var passwordAttacks = []attack{
	{"guessing a password", func(t *testing.T, a *arena) {
		p, thief := a.member(t, byBearer, "guessed"), a.nobody(t, byBearer)
		for i := range 10 {
			thief.refused(signIn, vars{"e": p.email, "p": fmt.Sprintf("guess number %d", i)}, "INVALID_CREDENTIALS")
		}
		r := thief.refused(signIn, vars{"e": p.email, "p": password}, "RATE_LIMITED")
		if len(r.Errors) == 0 || r.Errors[0].Extensions["retryAfter"] == nil {
			t.Errorf("no retryAfter: %s", r.Body)
		}
		p.signIn(password) // from another client: a stranger cannot lock the owner out
	}},
	{"guessing the password of a stranger looks the same", func(t *testing.T, a *arena) {
		thief, nobody := a.nobody(t, byBearer), address("nobody")
		for i := range 10 {
			thief.refused(signIn, vars{"e": nobody, "p": fmt.Sprintf("guess number %d", i)}, "INVALID_CREDENTIALS")
		}
		thief.refused(signIn, vars{"e": nobody, "p": password}, "RATE_LIMITED")
	}},
	{"100 parallel guesses of a password", func(t *testing.T, a *arena) {
		p, thief := a.member(t, byBearer, "guessed"), a.nobody(t, byBearer)
		codes := make([]string, 100)
		together(len(codes), func(i int) {
			codes[i] = thief.run(signIn, vars{"e": p.email, "p": fmt.Sprintf("guess number %d", i)}).Code()
		})
		looked := 0
		for _, c := range codes {
			switch c {
			case "INVALID_CREDENTIALS":
				looked++
			case "RATE_LIMITED", "UNAVAILABLE":
			default:
				t.Errorf("answered %q", c)
			}
		}
		if looked > 10 {
			t.Errorf("%d of 100 guesses were compared", looked)
		}
	}},
	{"10 guesses by aliases in one request", func(t *testing.T, a *arena) {
		aliased(t, a, "mutation {"+aliases(10, "a"+guessed)+"}")
	}},
	{"10 guesses by aliases in fragments", func(t *testing.T, a *arena) {
		aliased(t, a, "mutation { ...A ... on Mutation {"+aliases(5, "b"+guessed)+"} } fragment A on Mutation {"+aliases(5, "a"+guessed)+"}")
	}},
	{"10 guesses by aliases behind directives", func(t *testing.T, a *arena) {
		aliased(t, a, "mutation {"+aliases(5, "... @include(if: true) { a"+guessed+" }")+aliases(5, "... @skip(if: false) { b"+guessed+" }")+"}")
	}},
	{"11 guesses by aliases in one request", func(t *testing.T, a *arena) {
		a.nobody(t, byBearer).refused("mutation {"+aliases(11, `a%d: signIn(email: "`+a.victim.email+`", password: "guess number %[1]d") { accessToken }`)+"}", nil, "QUERY_TOO_COMPLEX")
	}},
	{"100 guesses of a code by aliases in one request", func(t *testing.T, a *arena) {
		p, code := a.waiting(t, "aliased")
		r := a.nobody(t, byBearer).run("mutation($e: String!) {"+aliases(99, `a%d: verifyEmail(email: $e, code: "1234%04[1]d")`)+` last: verifyEmail(email: $e, code: "`+code+`") }`, vars{"e": p.email})
		if r.at("last") == true {
			t.Errorf("the hundredth guess was accepted: %.300s", r.Body)
		}
	}},
	{"100 guesses in a batch", func(t *testing.T, a *arena) {
		one := string(body(t, signIn, vars{"e": a.victim.email, "p": "guess"}))
		r := a.nobody(t, byBearer).send("/graphql", []byte("["+strings.Repeat(one+",", 99)+one+"]"), nil)
		if r.Status != 400 || r.Code() != "BAD_REQUEST" {
			t.Errorf("answered %d %s", r.Status, r.Body)
		}
	}},
	{"passing for many clients by X-Forwarded-For", func(t *testing.T, a *arena) {
		p, thief := a.member(t, byBearer, "spoofed"), a.nobody(t, byBearer)
		real := thief.header.Get("X-Forwarded-For")
		for i := range 11 {
			thief.header.Set("X-Forwarded-For", fmt.Sprintf("203.0.113.%d, %s", i, real))
			thief.run(signIn, vars{"e": p.email, "p": "guess"})
		}
		thief.refused(signIn, vars{"e": p.email, "p": password}, "RATE_LIMITED")
	}},
	{"guessing the current password", func(t *testing.T, a *arena) {
		p := a.member(t, byBearer, "borrowed")
		for range 10 {
			p.refused(change, vars{"c": "guess", "n": "a brand new password"}, "INVALID_CREDENTIALS")
		}
		p.refused(change, vars{"c": password, "n": "a brand new password"}, "RATE_LIMITED")
	}},
	{"telling members from strangers by signing in", func(t *testing.T, a *arena) {
		unverified, _ := a.waiting(t, "unverified")
		passwordless := address("passwordless")
		a.admin.must(invite, vars{"e": passwordless})
		link, _ := a.invitation(t, passwordless, "")
		a.nobody(t, byBearer).must(accept, vars{"t": link})
		same(t, a, signIn, func(e string) vars { return vars{"e": e, "p": "wrong password"} },
			a.victim.email, unverified.email, passwordless, address("stranger"))
	}},
	{"telling members from strangers by signing up", func(t *testing.T, a *arena) {
		same(t, a, signUp, func(e string) vars { return vars{"e": e, "p": password} }, a.thief.email, address("stranger"))
	}},
	{"telling members from strangers by a reset", func(t *testing.T, a *arena) {
		same(t, a, forgot, func(e string) vars { return vars{"e": e} }, a.thief.email, address("stranger"), "no address")
		same(t, a, reset, func(e string) vars { return vars{"e": e, "c": "00000000", "p": "a brand new password"} }, a.thief.email, address("stranger"))
	}},
	{"telling members from strangers by a resend", func(t *testing.T, a *arena) {
		unverified, _ := a.waiting(t, "unverified")
		same(t, a, resend, func(e string) vars { return vars{"e": e} }, a.thief.email, unverified.email, address("stranger"))
		same(t, a, verify, func(e string) vars { return vars{"e": e, "c": "00000000"} }, a.thief.email, unverified.email, address("stranger"))
	}},
	{"planting a password on somebody's address", func(t *testing.T, a *arena) {
		thief := a.nobody(t, byBearer)
		thief.email = address("planted")
		thief.signUp("the thief's password")
		first := thief.newest("verification")
		if first == "" {
			first = a.Mail(thief.email, "verification").ID
		}
		owner := a.nobody(t, byBearer)
		owner.email = thief.email
		owner.signUp("the owner's password")
		owner.must(verify, vars{"e": owner.email, "c": owner.code("verification", first)})
		thief.refused(signIn, vars{"e": thief.email, "p": "the thief's password"}, "INVALID_CREDENTIALS")
		owner.must(reset, vars{"e": owner.email, "c": owner.code("password_reset", ""), "p": password})
		owner.signIn(password)
	}},
	{"planting a password before an invitation", func(t *testing.T, a *arena) {
		thief, code := a.waiting(t, "planted")
		a.admin.must(invite, vars{"e": thief.email})
		link, _ := a.invitation(t, thief.email, "")
		owner := a.nobody(t, byBearer)
		owner.email = thief.email
		owner.must(accept, vars{"t": link})
		thief.refused(verify, vars{"e": thief.email, "c": code}, "CODE_INVALID")
		thief.refused(signIn, vars{"e": thief.email, "p": password}, "INVALID_CREDENTIALS")
		owner.in("the owner")
	}},
	{"ten sign-ups with one address at once", func(t *testing.T, a *arena) {
		p := a.nobody(t, byBearer)
		p.email = address("race")
		together(10, func(i int) {
			spelled := []string{p.email, strings.ToUpper(p.email), " " + p.email + "\t"}[i%3]
			if r := a.nobody(t, byBearer).run(signUp, vars{"e": spelled, "p": password}); r.at("signUp") != true {
				t.Errorf("answered %d %s", r.Status, r.Body)
			}
		})
		p.verifyByAny(t)
		p.signIn(password)
		if all, _ := a.admin.must(people, vars{"s": p.email}).at("users", "edges").([]any); len(all) != 1 {
			t.Errorf("%d accounts", len(all))
		}
	}},
	{"a password of 1 MB", func(t *testing.T, a *arena) {
		long := strings.Repeat("a", 1_000_000)
		p := a.nobody(t, byBearer)
		p.refused(signUp, vars{"e": address("long"), "p": long}, "PASSWORD_INVALID")
		p.refused(signIn, vars{"e": a.victim.email, "p": long}, "INVALID_CREDENTIALS")
	}},
	{"a password that differs after 72 bytes", func(t *testing.T, a *arena) {
		p := a.nobody(t, byBearer)
		p.email = address("long")
		stem := strings.Repeat("long password ", 6)
		p.signUp(stem + "A")
		p.must(verify, vars{"e": p.email, "c": p.code("verification", "")})
		p.refused(signIn, vars{"e": p.email, "p": stem + "B"}, "INVALID_CREDENTIALS")
		p.refused(signIn, vars{"e": p.email, "p": stem}, "INVALID_CREDENTIALS")
		p.signIn(stem + "A")
	}},
	{"a password that differs after a NUL", func(t *testing.T, a *arena) {
		p := a.nobody(t, byBearer)
		p.refused(signUp, vars{"e": address("nul"), "p": "password\x00A and more"}, "PASSWORD_INVALID")
		p.refused(signIn, vars{"e": a.victim.email, "p": password + "\x00"}, "INVALID_CREDENTIALS")
	}},
	{"SQL and patterns in an address", func(t *testing.T, a *arena) {
		p := a.nobody(t, byBearer)
		for _, e := range []string{"' OR 1=1 --", a.victim.email + "' --", "%@campus.edu", "victim_%@campus.edu", "*"} {
			p.refused(signIn, vars{"e": e, "p": password}, "INVALID_CREDENTIALS")
		}
		for _, s := range []string{"%", "_", "' OR ''='", `\`} {
			if r := a.admin.must(people, vars{"s": s}); r.at("users", "edges", 0) != nil {
				t.Errorf("%q finds people: %.200s", s, r.Body)
			}
		}
	}},
	{"a second header in an address", func(t *testing.T, a *arena) {
		p := a.nobody(t, byBearer)
		for _, e := range []string{"a@campus.edu\r\nBcc: evil@evil.test", "a@campus.edu,evil@evil.test", "\"a\\\r\n\"@campus.edu", "a@campus.edu\x00@evil.test", "<a@campus.edu>"} {
			p.refused(signUp, vars{"e": e, "p": password}, "EMAIL_INVALID")
			a.admin.refused(invite, vars{"e": e}, "EMAIL_INVALID")
		}
	}},
}

// guessed is a sign-in with a wrong password; aliases repeat it.
const guessed = `%[1]d: signIn(email: $e, password: "guess number %[1]d") { accessToken }`

// aliased sends a document with ten guesses, the maximum. Each of them counts: later sign-ins
// from that client have to wait, and the owner does not.
func aliased(t *testing.T, a *arena, document string) {
	t.Helper()
	p, thief := a.member(t, byBearer, "aliased"), a.nobody(t, byBearer)
	codes := map[any]int{}
	r := thief.run(strings.Replace(document, "mutation ", "mutation($e: String!) ", 1), vars{"e": p.email})
	for _, e := range r.Errors {
		codes[e.Extensions["code"]]++
	}
	if codes["INVALID_CREDENTIALS"] != 10 || len(codes) != 1 {
		t.Errorf("answered %v: %.300s", codes, r.Body)
	}
	thief.refused(signIn, vars{"e": p.email, "p": password}, "RATE_LIMITED")
	p.signIn(password)
}

// verifyByAny confirms with the first code that works: after concurrent sign-ups it is unknown
// which mail belongs to the newest one.
func (p *person) verifyByAny(t *testing.T) {
	t.Helper()
	p.code("verification", "")
	for _, m := range p.s.Mailbox(p.email) {
		if m.Kind == "verification" && p.s.nobody(t, byBearer).run(verify, vars{"e": p.email, "c": *m.Code}).Code() == "" {
			return
		}
	}
	t.Fatal("no code works")
}

func aliases(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format+"\n", i)
	}
	return b.String()
}

// same runs an operation for several addresses and requires equal answers.
func same(t *testing.T, a *arena, query string, v func(email string) vars, emails ...string) {
	t.Helper()
	var first string
	for i, e := range emails {
		r := a.nobody(t, byBearer).run(query, v(e))
		seen := fmt.Sprintf("%d %s %v", r.Status, r.Body, plain(r.Header))
		if i == 0 {
			first = seen
		}
		if seen != first {
			t.Errorf("%s gets %s\n%s gets %s", emails[0], first, e, seen)
		}
	}
}

// plain returns the headers without those that always differ.
func plain(h http.Header) http.Header {
	h = h.Clone()
	h.Del("Date")
	h.Del("X-Request-Id")
	return h
}
