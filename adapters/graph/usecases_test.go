package graph_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/graph"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/stores"
)

// core is the use cases over SQLite behind the handler.
type core struct {
	*authkit.Fixture
	t       *testing.T
	handler http.Handler
	store   *failing
	mu      sync.Mutex
	seen    []string // operations and their codes
}

// failing is the store of the accounts with a switch that makes it fail.
type failing struct {
	*authstore.Identity
	with error
}

func (f *failing) FindUser(ctx context.Context, id user.ID) (user.User, error) {
	if f.with != nil {
		return user.User{}, f.with
	}
	return f.Identity.FindUser(ctx, id)
}

func newCore(t *testing.T, change func(*authrooms.Ports, *auth.Config)) *core {
	t.Helper()
	all := stores.SQLite(t).Auth(t)
	f := &failing{Identity: all.Identity.(*authstore.Identity)}
	all.Identity = f
	kit := authkit.New(t, all, change)
	c := &core{Fixture: kit, t: t, store: f}
	c.handler = newHandler(t, kit.Auth, kit.Authenticator, graph.Config{Observe: func(_ context.Context, operation, code string) {
		c.mu.Lock() // the fields of a query are resolved concurrently
		defer c.mu.Unlock()
		c.seen = append(c.seen, operation+" "+code)
	}})
	return c
}

// ask sends an operation. headers alternate names and values.
func (c *core) ask(q string, variables map[string]any, headers ...string) answer {
	c.t.Helper()
	r := post(asJSON(c.t, map[string]any{"query": q, "variables": variables}))
	r.Header.Set("User-Agent", authkit.Firefox.UserAgent)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return serve(c.t, c.handler, r)
}

func (a answer) cookies() map[string]*http.Cookie {
	out := map[string]*http.Cookie{}
	for _, c := range (&http.Response{Header: a.Header}).Cookies() {
		out[c.Name] = c
	}
	return out
}

const (
	signIn = `mutation($p: String!) { signIn(email: "ada@campus.edu", password: $p) { accessToken refreshToken user { sessions { id current } } } }`
	me     = `{ me { email sessions { current } } }`
)

func credentials() map[string]any { return map[string]any{"p": authkit.Password} }

func TestASignInSetsCookiesThatRefreshAndSignOut(t *testing.T) {
	c := newCore(t, nil)
	c.CreateUser(t, "ada@campus.edu")
	in := c.ask(signIn, credentials())
	access, refresh := in.cookies()["octavo_access"], in.cookies()["octavo_refresh"]
	if access == nil || refresh == nil || access.MaxAge != 1200 || refresh.MaxAge != 86400 {
		t.Fatalf("cookies %v: %s", in.Header.Values("Set-Cookie"), in)
	}
	if !strings.Contains(in.Text, `"sessions":[{"id":"`) || !strings.Contains(in.Text, `"current":true`) {
		t.Errorf("the sessions after signing in: %s", in)
	}
	if a := c.ask(me, nil, "Cookie", "octavo_access="+access.Value); !strings.Contains(a.Text, "ada@campus.edu") {
		t.Errorf("me: %s", a)
	}
	again := c.ask(`mutation { refreshSession { refreshToken } }`, nil, "Cookie", "octavo_refresh="+refresh.Value)
	if next := again.cookies()["octavo_refresh"]; next == nil || next.Value == refresh.Value {
		t.Errorf("refresh: %v %s", again.Header, again)
	}
	out := c.ask(`mutation { signOut }`, nil, "Cookie", "octavo_access="+access.Value)
	if len(out.cookies()) != 2 || out.cookies()["octavo_access"].MaxAge >= 0 {
		t.Errorf("sign out: %v %s", out.Header, out)
	}
	if a := c.ask(me, nil, "Cookie", "octavo_access="+access.Value); a.code() != "UNAUTHENTICATED" {
		t.Errorf("me after signing out: %s", a)
	}
}

