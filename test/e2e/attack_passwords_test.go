package e2e_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
)

var passwordAttacks = []attack{
	{"guesses of a password", func(t *testing.T, a *attackFixture) {
		p, attacker := a.member(t, byBearer, "guessed"), a.newClient(t, byBearer)
		for i := range 10 {
			attacker.refused(signIn, vars{"e": p.email, "p": fmt.Sprintf("guess number %d", i)}, "INVALID_CREDENTIALS")
		}
		r := attacker.refused(signIn, vars{"e": p.email, "p": password}, "RATE_LIMITED")
		if len(r.Errors) == 0 || r.Errors[0].Extensions["retryAfter"] == nil {
			t.Errorf("no retryAfter: %s", r.Body)
		}
		p.signIn(password) // from another client: guesses by others do not lock the owner out
	}},
	{"guesses of the password of an unknown address are limited, too", func(t *testing.T, a *attackFixture) {
		attacker, nobody := a.newClient(t, byBearer), address("nobody")
		for i := range 10 {
			attacker.refused(signIn, vars{"e": nobody, "p": fmt.Sprintf("guess number %d", i)}, "INVALID_CREDENTIALS")
		}
		attacker.refused(signIn, vars{"e": nobody, "p": password}, "RATE_LIMITED")
	}},
	{"100 parallel guesses of a password", func(t *testing.T, a *attackFixture) {
		p, attacker := a.member(t, byBearer, "guessed"), a.newClient(t, byBearer)
		codes := make([]string, 100)
		together(len(codes), func(i int) {
			codes[i] = attacker.run(signIn, vars{"e": p.email, "p": fmt.Sprintf("guess number %d", i)}).Code()
		})
		compared := 0
		for _, c := range codes {
			switch c {
			case "INVALID_CREDENTIALS":
				compared++
			case "RATE_LIMITED", "UNAVAILABLE":
			default:
				t.Errorf("answered %q", c)
			}
		}
		if compared > 10 {
			t.Errorf("%d of 100 guesses were compared", compared)
		}
	}},
	{"10 guesses by aliases in one request", func(t *testing.T, a *attackFixture) {
		guessByAliases(t, a, "mutation {"+aliases(10, "a"+guessed)+"}")
	}},
	{"10 guesses by aliases in fragments", func(t *testing.T, a *attackFixture) {
		guessByAliases(t, a, "mutation { ...A ... on Mutation {"+aliases(5, "b"+guessed)+"} } fragment A on Mutation {"+aliases(5, "a"+guessed)+"}")
	}},
	{"10 guesses by aliases with directives", func(t *testing.T, a *attackFixture) {
		guessByAliases(t, a, "mutation {"+aliases(5, "... @include(if: true) { a"+guessed+" }")+aliases(5, "... @skip(if: false) { b"+guessed+" }")+"}")
	}},
	{"11 guesses by aliases in one request", func(t *testing.T, a *attackFixture) {
		a.newClient(t, byBearer).refused("mutation {"+aliases(11, `a%d: signIn(email: "`+a.victim.email+`", password: "guess number %[1]d") { accessToken }`)+"}", nil, "QUERY_TOO_COMPLEX")
	}},
	{"100 guesses of a code by aliases in one request", func(t *testing.T, a *attackFixture) {
		p, code := a.signUpUnverified(t, "aliased")
		r := a.newClient(t, byBearer).run("mutation($e: String!) {"+aliases(99, `a%d: verifyEmail(email: $e, code: "1234%04[1]d")`)+` last: verifyEmail(email: $e, code: "`+code+`") }`, vars{"e": p.email})
		if r.at("last") == true {
			t.Errorf("the hundredth guess was accepted: %.300s", r.Body)
		}
	}},
	{"100 guesses in a batch", func(t *testing.T, a *attackFixture) {
		one := string(body(t, signIn, vars{"e": a.victim.email, "p": "guess"}))
		r := a.newClient(t, byBearer).send("/graphql", []byte("["+strings.Repeat(one+",", 99)+one+"]"), nil)
		if r.Status != 400 || r.Code() != "BAD_REQUEST" {
			t.Errorf("answered %d %s", r.Status, r.Body)
		}
	}},
	{"forging client addresses in X-Forwarded-For", func(t *testing.T, a *attackFixture) {
		p, attacker := a.member(t, byBearer, "spoofed"), a.newClient(t, byBearer)
		real := attacker.header.Get("X-Forwarded-For")
		for i := range 11 {
			attacker.header.Set("X-Forwarded-For", fmt.Sprintf("203.0.113.%d, %s", i, real))
			attacker.run(signIn, vars{"e": p.email, "p": "guess"})
		}
		attacker.refused(signIn, vars{"e": p.email, "p": password}, "RATE_LIMITED")
	}},
	{"guessing a password from 110 addresses", besiege},
	{"guesses of the current password with a stolen session", func(t *testing.T, a *attackFixture) {
		p := a.member(t, byBearer, "borrowed")
		for range 10 {
			p.refused(change, vars{"c": "guess", "n": "a brand new password"}, "INVALID_CREDENTIALS")
		}
		p.refused(change, vars{"c": password, "n": "a brand new password"}, "RATE_LIMITED")
	}},
	{"account enumeration by sign-in", func(t *testing.T, a *attackFixture) {
		unverified, _ := a.signUpUnverified(t, "unverified")
		passwordless := address("passwordless")
		a.admin.must(invite, vars{"e": passwordless})
		link, _ := a.invitation(t, passwordless, "")
		a.newClient(t, byBearer).must(accept, vars{"t": link})
		assertSameResponse(t, a, signIn, func(e string) vars { return vars{"e": e, "p": "wrong password"} },
			a.victim.email, unverified.email, passwordless, address("stranger"))
	}},
	{"account enumeration by sign-up", func(t *testing.T, a *attackFixture) {
		assertSameResponse(t, a, signUp, func(e string) vars { return vars{"e": e, "p": password} }, a.attacker.email, address("stranger"))
	}},
	{"account enumeration by password reset", func(t *testing.T, a *attackFixture) {
		assertSameResponse(t, a, forgot, func(e string) vars { return vars{"e": e} }, a.attacker.email, address("stranger"), "no address")
		assertSameResponse(t, a, reset, func(e string) vars { return vars{"e": e, "c": "00000000", "p": "a brand new password"} }, a.attacker.email, address("stranger"))
	}},
	{"account enumeration by resent code", func(t *testing.T, a *attackFixture) {
		unverified, _ := a.signUpUnverified(t, "unverified")
		assertSameResponse(t, a, resend, func(e string) vars { return vars{"e": e} }, a.attacker.email, unverified.email, address("stranger"))
		assertSameResponse(t, a, verify, func(e string) vars { return vars{"e": e, "c": "00000000"} }, a.attacker.email, unverified.email, address("stranger"))
	}},
	{"signing up somebody else's address with a known password", func(t *testing.T, a *attackFixture) {
		attacker := a.newClient(t, byBearer)
		attacker.email = address("planted")
		attacker.signUp("the attacker's password")
		first := attacker.newest("verification")
		if first == "" {
			first = a.Mail(attacker.email, "verification").ID
		}
		owner := a.newClient(t, byBearer)
		owner.email = attacker.email
		owner.signUp("the owner's password")
		owner.must(verify, vars{"e": owner.email, "c": owner.code("verification", first)})
		attacker.refused(signIn, vars{"e": attacker.email, "p": "the attacker's password"}, "INVALID_CREDENTIALS")
		owner.must(reset, vars{"e": owner.email, "c": owner.code("password_reset", ""), "p": password})
		owner.signIn(password)
	}},
	{"signing up an address with a known password before its invitation", func(t *testing.T, a *attackFixture) {
		attacker, code := a.signUpUnverified(t, "planted")
		a.admin.must(invite, vars{"e": attacker.email})
		link, _ := a.invitation(t, attacker.email, "")
		owner := a.newClient(t, byBearer)
		owner.email = attacker.email
		owner.must(accept, vars{"t": link})
		attacker.refused(verify, vars{"e": attacker.email, "c": code}, "CODE_INVALID")
		attacker.refused(signIn, vars{"e": attacker.email, "p": password}, "INVALID_CREDENTIALS")
		owner.assertSignedIn("after accepting the invitation")
	}},
	{"ten concurrent sign-ups with one address", func(t *testing.T, a *attackFixture) {
		p := a.newClient(t, byBearer)
		p.email = address("race")
		together(10, func(i int) {
			spelled := []string{p.email, strings.ToUpper(p.email), " " + p.email + "\t"}[i%3]
			if r := a.newClient(t, byBearer).run(signUp, vars{"e": spelled, "p": password}); r.at("signUp") != true {
				t.Errorf("answered %d %s", r.Status, r.Body)
			}
		})
		p.verifyByAny(t)
		p.signIn(password)
		if all, _ := a.admin.must(people, vars{"s": p.email}).at("users", "edges").([]any); len(all) != 1 {
			t.Errorf("%d accounts", len(all))
		}
	}},
	{"a password of 1 MB", func(t *testing.T, a *attackFixture) {
		long := strings.Repeat("a", 1_000_000)
		p := a.newClient(t, byBearer)
		p.refused(signUp, vars{"e": address("long"), "p": long}, "PASSWORD_INVALID")
		p.refused(signIn, vars{"e": a.victim.email, "p": long}, "INVALID_CREDENTIALS")
	}},
	{"a password that differs after 72 bytes", func(t *testing.T, a *attackFixture) {
		p := a.newClient(t, byBearer)
		p.email = address("long")
		stem := strings.Repeat("long password ", 6)
		p.signUp(stem + "A")
		p.must(verify, vars{"e": p.email, "c": p.code("verification", "")})
		p.refused(signIn, vars{"e": p.email, "p": stem + "B"}, "INVALID_CREDENTIALS")
		p.refused(signIn, vars{"e": p.email, "p": stem}, "INVALID_CREDENTIALS")
		p.signIn(stem + "A")
	}},
	{"a password that differs after a NUL", func(t *testing.T, a *attackFixture) {
		p := a.newClient(t, byBearer)
		p.refused(signUp, vars{"e": address("nul"), "p": "password\x00A and more"}, "PASSWORD_INVALID")
		p.refused(signIn, vars{"e": a.victim.email, "p": password + "\x00"}, "INVALID_CREDENTIALS")
	}},
	{"SQL and LIKE patterns in an address", func(t *testing.T, a *attackFixture) {
		p := a.newClient(t, byBearer)
		for _, e := range []string{"' OR 1=1 --", a.victim.email + "' --", "%@campus.edu", "victim_%@campus.edu", "*"} {
			p.refused(signIn, vars{"e": e, "p": password}, "INVALID_CREDENTIALS")
		}
		for _, s := range []string{"%", "_", "' OR ''='", `\`} {
			if r := a.admin.must(people, vars{"s": s}); r.at("users", "edges", 0) != nil {
				t.Errorf("a search for %q finds users: %.200s", s, r.Body)
			}
		}
	}},
	{"header injection in an address", func(t *testing.T, a *attackFixture) {
		p := a.newClient(t, byBearer)
		for _, e := range []string{"a@campus.edu\r\nBcc: evil@evil.test", "a@campus.edu,evil@evil.test", "\"a\\\r\n\"@campus.edu", "a@campus.edu\x00@evil.test", "<a@campus.edu>"} {
			p.refused(signUp, vars{"e": e, "p": password}, "EMAIL_INVALID")
			a.admin.refused(invite, vars{"e": e}, "EMAIL_INVALID")
		}
	}},
}

// guessed is a sign-in with a wrong password; aliases repeat it.
const guessed = `%[1]d: signIn(email: $e, password: "guess number %[1]d") { accessToken }`

// guessByAliases sends a document with ten guesses, the maximum. Each of them counts: later sign-ins
// from that client have to wait, and the owner does not.
func guessByAliases(t *testing.T, a *attackFixture, document string) {
	t.Helper()
	p, attacker := a.member(t, byBearer, "aliased"), a.newClient(t, byBearer)
	codes := map[any]int{}
	r := attacker.run(strings.Replace(document, "mutation ", "mutation($e: String!) ", 1), vars{"e": p.email})
	for _, e := range r.Errors {
		codes[e.Extensions["code"]]++
	}
	if codes["INVALID_CREDENTIALS"] != 10 || len(codes) != 1 {
		t.Errorf("answered %v: %.300s", codes, r.Body)
	}
	attacker.refused(signIn, vars{"e": p.email, "p": password}, "RATE_LIMITED")
	p.signIn(password)
}

// verifyByAny confirms with the first code that works: after concurrent sign-ups it is unknown
// which mail belongs to the newest one.
func (p *person) verifyByAny(t *testing.T) {
	t.Helper()
	p.code("verification", "")
	for _, m := range p.s.Mailbox(p.email) {
		if m.Kind == "verification" && p.s.newClient(t, byBearer).run(verify, vars{"e": p.email, "c": *m.Code}).Code() == "" {
			return
		}
	}
	t.Fatal("none of the mailed codes is valid")
}

func aliases(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format+"\n", i)
	}
	return b.String()
}

// assertSameResponse runs an operation for several addresses and requires equal answers.
func assertSameResponse(t *testing.T, a *attackFixture, query string, v func(email string) vars, emails ...string) {
	t.Helper()
	var first string
	for i, e := range emails {
		r := a.newClient(t, byBearer).run(query, v(e))
		seen := fmt.Sprintf("%d %s %v", r.Status, r.Body, comparableHeaders(r.Header))
		if i == 0 {
			first = seen
		}
		if seen != first {
			t.Errorf("%s gets %s\n%s gets %s", emails[0], first, e, seen)
		}
	}
}

// comparableHeaders returns the headers without those that always differ.
func comparableHeaders(h http.Header) http.Header {
	h = h.Clone()
	h.Del("Date")
	h.Del("X-Request-Id")
	return h
}

// besiege guesses at a member and at nobody, each time from another address. It then knows the
// password and learns nothing from it, while the member signs in where they did before, and
// elsewhere with a link from a mail.
func besiege(t *testing.T, a *attackFixture) {
	p, nobody := a.member(t, byBearer, "besieged"), address("nobody")
	for _, email := range []string{p.email, nobody} {
		codes := map[string]int{}
		for i := range 110 {
			codes[a.newClient(t, byBearer).run(signIn, vars{"e": email, "p": fmt.Sprintf("guess number %d", i)}).Code()]++
		}
		if codes["INVALID_CREDENTIALS"] != 100 || codes["RATE_LIMITED"] != 10 {
			t.Errorf("guesses at %s: %v", email, codes)
		}
		a.newClient(t, byBearer).refused(signIn, vars{"e": email, "p": password}, "RATE_LIMITED")
	}
	p.signIn(password)
	p.assertSignedIn("the besieged member")
	a.Mail(p.email, "sign_in_attack")
	first := a.Mail(p.email, "sign_in_approval")

	r := p.run(signIn, vars{"e": p.email, "p": "guess"}) // where the member is known
	if r.Code() != "RATE_LIMITED" || r.Errors[0].Extensions["retryAfter"] == nil {
		t.Errorf("a wrong password of a known client: %s", r.Body)
	}
	approveSignIn(t, a, p.email, first)
	if mails := a.Mailbox(nobody); len(mails) != 0 {
		t.Errorf("mails to an address without an account: %+v", mails)
	}
}

// approveSignIn opens the link of a mail, which changes nothing, and presses its button. Then
// the client that the mail is about may sign in, and no other.
func approveSignIn(t *testing.T, a *attackFixture, email string, mail e2e.Mail) {
	t.Helper()
	if mail.Link == nil || !strings.HasPrefix(*mail.Link, a.URL+"/approve?token=") {
		t.Fatalf("the link is %v", mail.Link)
	}
	link, err := url.Parse(*mail.Link)
	if err != nil {
		t.Fatal(err)
	}
	client := a.newClient(t, byBearer)
	address := regexp.MustCompile(`IP address: (\S+)`).FindStringSubmatch(mail.Text)
	if address == nil {
		t.Fatalf("the mail names no address: %s", mail.Text)
	}
	client.header.Set("X-Forwarded-For", address[1])
	visitor := newVisitor(t)
	if status, page := visitor.open(link.String()); status != http.StatusOK || !strings.Contains(page, address[1]) {
		t.Fatalf("the page: %d %s", status, page)
	}
	client.refused(signIn, vars{"e": email, "p": password}, "RATE_LIMITED")
	if status, page := visitor.send(a.URL+"/approve", url.Values{"token": {link.Query().Get("token")}}); status != http.StatusOK {
		t.Fatalf("the button: %d %s", status, page)
	}
	client.must(signIn, vars{"e": email, "p": password})
	a.newClient(t, byBearer).refused(signIn, vars{"e": email, "p": password}, "RATE_LIMITED")
}
