package authcontract

import (
	"errors"
	"net/url"
	"testing"

	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

func withdraw(t *testing.T, k *authkit.Fixture) {
	c, other, by := addClient(t, k, nil), addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	bob := k.CreateCaller(t, "bob@u.edu", user.Regular)
	gone, kept, bobs := tokensFor(t, k, by, c), tokensFor(t, k, by, other), tokensFor(t, k, bob, c)
	pending := authorized(t, k, by, parameters(c))
	must.Do(t, k.Clients.WithdrawConsent(ctx, by, c.ID))
	want(t, k.Clients.WithdrawConsent(ctx, by, c.ID), openid.ErrGrantNotFound)
	if isActive(k, gone) || !isActive(k, kept) || !isActive(k, bobs) {
		t.Fatal("the wrong sessions have ended")
	}
	want(t, must.Err(exchange(k, c, pending)), openid.ErrInvalidGrant)
	if all, err := k.Sessions.List(ctx, by, by.ID); err != nil || len(all) != 2 {
		t.Fatalf("sessions %+v, %v", all, err)
	}
	if step, err := k.Authorizations.Begin(ctx, by, parameters(c)); err != nil || step.Pending == "" {
		t.Fatalf("not asked again: %+v, %v", step, err)
	}
}

func removeClient(t *testing.T, k *authkit.Fixture) {
	c, other := addClient(t, k, func(c *openid.Client) { c.FirstParty = true }), addClient(t, k, nil)
	ann, bob := k.CreateCaller(t, "ann@u.edu", user.Regular), k.CreateCaller(t, "bob@u.edu", user.Regular)
	anns, bobs, kept := tokensFor(t, k, ann, c), tokensFor(t, k, bob, c), tokensFor(t, k, ann, other)
	if n, err := k.Clients.Remove(ctx, admin, c.ID); err != nil || n != 2 {
		t.Fatalf("%d sessions ended, %v; want 2", n, err)
	}
	if isActive(k, anns) || isActive(k, bobs) || !isActive(k, kept) {
		t.Fatal("the wrong sessions have ended")
	}
	want(t, must.Err(k.Clients.Remove(ctx, admin, c.ID)), openid.ErrClientNotFound)
	want(t, must.Err(k.Authorizations.Begin(ctx, ann, parameters(c))), openid.ErrClientNotFound)
	want(t, must.Err(k.Authorizations.AuthenticateClient(ctx, c.ID, "")), openid.ErrInvalidClient)
}

func clientLogout(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	tokens, other := tokensFor(t, k, by, c), tokensFor(t, k, by, c)
	l, err := k.Authorizations.ReadLogout(ctx, by, url.Values{"id_token_hint": {tokens.IDToken}})
	if err != nil || !l.Expected {
		t.Fatalf("%+v, %v", l, err)
	}
	must.Get(k.Authorizations.EndSession(ctx, by, l, false))(t)
	must.Get(k.Users.Me(ctx, by))(t)
	if _, err := k.Store.Sessions.FindSession(ctx, by.ID, by.Session); !errors.Is(err, session.ErrNotFound) || isActive(k, tokens) || !isActive(k, other) {
		t.Fatalf("the wrong sessions have ended: %v", err)
	}
}

// Whoever finds an ID token, for example in a log, must not end a session without a word.
func logoutAsks(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	tokens, nobody := tokensFor(t, k, by, c), user.Caller{From: authkit.Chrome}
	hint := url.Values{"id_token_hint": {tokens.IDToken}}
	for who, test := range map[string]struct {
		by   user.Caller
		p    url.Values
		asks bool
	}{
		"the person": {by, hint, false}, "nobody": {nobody, hint, true}, "another person": {k.CreateCaller(t, "bob@u.edu", user.Regular), hint, true},
		"the person without a hint": {by, url.Values{}, true}, "nobody without a hint": {nobody, url.Values{"client_id": {c.ID}}, false},
	} {
		if l, err := k.Authorizations.ReadLogout(ctx, test.by, test.p); err != nil || l.Asks != test.asks {
			t.Errorf("%s: %+v, %v", who, l, err)
		}
	}
	l := must.Get(k.Authorizations.ReadLogout(ctx, nobody, hint))(t)
	must.Get(k.Authorizations.EndSession(ctx, nobody, l, false))(t)
	if isActive(k, tokens) {
		t.Error("the session outlives the logout")
	}
	if l, err := k.Authorizations.ReadLogout(ctx, nobody, hint); err != nil || l.Asks {
		t.Errorf("asks for a session that has ended: %+v, %v", l, err)
	}
}

func logoutRedirect(t *testing.T, k *authkit.Fixture) {
	c, other, by := addClient(t, k, nil), addClient(t, k, func(c *openid.Client) { c.PostLogoutRedirectURIs = []string{"https://other.example/"} }), k.CreateCaller(t, "ann@u.edu", user.Regular)
	hint := tokensFor(t, k, by, c).IDToken
	bob := k.CreateCaller(t, "bob@u.edu", user.Regular)
	for name, test := range map[string]struct {
		p        url.Values
		by       user.Caller
		to       string
		expected bool
	}{
		"with a hint":       {url.Values{"id_token_hint": {hint}, "post_logout_redirect_uri": {"https://app.example/bye"}, "state": {"a b"}}, by, "https://app.example/bye?state=a+b", true},
		"with a client":     {url.Values{"client_id": {c.ID}, "post_logout_redirect_uri": {"https://app.example/bye"}}, by, "https://app.example/bye", false},
		"of another user":   {url.Values{"id_token_hint": {hint}, "post_logout_redirect_uri": {"https://app.example/bye"}}, bob, "https://app.example/bye", false},
		"not registered":    {url.Values{"id_token_hint": {hint}, "post_logout_redirect_uri": {"https://app.example/bye/"}}, by, "", true},
		"a redirect URI":    {url.Values{"id_token_hint": {hint}, "post_logout_redirect_uri": {returnURI}}, by, "", true},
		"of another client": {url.Values{"id_token_hint": {hint}, "post_logout_redirect_uri": {"https://other.example/"}}, by, "", true},
		"client and hint":   {url.Values{"id_token_hint": {hint}, "client_id": {other.ID}, "post_logout_redirect_uri": {"https://other.example/"}}, by, "", false},
		"a forged hint":     {url.Values{"id_token_hint": {"x"}, "post_logout_redirect_uri": {"https://app.example/bye"}}, by, "", false},
		"no client":         {url.Values{"post_logout_redirect_uri": {"https://app.example/bye"}}, by, "", false},
		"twice":             {url.Values{"id_token_hint": {hint}, "post_logout_redirect_uri": {"https://app.example/bye", "https://evil.example"}}, by, "", true},
	} {
		if l, err := k.Authorizations.ReadLogout(ctx, test.by, test.p); err != nil || l.ReturnsTo != test.to || l.Expected != test.expected {
			t.Errorf("%s: %+v, %v", name, l, err)
		}
	}
}
