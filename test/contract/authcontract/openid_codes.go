package authcontract

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth/provider"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

func codeBound(t *testing.T, k *authkit.Fixture) {
	c, other, by := addClient(t, k, nil), addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	for name, spoil := range map[string]func(*provider.CodeExchange){
		"another client":       func(e *provider.CodeExchange) { e.Client = other },
		"another redirect URI": func(e *provider.CodeExchange) { e.RedirectURI += "/" },
		"no redirect URI":      func(e *provider.CodeExchange) { e.RedirectURI = "" },
		"another verifier":     func(e *provider.CodeExchange) { e.Verifier = strings.Repeat("a", 43) },
		"no verifier":          func(e *provider.CodeExchange) { e.Verifier = "" },
		"the challenge itself": func(e *provider.CodeExchange) { e.Verifier = pkce },
		"an invented code":     func(e *provider.CodeExchange) { e.Code = strings.Repeat("A", 43) },
	} {
		in := provider.CodeExchange{Client: c, Code: authorized(t, k, by, parameters(c)), RedirectURI: returnURI, Verifier: verifier, From: appServer}
		code := in.Code
		spoil(&in)
		must.Refuse(t, must.Err(k.Authorizations.Exchange(ctx, in)), openid.ErrInvalidGrant, name)
		if _, err := exchange(k, c, code); name != "an invented code" && !errors.Is(err, openid.ErrInvalidGrant) {
			t.Errorf("%s: the code is still valid: %v", name, err)
		}
	}
}

func codeReused(t *testing.T, k *authkit.Fixture) {
	c, thief, by := addClient(t, k, nil), addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	for _, again := range []openid.Client{c, thief} {
		code := authorized(t, k, by, parameters(c))
		tokens := must.Get(exchange(k, c, code))(t)
		k.Clock.Advance(30 * time.Minute)
		if _, err := exchange(k, again, code); !errors.Is(err, openid.ErrInvalidGrant) {
			t.Fatalf("a code works twice: %v, want %v", err, openid.ErrInvalidGrant)
		}
		if _, err := k.Authorizations.Refresh(ctx, provider.RefreshRequest{Client: c, Token: tokens.RefreshToken, Scope: "", From: appServer}); !errors.Is(err, openid.ErrInvalidGrant) {
			t.Fatalf("its session is still active: %v, want %v", err, openid.ErrInvalidGrant)
		}
	}
	if _, err := k.Users.Me(ctx, by); err != nil {
		t.Fatalf("the user is signed out: %v", err)
	}
}

func codeRace(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	code := authorized(t, k, by, parameters(c))
	got := make([]provider.ClientTokens, 8)
	must.Together(len(got), func(i int) {
		var err error
		if got[i], err = exchange(k, c, code); err != nil {
			t.Error(err)
		}
	})
	for _, one := range got {
		if one != got[0] || !isActive(k, one) {
			t.Errorf("%+v, want %+v", one, got[0])
		}
	}
	sessions, err := k.Sessions.List(ctx, by, by.ID)
	if err != nil || len(sessions) != 2 {
		t.Fatalf("sessions %+v, %v; want the browser's and the application's", sessions, err)
	}
}

func codeRepeated(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	code := authorized(t, k, by, parameters(c))
	first := must.Get(exchange(k, c, code))(t)
	k.Clock.Advance(10 * time.Second)
	if again, err := exchange(k, c, code); err != nil || again != first || !isActive(k, first) {
		t.Fatalf("%+v, %v; want %+v", again, err, first)
	}
	k.Clock.Advance(time.Second)
	want(t, must.Err(exchange(k, c, code)), openid.ErrInvalidGrant)
	if isActive(k, first) {
		t.Fatal("the session outlives a late second use of its code")
	}
	want(t, must.Err(exchange(k, c, code)), openid.ErrInvalidGrant)
}

