package e2e_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/octavo-books/octavo/test/poll"
)

// attackFixture is a running auth service with accounts, and its private key: some tokens must be
// refused even if the service's own key signed them.
type attackFixture struct {
	service
	key                     *ecdsa.PrivateKey
	admin, victim, attacker *person // the victim's session must survive all attacks
}

const origin = "https://app.test"

// The name of an attack says what it tries. Each must fail, and the victim must stay signed in. They show that
// the program has the defences that the tests of adapters and of the use cases look at one by one.
func TestAttacks(t *testing.T) {
	t.Parallel()
	a := newAttackFixture(t)
	for name, attack := range map[string]func(*testing.T, *attackFixture){
		"a request from another site with the victim's cookies": requestsOfOtherSites,
		"forged access tokens":                                    forgedTokens,
		"tokens in other places than theirs":                      misplacedTokens,
		"finding out who has an account":                          enumeration,
		"planting a session before a sign-in":                     fixation,
		"injecting a host into the link of a mail":                foreignHosts,
		"headers of 1 MB":                                         hugeHeaders,
		"reading passwords and tokens in the log or in an answer": secretsInTheLog,
	} {
		t.Run(name, func(t *testing.T) {
			a.victim.t, a.attacker.t, a.admin.t = t, t, t
			attack(t, a)
			a.victim.assertSignedIn("the victim of " + name)
		})
	}
}

func newAttackFixture(t *testing.T) *attackFixture {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a := &attackFixture{key: key, service: startAuth(t, append(keyPair(t, key), "ALLOWED_ORIGINS="+origin)...)}
	a.admin, a.victim, a.attacker = a.promoted(t, byBearer, "admin"), a.member(t, byBearer, "victim"), a.member(t, byBearer, "attacker")
	return a
}

// keyPair is a key in the form of the settings.
func keyPair(t *testing.T, key *ecdsa.PrivateKey) []string {
	t.Helper()
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	line := func(kind string, der []byte) string {
		return strings.ReplaceAll(string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})), "\n", `\n`)
	}
	return []string{"PRIVATE_KEY=" + line("PRIVATE KEY", private), "PUBLIC_KEY=" + line("PUBLIC KEY", public)}
}

func body(t testing.TB, query string, v vars) []byte {
	t.Helper()
	b, err := json.Marshal(vars{"query": query, "variables": v})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func requestsOfOtherSites(t *testing.T, a *attackFixture) {
	for from, want := range map[string]int{"https://evil.test": 403, "null": 403, origin + ".evil.test": 403, origin: 200} {
		p := a.newClient(t, byCookie)
		p.email = a.victim.email
		p.signIn(password)
		page := func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Origin", from)
		}
		for _, path := range []string{"/graphql", "/"} {
			r := p.send(path, body(t, me, nil), page)
			if r.Status != want || want == 403 && r.Code() != "FORBIDDEN" {
				t.Errorf("POST %s from %s: %d %s, want %d", path, from, r.Status, r.Body, want)
			}
			if allowed := r.Header.Get("Access-Control-Allow-Origin") == from; allowed != (want == 200) {
				t.Errorf("POST %s from %s: %v", path, from, r.Header)
			}
		}
	}
}

// forgedTokens tries tokens that a library other than the program's has made.
func forgedTokens(t *testing.T, a *attackFixture) {
	stranger, err := ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	same := func(jwt.MapClaims) {}
	for name, c := range map[string]struct {
		method   jwt.SigningMethod
		key      any
		change   func(jwt.MapClaims)
		accepted bool
	}{
		"the victim's own":                       {jwt.SigningMethodES512, a.key, same, true}, // otherwise the refusals would prove nothing
		"without a signature":                    {jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, same, false},
		"signed with another key":                {jwt.SigningMethodES512, stranger, same, false},
		"signed with the public key as a secret": {jwt.SigningMethodHS512, []byte(keyPair(t, a.key)[1]), same, false},
		"expired":                                {jwt.SigningMethodES512, a.key, func(m jwt.MapClaims) { m["exp"] = time.Now().Add(-time.Minute).Unix() }, false},
		"of another user's session":              {jwt.SigningMethodES512, a.key, func(m jwt.MapClaims) { m["sid"] = a.attacker.session }, false},
	} {
		if a.accepts(t, a.forged(t, a.victim, c.method, c.key, c.change)) != c.accepted {
			t.Errorf("%s: accepted is %v, want %v", name, !c.accepted, c.accepted)
		}
	}
	p := a.newClient(t, byBearer)
	p.access = a.forged(t, a.attacker, jwt.SigningMethodES512, a.key, func(m jwt.MapClaims) { m["role"] = "OWNER" })
	p.refused(people, nil, "FORBIDDEN", "UNAUTHENTICATED")
}