func TestSigningOutWithAnExpiredAccessTokenEndsTheSessionByTheRefreshCookie(t *testing.T) {
	c := newCore(t, nil)
	c.CreateUser(t, "ada@campus.edu")
	in := c.ask(signIn, credentials()).cookies()
	c.Clock.Advance(time.Hour)
	jar := "octavo_access=" + in["octavo_access"].Value + "; octavo_refresh=" + in["octavo_refresh"].Value
	if a := c.ask(me, nil, "Cookie", jar); a.code() != "UNAUTHENTICATED" {
		t.Fatalf("the token has not expired: %s", a)
	}
	if a := c.ask(`mutation { signOut }`, nil, "Cookie", jar); a.Data["signOut"] != true {
		t.Errorf("sign out: %s", a)
	}
	a := c.ask(`mutation($t: String) { refreshSession(refreshToken: $t) { accessToken } }`, map[string]any{"t": in["octavo_refresh"].Value})
	if a.code() != "SESSION_INVALID" {
		t.Errorf("the session is still active: %s", a)
	}
}

func TestACookieDoesNotRescueABadHeader(t *testing.T) {
	c := newCore(t, nil)
	c.CreateUser(t, "ada@campus.edu")
	in := c.ask(signIn, credentials()).cookies()
	jar := "octavo_access=" + in["octavo_access"].Value + "; octavo_refresh=" + in["octavo_refresh"].Value
	if a := c.ask(me, nil, "Cookie", jar, "Authorization", "Bearer x"); a.code() != "UNAUTHENTICATED" {
		t.Errorf("me: %s", a)
	}
	if a := c.ask(`mutation { refreshSession { accessToken } }`, nil, "Cookie", jar, "Authorization", "Bearer x"); a.code() != "SESSION_INVALID" {
		t.Errorf("refresh: %s", a)
	}
	if a := c.ask(`mutation { signOut }`, nil, "Cookie", jar, "Authorization", "Bearer x"); a.Data["signOut"] != true {
		t.Errorf("sign out: %s", a)
	}
	if a := c.ask(me, nil, "Cookie", jar); len(a.Errors) > 0 {
		t.Errorf("the session was ended by a bad header: %s", a)
	}
}

func TestTheCookiesHoldTheLastTokenPairOfARequest(t *testing.T) {
	c := newCore(t, nil)
	c.CreateUser(t, "ada@campus.edu")
	a := c.ask(`mutation($p: String!) {
		a: signIn(email: "ada@campus.edu", password: $p) { refreshToken }
		b: signIn(email: "ada@campus.edu", password: $p) { refreshToken } }`, credentials())
	b, _ := a.Data["b"].(map[string]any)
	if len(a.Header.Values("Set-Cookie")) != 2 || a.cookies()["octavo_refresh"].Value != b["refreshToken"] {
		t.Errorf("cookies %v: %s", a.Header.Values("Set-Cookie"), a)
	}
}

func TestErrorsOfUseCasesHaveCodesAndNoCauses(t *testing.T) {
	for name, cause := range map[string]struct {
		err    error
		status int
		code   string
	}{
		"a bug":                {errors.New("dial tcp 10.0.0.1:5432"), 200, "INTERNAL"},
		"a deadline":           {context.DeadlineExceeded, 503, "UNAVAILABLE"},
		"a store that is down": {fault.New(fault.Unavailable, "store_down", "The store is down.").After(7 * time.Second), 503, "UNAVAILABLE"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCore(t, nil)
			c.CreateUser(t, "ada@campus.edu")
			g := c.SignIn(t, "ada@campus.edu")
			c.store.with = cause.err
			a := c.ask(me, nil, "Authorization", "Bearer "+g.AccessToken)
			if a.Status != cause.status || a.code() != cause.code || strings.Contains(a.Text, "tcp") {
				t.Errorf("answered %d %s", a.Status, a)
			}
			if (a.Header.Get("Retry-After") != "") != (cause.status == 503) {
				t.Errorf("Retry-After %q", a.Header.Get("Retry-After"))
			}
		})
	}
}

