package e2e_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"
)

// In production the schema is a file alone, nobody can read the mailbox, and other hosts do not
// get the cookies.
func TestAuthInProduction(t *testing.T) {
	t.Parallel()
	s := startAuth(t, append(freshPair(t),
		"OCTAVO_ENV=production", "BASE_URL=https://octavo.test", "SMTP_URL=smtp://127.0.0.1:1", "MAIL_FROM=Octavo <octavo@octavo.test>",
	)...)
	p := s.newClient(t, byBearer)
	for _, q := range []string{`{ __schema { types { name } } }`, `{ __type(name: "User") { name } }`, `{ mee { id } }`, `{ users(frist: 1) { pageInfo { hasNextPage } } }`} {
		r := p.refused(q, nil, "BAD_REQUEST")
		if strings.Contains(string(r.Body), "Did you mean") {
			t.Errorf("%s: %s", q, r.Body)
		}
	}
	for path, want := range map[string]int{"/graphql": 405, "/graphql/schema.graphqls": 200, "/graphql/explorer/start.js": 404, "/dev/mail": 404, "/dev/mail.json": 404, "/docs": 404, "/docs/market": 404} {
		if got := get(t, s.URL+path).StatusCode; got != want {
			t.Errorf("GET %s: %d, want %d", path, got, want)
		}
	}
	r := p.must(signOut, nil)
	for _, c := range (&http.Response{Header: r.Header}).Cookies() {
		if !strings.HasPrefix(c.Name, "__Host-octavo_") || !c.Secure || c.Path != "/" || c.Domain != "" || !c.HttpOnly {
			t.Errorf("cookie %s", c)
		}
	}
	if r.Header.Get("Strict-Transport-Security") == "" || r.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("headers %v", r.Header)
	}
}

func TestAuthHasMetricsAndHealthChecks(t *testing.T) {
	t.Parallel()
	skipOverReplicas(t)
	s := startAuth(t, "METRICS_TOKEN=s3cret-metrics")
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/metrics": 401, "/.well-known/jwks.json": 200} {
		if got := get(t, s.URL+path).StatusCode; got != want {
			t.Errorf("GET %s: %d, want %d", path, got, want)
		}
	}
	var ready struct {
		Status string
		Checks map[string]string
	}
	decode(t, get(t, s.URL+"/readyz"), &ready)
	if ready.Status != "up" || ready.Checks["database"] != "up" {
		t.Errorf("ready: %+v", ready)
	}
	p := s.member(t, byBearer, "watched")
	issued, _, err := jwt.NewParser().ParseUnverified(p.access, jwt.MapClaims{})
	if err != nil {
		t.Fatal(err)
	}
	var jwks struct{ Keys []map[string]string }
	decode(t, get(t, s.URL+"/.well-known/jwks.json"), &jwks)
	if len(jwks.Keys) == 0 || jwks.Keys[0]["alg"] != "ES512" || jwks.Keys[0]["crv"] != "P-521" || jwks.Keys[0]["d"] != "" || jwks.Keys[0]["kid"] != issued.Header["kid"] {
		t.Errorf("keys: %+v", jwks)
	}
	_, text := exchange(t, "GET", s.URL+"/metrics", "", "Authorization", "Bearer s3cret-metrics")
	for _, want := range []string{
		`octavo_http_requests_total{method="POST",route="/graphql",status="200"}`,
		`octavo_graphql_operations_total{code="OK",operation="signIn"} 1`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
	if html := get(t, s.URL+"/graphql"); html.StatusCode != 200 || !strings.HasPrefix(html.Header.Get("Content-Type"), "text/html") {
		t.Errorf("GET /graphql: %d %s", html.StatusCode, html.Header.Get("Content-Type"))
	}
}

// get sends a GET request. The body is closed when the test ends.
func get(t *testing.T, url string) *http.Response {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

func decode(t *testing.T, res *http.Response, into any) {
	t.Helper()
	if err := json.NewDecoder(res.Body).Decode(into); err != nil {
		t.Fatal(err)
	}
}

func TestSessionsSurviveARestart(t *testing.T) {
	t.Parallel()
	s := startAuth(t)
	p := s.member(t, byBearer, "survivor")
	if code := s.Stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	s.Restart()
	p.assertSignedIn("after a restart")
	if r := p.refreshes(); r.Code() != "" {
		t.Errorf("refreshing after a restart: %s", r.Body)
	}
	s.Kill()
	s.Restart()
	p.assertSignedIn("after a crash")
	p.must(signOut, nil)
	s.Kill()
	s.Restart()
	p.assertSignedOut("in a session that ended before the crash")
}

// The steps are those of docs/operations/keys.md, with the optional first one.
func TestChangingTheSigningKeySignsNobodyOut(t *testing.T) {
	t.Parallel()
	older, newer := freshPair(t), freshPair(t)
	s := startAuth(t, older...)
	p := s.member(t, byBearer, "patient")
	previous := func(pair []string) string {
		_, public, _ := strings.Cut(pair[1], "=")
		return "PREVIOUS_PUBLIC_KEYS=" + public
	}

	s.Roll(previous(newer))
	p.assertSignedIn("while the new key is only published")
	s.Roll(append(newer, previous(older))...)
	p.assertSignedIn("with a token of the old key")
	old := *p
	if r := p.refreshes(); r.Code() != "" {
		t.Errorf("refreshing under the new key: %s", r.Body)
	}
	p.assertSignedIn("with a token of the new key")
	s.Roll("PREVIOUS_PUBLIC_KEYS=")
	p.assertSignedIn("after the removal of the old key")
	old.assertSignedOut("with a token of a removed key")
}

func freshPair(t *testing.T) []string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return keyPair(t, key)
}

// Without registration nobody can sign up, but invited people can join.
func TestAuthWithoutRegistration(t *testing.T) {
	t.Parallel()
	s := startAuth(t, "ALLOW_REGISTRATION=false")
	s.newClient(t, byBearer).refused(signUp, vars{"e": address("late"), "p": password}, "REGISTRATION_DISABLED")
}
