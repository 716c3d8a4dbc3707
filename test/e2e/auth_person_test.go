package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
)

// password is the password of every account.
const password = "correct horse battery staple"

// The ways in which a client authenticates.
const (
	byBearer = "bearer"
	byCookie = "cookie"
)

// service is the program with only the auth service, and its mailbox.
type service struct{ *e2e.Server }

// behindProxy lets a test choose its client address.
const behindProxy = "TRUSTED_PROXIES=127.0.0.0/8,::1"

func startAuth(t *testing.T, env ...string) service {
	t.Helper()
	return service{e2e.StartWith(t, append([]string{behindProxy}, env...), "auth")}
}

// person is one client of the auth service. It stores the tokens itself in bearer mode, and in
// its cookie jar in cookie mode.
type person struct {
	t               testing.TB
	s               service
	http            *http.Client
	cookies         bool
	email, id       string
	session         string
	access, refresh string
	header          http.Header
}

var clients atomic.Uint32

// newClient returns a client with an address of its own, so that no test uses up the limits of
// another one.
func (s service) newClient(t testing.TB, mode string) *person {
	t.Helper()
	p := &person{t: t, s: s, http: &http.Client{}, cookies: mode == byCookie, header: http.Header{}}
	p.header.Set("User-Agent", firefox)
	n := clients.Add(1)
	p.header.Set("X-Forwarded-For", fmt.Sprintf("198.18.%d.%d", n>>8&255, n&255))
	if p.cookies {
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		p.http.Jar = jar
	}
	return p
}

const (
	firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	safari  = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1"
)

// as returns a second client of the same person, on another device.
func (p *person) as(mode string) *person {
	p.t.Helper()
	q := p.s.newClient(p.t, mode)
	q.email, q.id = p.email, p.id
	q.signIn(password)
	return q
}

var members atomic.Uint32

// address returns an unused email address.
func address(name string) string {
	return fmt.Sprintf("%s-%d@campus.edu", name, members.Add(1))
}

// member signs up, confirms and signs in.
func (s service) member(t testing.TB, mode, name string) *person {
	t.Helper()
	p := s.newClient(t, mode)
	p.email = address(name)
	p.signUp(password)
	p.must(verify, vars{"e": p.email, "c": p.code("verification", "")})
	p.signIn(password)
	return p
}

// promoted returns a member to whom the operator has given a role.
func (s service) promoted(t testing.TB, mode, role string) *person {
	t.Helper()
	p := s.member(t, mode, role)
	s.Promote(p.email, role)
	return p
}

type vars = map[string]any

// The operations of the contract.
const (
	signUp   = `mutation($e: String!, $p: String!, $l: Lang) { signUp(email: $e, password: $p, lang: $l) }`
	verify   = `mutation($e: String!, $c: String!) { verifyEmail(email: $e, code: $c) }`
	resend   = `mutation($e: String!, $l: Lang) { resendVerification(email: $e, lang: $l) }`
	signIn   = `mutation($e: String!, $p: String!, $r: Boolean) { signIn(email: $e, password: $p, remember: $r) ` + payload + ` }`
	refresh  = `mutation($t: String) { refreshSession(refreshToken: $t) ` + payload + ` }`
	signOut  = `mutation { signOut }`
	revoke   = `mutation($i: ID!) { revokeSession(id: $i) }`
	others   = `mutation { revokeOtherSessions }`
	forgot   = `mutation($e: String!, $l: Lang) { requestPasswordReset(email: $e, lang: $l) }`
	reset    = `mutation($e: String!, $c: String!, $p: String!) { resetPassword(email: $e, code: $c, newPassword: $p) }`
	change   = `mutation($c: String!, $n: String!) { changePassword(currentPassword: $c, newPassword: $n) }`
	invite   = `mutation($e: String!, $l: Lang) { inviteUser(email: $e, lang: $l) }`
	uninvite = `mutation($i: ID!) { revokeInvitation(id: $i) }`
	accept   = `mutation($t: String!, $p: String) { acceptInvitation(token: $t, password: $p) ` + payload + ` }`
	setRole  = `mutation($i: ID!, $r: Role!) { setRole(userId: $i, role: $r) { id role } }`
	setPass  = `mutation($i: ID!, $p: String!) { adminSetPassword(userId: $i, newPassword: $p) }`
	endAll   = `mutation($i: ID!) { adminEndSessions(userId: $i) }`
	remove   = `mutation($i: [ID!]!) { adminDeleteUsers(ids: $i) }`

	me      = `{ me { id email verified role createdAt sessions ` + device + ` } }`
	people  = `query($f: Int, $a: String, $s: String) { users(first: $f, after: $a, search: $s) { edges { cursor node { id email verified role createdAt sessions { id } } } pageInfo { hasNextPage endCursor } } }`
	person1 = `query($i: ID!) { user(id: $i) { id email role sessions { id current } } }`
	invited = `{ invitations { id email userId invitedBy createdAt expiresAt acceptedAt } }`
	token   = `query($t: String!) { tokenInfo(token: $t) { active userId sessionId role expiresAt } }`
	auditLn = `query($f: Int, $a: String, $u: ID) { auditLog(first: $f, after: $a, userId: $u) { edges { cursor node { id at actor action target ip detail } } pageInfo { hasNextPage endCursor } } }`

	device  = `{ id current createdAt lastSeenAt expiresAt ip userAgent browser os device }`
	payload = `{ accessToken expiresIn refreshToken session ` + device + ` user { id email verified role createdAt sessions { id current } } }`
)

// reply is the response to one operation.
type reply struct {
	Status int
	Header http.Header
	Body   []byte
	Data   vars
	Errors []struct {
		Message    string
		Path       []any
		Extensions vars
	}
}