func TestAFullHashingQueueIsA503WithRetryAfter(t *testing.T) {
	c := newCore(t, nil)
	c.CreateUser(t, "ada@campus.edu")
	c.Hasher.Refusal = fault.New(fault.Unavailable, "busy", "Too many sign-ins at once.").After(2 * time.Second)
	a := c.ask(signIn, credentials())
	if a.Status != 503 || a.code() != "UNAVAILABLE" || a.Errors[0].Extensions["retryAfter"] != 2.0 || a.Header.Get("Retry-After") != "2" {
		t.Errorf("answered %d %v %s", a.Status, a.Header, a)
	}
}

func TestALimitedRequestSaysWhenToRetry(t *testing.T) {
	c := newCore(t, func(_ *authrooms.Ports, cfg *auth.Config) {
		cfg.Rules.SignIns = limit.Rule{Burst: 1, Period: time.Minute}
	})
	c.CreateUser(t, "ada@campus.edu")
	c.ask(signIn, credentials())
	a := c.ask(signIn, credentials())
	if a.Status != 200 || a.code() != "RATE_LIMITED" || a.Errors[0].Extensions["retryAfter"] != 60.0 {
		t.Errorf("answered %d %s", a.Status, a)
	}
}

func TestAFailedPartOfAQueryDoesNotFailTheRest(t *testing.T) {
	c := newCore(t, nil)
	admin := c.CreateCaller(t, "admin@campus.edu", user.Admin)
	g := c.SignIn(t, "admin@campus.edu")
	a := c.ask(`query($i: ID!) { none: user(id: "7777777") { id } one: user(id: $i) { role sessions { current } } }`,
		map[string]any{"i": admin.ID.String()}, "Authorization", "Bearer "+g.AccessToken)
	if a.Data["none"] != nil || a.Data["one"] == nil || len(a.Errors) != 0 {
		t.Errorf("answered %s", a)
	}
}

func TestPermissionsAreCheckedBeforeArguments(t *testing.T) {
	c := newCore(t, nil)
	c.CreateUser(t, "ada@campus.edu")
	g := c.SignIn(t, "ada@campus.edu")
	for _, q := range []string{
		`{ user(id: "x") { id } }`, `{ users(first: 0) { pageInfo { hasNextPage } } }`, `{ auditLog(first: 1000, userId: "x") { pageInfo { hasNextPage } } }`,
		`mutation { adminEndSessions(userId: "x") }`, `mutation { adminDeleteUsers(ids: ["x"]) }`, `mutation { setRole(userId: "x", role: OWNER) { id } }`,
		`mutation { adminSetPassword(userId: "x", newPassword: "") }`, `mutation { revokeInvitation(id: "x") }`, `mutation { inviteUser(email: "x") }`,
	} {
		if a := c.ask(q, nil); a.code() != "UNAUTHENTICATED" {
			t.Errorf("%s by nobody: %s", q, a)
		}
		if a := c.ask(q, nil, "Authorization", "Bearer "+g.AccessToken); a.code() != "FORBIDDEN" {
			t.Errorf("%s by a user: %s", q, a)
		}
	}
}

func TestADisconnectedClientGetsNoPartialData(t *testing.T) {
	c := newCore(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if a := serve(t, c.handler, post(query(t, me)).WithContext(ctx)); a.Status != 503 || a.code() != "UNAVAILABLE" || a.Header.Get("Retry-After") == "" {
		t.Errorf("answered %d %s", a.Status, a)
	}
}

func TestOperationsAreCountedWithTheirCodes(t *testing.T) {
	c := newCore(t, nil)
	c.CreateUser(t, "ada@campus.edu")
	c.ask(signIn, map[string]any{"p": "wrong"})
	c.ask(signIn, credentials())
	c.ask(`{ nobody: me { id } }`, nil)
	if got := strings.Join(c.seen, ", "); got != "signIn INVALID_CREDENTIALS, signIn OK, me UNAUTHENTICATED" {
		t.Errorf("counted %s, want signIn INVALID_CREDENTIALS, signIn OK, me UNAUTHENTICATED", got)
	}
}