// Whoever wins, nothing of a code remains that was redeemed rightly and wrongly.
func codeThief(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	for range 4 {
		code := authorized(t, k, by, parameters(c))
		var tokens provider.ClientTokens
		var right error
		var all sync.WaitGroup
		all.Go(func() { tokens, right = exchange(k, c, code) })
		all.Go(func() {
			_, err := k.Authorizations.Exchange(ctx, provider.CodeExchange{Client: c, Code: code, RedirectURI: returnURI, Verifier: strings.Repeat("a", 43), From: appServer})
			if !errors.Is(err, openid.ErrInvalidGrant) {
				t.Errorf("the thief: %v, want %v", err, openid.ErrInvalidGrant)
			}
		})
		all.Wait()
		if right != nil && !errors.Is(right, openid.ErrInvalidGrant) || right == nil && isActive(k, tokens) {
			t.Fatalf("the client: %+v, %v", tokens, right)
		}
	}
	if sessions, err := k.Sessions.List(ctx, by, by.ID); err != nil || len(sessions) != 1 {
		t.Fatalf("sessions %+v, %v; want the browser's", sessions, err)
	}
}

func appOnDevice(t *testing.T, k *authkit.Fixture) {
	by := k.CreateCaller(t, "ann@u.edu", user.Regular)
	for _, uri := range []string{"http://127.0.0.1:49152/cb", "com.example.app:/cb"} {
		c := addClient(t, k, func(c *openid.Client) { c.Public, c.RedirectURIs = true, []string{uri, returnURI} })
		for range 2 {
			step, err := k.Authorizations.Begin(ctx, by, parameters(c, "redirect_uri", uri))
			if err != nil || step.Answer != "" || step.Pending == "" || step.SignIn {
				t.Fatalf("%s: %+v, %v; want the page", uri, step, err)
			}
			if done, err := k.Authorizations.Decide(ctx, by, step.Pending, true); err != nil || !strings.Contains(done.Answer, "code=") {
				t.Fatalf("%s: %+v, %v", uri, done, err)
			}
		}
		if step, err := k.Authorizations.Begin(ctx, by, parameters(c, "redirect_uri", uri, "prompt", "none")); err != nil || !strings.Contains(step.Answer, "error=consent_required") {
			t.Fatalf("%s without a page: %+v, %v", uri, step, err)
		}
		if step, err := k.Authorizations.Begin(ctx, by, parameters(c)); err != nil || step.Answer == "" {
			t.Fatalf("the page of its website: %+v, %v", step, err)
		}
		want(t, must.Err(k.Clients.Add(ctx, admin, openid.Client{Name: "An app", RedirectURIs: []string{returnURI, uri}, Public: true, FirstParty: true, IDTokenAlg: openid.RS256})), openid.ErrClientInvalid)
	}
	addClient(t, k, func(c *openid.Client) { c.Public, c.FirstParty = true, true })
	addClient(t, k, func(c *openid.Client) { c.RedirectURIs, c.FirstParty = []string{"http://127.0.0.1/cb"}, true })
}

func codeExpires(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	code := authorized(t, k, by, parameters(c))
	k.Clock.Advance(time.Minute)
	want(t, must.Err(exchange(k, c, code)), openid.ErrInvalidGrant)
}

func codeAfterEnd(t *testing.T, k *authkit.Fixture) {
	c := addClient(t, k, nil)
	by := k.CreateCaller(t, "ann@u.edu", user.Regular)
	code := authorized(t, k, by, parameters(c))
	must.Do(t, k.Sessions.SignOut(ctx, by))
	want(t, must.Err(exchange(k, c, code)), openid.ErrInvalidGrant)
	code = authorized(t, k, k.CallerOf(t, k.SignIn(t, "ann@u.edu")), parameters(c))
	must.Do(t, k.Users.SetPassword(ctx, admin, by.ID, "another long phrase"))
	want(t, must.Err(exchange(k, c, code)), openid.ErrInvalidGrant)
}