// forged is the access token of a person with changes.
func (a *attackFixture) forged(t *testing.T, of *person, method jwt.SigningMethod, key any, change func(jwt.MapClaims)) string {
	t.Helper()
	claims := jwt.MapClaims{}
	real, _, err := jwt.NewParser().ParseUnverified(of.access, claims)
	if err != nil {
		t.Fatal(err)
	}
	change(claims)
	made := jwt.NewWithClaims(method, claims)
	made.Header = map[string]any{"alg": method.Alg(), "typ": real.Header["typ"], "kid": real.Header["kid"]}
	text, err := made.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// accepts tries a token in every place that takes one.
func (a *attackFixture) accepts(t *testing.T, candidate string) bool {
	t.Helper()
	p := a.newClient(t, byBearer)
	accepted := p.must(token, vars{"t": candidate}).at("tokenInfo", "active") == true
	for name, value := range map[string]string{"Authorization": "Bearer " + candidate, "Cookie": "octavo_access=" + candidate} {
		r := p.send("/graphql", body(t, me, nil), func(r *http.Request) { r.Header.Set(name, value) })
		if (r.Code() == "") != accepted {
			t.Errorf("tokenInfo says %v, and %s is answered with %s", accepted, name, r.Body)
		}
	}
	return accepted
}

func misplacedTokens(t *testing.T, a *attackFixture) {
	p := a.newClient(t, byBearer)
	if r := p.send("/graphql?access_token="+a.victim.access, body(t, me, nil), nil); r.Code() != "UNAUTHENTICATED" {
		t.Errorf("in the query string: %s", r.Body)
	}
	p.refused(refresh, vars{"t": a.victim.access}, "SESSION_INVALID")
	p.access = a.victim.refresh
	p.assertSignedOut("with a refresh token in place of the access token")
}

func enumeration(t *testing.T, a *attackFixture) {
	waiting := a.newClient(t, byBearer)
	waiting.email = address("unverified")
	waiting.signUp(password)
	for name, c := range map[string]struct {
		query  string
		inputs vars
	}{
		"a sign-in":                   {signIn, vars{"p": "wrong password"}},
		"a sign-up":                   {signUp, vars{"p": password}},
		"a verification":              {verify, vars{"c": "00000000"}},
		"a code that is sent again":   {resend, vars{}},
		"a request for a reset":       {forgot, vars{}},
		"a reset":                     {reset, vars{"c": "00000000", "p": "a brand new password"}},
		"a request for a code":        {askCode, vars{}},
		"a sign-in with a wrong code": {byCode, vars{"c": "00000000"}},
	} {
		var first string
		for i, email := range []string{a.attacker.email, waiting.email, address("stranger")} {
			c.inputs["e"] = email
			r := a.newClient(t, byBearer).run(c.query, c.inputs)
			r.Header.Del("Date")
			r.Header.Del("X-Request-Id")
			if seen := fmt.Sprintf("%d %s %v", r.Status, r.Body, r.Header); i == 0 {
				first = seen
			} else if seen != first {
				t.Errorf("%s tells accounts apart:\n%s\n%s for %s", name, first, seen, email)
			}
		}
	}
}

func fixation(t *testing.T, a *attackFixture) {
	q := a.member(t, byBearer, "fixated")
	planted := "octavo_access=" + a.attacker.access + "; octavo_refresh=" + a.attacker.refresh
	r := a.newClient(t, byCookie).send("/graphql", body(t, signIn, vars{"e": q.email, "p": password}), func(r *http.Request) { r.Header.Set("Cookie", planted) })
	if got := r.text("signIn", "session", "id"); got == "" || got == a.attacker.session || len(r.Header.Values("Set-Cookie")) != 2 {
		t.Errorf("the session is %q with the cookies %q: %s", got, r.Header.Values("Set-Cookie"), r.Body)
	}
	if all, _ := a.attacker.must(me, nil).at("me", "sessions").([]any); len(all) != 1 {
		t.Errorf("the attacker has %d sessions, want 1", len(all))
	}
}

func foreignHosts(t *testing.T, a *attackFixture) {
	for i, edit := range []func(*http.Request){
		func(r *http.Request) { r.Host = "evil.test" },
		func(r *http.Request) { r.Header.Set("X-Forwarded-Host", "evil.test") },
		func(r *http.Request) { r.Header.Set("Forwarded", "host=evil.test") },
		func(r *http.Request) { r.Header.Set("X-Forwarded-Proto", "javascript") },
	} {
		guest := address(fmt.Sprintf("poisoned-%d", i))
		if r := a.admin.send("/graphql", body(t, invite, vars{"e": guest}), edit); len(r.Errors) > 0 {
			t.Errorf("answered %s", r.Body)
		}
		a.invitation(t, guest, "") // fails unless the link leads to BASE_URL
		if m := a.Mail(guest, "invitation"); strings.Contains(m.Text+m.HTML, "evil.test") {
			t.Errorf("the mail contains the injected host: %s", m.Text)
		}
	}
}

func hugeHeaders(t *testing.T, a *attackFixture) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(a.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(poll.Limit))
	go func() {
		_, _ = io.WriteString(conn, "POST /graphql HTTP/1.1\r\nHost: x\r\nX-Big: "+strings.Repeat("a", 1<<20)+"\r\nConnection: close\r\n\r\n")
	}()
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("answered %d", res.StatusCode)
	}
}

func secretsInTheLog(t *testing.T, a *attackFixture) {
	for _, b := range []string{`{"query":"{me{id}}","variables":{"password":"s3cret-pass"`, `s3cret-pass`, `{"query":"mutation{signIn(email:\"a\" \"s3cret-pass\")}"}`} {
		r := a.newClient(t, byBearer).send("/graphql", []byte(b), nil)
		if r.Code() != "BAD_REQUEST" || strings.Contains(string(r.Body), "s3cret") {
			t.Errorf("answered %s", r.Body)
		}
	}
	p := a.member(t, byBearer, "logged")
	p.refused(signIn, vars{"e": p.email, "p": "s3cret-guess"}, "INVALID_CREDENTIALS")
	for _, secret := range []string{"s3cret", password, p.access, p.refresh, strings.Split(p.access, ".")[2]} {
		if strings.Contains(a.Log(), secret) {
			t.Errorf("%.12s… is in the log", secret)
		}
	}
}