// Code is the code of the first error, or "".
func (r reply) Code() string {
	if len(r.Errors) == 0 {
		return ""
	}
	code, _ := r.Errors[0].Extensions["code"].(string)
	return code
}

// at returns a value in the data, as in at("signIn", "user", "id").
func (r reply) at(path ...any) any {
	var v any = r.Data
	for _, step := range path {
		switch key := step.(type) {
		case string:
			m, _ := v.(vars)
			v = m[key]
		case int:
			l, _ := v.([]any)
			if key >= len(l) {
				return nil
			}
			v = l[key]
		}
	}
	return v
}

func (r reply) text(path ...any) string {
	s, _ := r.at(path...).(string)
	return s
}

// run sends an operation and stores the tokens of the response.
func (p *person) run(query string, v vars) reply {
	p.t.Helper()
	body, err := json.Marshal(vars{"query": query, "variables": v})
	if err != nil {
		p.t.Fatal(err)
	}
	r := p.send("/graphql", body, nil)
	for _, field := range []string{"signIn", "refreshSession", "acceptInvitation", "completeSignIn", "signInWithCode", "finishPasskeySignIn"} {
		if access := r.text(field, "accessToken"); access != "" {
			p.access, p.refresh = access, r.text(field, "refreshToken")
			p.id, p.session = r.text(field, "user", "id"), r.text(field, "session", "id")
		}
	}
	return r
}

// send posts a body; edit may change the request.
func (p *person) send(path string, body []byte, edit func(*http.Request)) reply {
	p.t.Helper()
	req, err := http.NewRequest(http.MethodPost, p.s.URL+path, bytes.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header = p.header.Clone()
	req.Header.Set("Content-Type", "application/json")
	if !p.cookies && p.access != "" {
		req.Header.Set("Authorization", "Bearer "+p.access)
	}
	if edit != nil {
		edit(req)
	}
	resp, err := p.http.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	r := reply{Status: resp.StatusCode, Header: resp.Header}
	if r.Body, err = io.ReadAll(resp.Body); err != nil {
		p.t.Fatal(err)
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") {
		if err := json.Unmarshal(r.Body, &r); err != nil {
			p.t.Fatalf("answered no JSON: %v: %s", err, r.Body)
		}
	}
	return r
}

// must runs an operation that has to succeed.
func (p *person) must(query string, v vars) reply {
	p.t.Helper()
	r := p.run(query, v)
	if r.Status != http.StatusOK || len(r.Errors) > 0 {
		p.t.Fatalf("%.60s %v: %d %s", query, v, r.Status, r.Body)
	}
	if r.Header.Get("Cache-Control") != "no-store" {
		p.t.Errorf("%.60s: may be cached", query)
	}
	return r
}

// yields runs an operation that has to succeed with a value, as in "signIn.user.id".
func (p *person) yields(want any, path, query string, v vars) reply {
	p.t.Helper()
	r := p.must(query, v)
	var steps []any
	for step := range strings.SplitSeq(path, ".") {
		if i, err := strconv.Atoi(step); err == nil {
			steps = append(steps, i)
		} else {
			steps = append(steps, step)
		}
	}
	if got := r.at(steps...); got != want {
		p.t.Errorf("%.60s %.200v: %s is %v, want %v: %s", query, fmt.Sprint(v), path, got, want, r.Body)
	}
	return r
}

// refused runs an operation that has to fail with one of the codes.
func (p *person) refused(query string, v vars, codes ...string) reply {
	p.t.Helper()
	r := p.run(query, v)
	if !slices.Contains(codes, r.Code()) {
		p.t.Errorf("%.60s %.200v: %q, want %q: %d %.400s", query, fmt.Sprint(v), r.Code(), codes, r.Status, r.Body)
	}
	return r
}

func (p *person) signUp(password string) {
	p.t.Helper()
	p.must(signUp, vars{"e": p.email, "p": password})
}

func (p *person) signIn(password string) {
	p.t.Helper()
	p.must(signIn, vars{"e": p.email, "p": password})
}

// refreshes rotates the refresh token.
func (p *person) refreshes() reply {
	p.t.Helper()
	if p.cookies {
		return p.run(refresh, nil)
	}
	return p.run(refresh, vars{"t": p.refresh})
}

// assertSignedOut asserts that every way of this client to authenticate fails.
func (p *person) assertSignedOut(why string) {
	p.t.Helper()
	if r := p.run(me, nil); r.Code() != "UNAUTHENTICATED" {
		p.t.Errorf("%s: still signed in: %s", why, r.Body)
	}
}

// assertSignedIn asserts that the person is signed in.
func (p *person) assertSignedIn(why string) {
	p.t.Helper()
	if r := p.run(me, nil); r.text("me", "email") != p.email {
		p.t.Errorf("%s: not signed in: %s", why, r.Body)
	}
}

// code waits for a mail with a code that is newer than the one with the id.
func (p *person) code(kind, after string) string {
	p.t.Helper()
	m := p.s.MailAfter(p.email, kind, after)
	if m.Code == nil || len(*m.Code) != 8 {
		p.t.Fatalf("the %s mail has no code: %+v", kind, m)
	}
	return *m.Code
}

// invitation returns the token of the newest invitation to an address.
func (s service) invitation(t testing.TB, to, after string) string {
	t.Helper()
	m := s.MailAfter(to, "invitation", after)
	if m.Link == nil {
		t.Fatalf("the invitation has no link: %+v", m)
	}
	u, err := url.Parse(*m.Link)
	if err != nil || !strings.HasPrefix(*m.Link, s.URL+"/invitation?token=") {
		t.Fatalf("the link of the invitation is %q", *m.Link)
	}
	return u.Query().Get("token")
}
