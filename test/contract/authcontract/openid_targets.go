package authcontract

import (
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth/provider"
	"github.com/octavo-books/octavo/domain/machine"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

// targets are two resources, and a person who signs in to an application.
type targets struct {
	k             *authkit.Fixture
	prices, other machine.Resource
	app           openid.Client
	by            user.Caller
}

func newTargets(t *testing.T, k *authkit.Fixture) *targets {
	t.Helper()
	w := &targets{k: k, app: addClient(t, k, nil), by: k.CreateCaller(t, "ann@u.edu", user.Regular)}
	w.prices, _ = must.Get2(k.Resources.Add(ctx, admin, machine.Resource{Name: "Prices", Identifier: "https://prices.example", Scopes: []string{"read", "write", "email"}}))(t)
	w.other, _ = must.Get2(k.Resources.Add(ctx, admin, machine.Resource{Name: "Other", Identifier: "https://other.example", Scopes: []string{"read"}}))(t)
	return w
}

// asks is a request for resources, which are repeated parameters.
func (w *targets) asks(scope string, resources ...machine.Resource) url.Values {
	p := parameters(w.app, "scope", scope)
	for _, r := range resources {
		p.Add("resource", r.Identifier)
	}
	return p
}

func (w *targets) redeems(code, resource string) (provider.ClientTokens, error) {
	return w.k.Authorizations.Exchange(ctx, provider.CodeExchange{Client: w.app, Code: code, RedirectURI: returnURI, Verifier: verifier, Resource: resource, From: appServer})
}

func (w *targets) refreshes(token, scope, resource string) (provider.ClientTokens, error) {
	return w.k.Authorizations.Refresh(ctx, provider.RefreshRequest{Client: w.app, Token: token, Scope: scope, Resource: resource, From: appServer})
}

// seenAt returns the scopes that a resource sees in a token; "inactive" if none.
func (w *targets) seenAt(t *testing.T, r machine.Resource, token string) string {
	t.Helper()
	info, client, err := w.k.Authorizations.InspectAt(ctx, r, token)
	must.Do(t, err)
	if !info.Active {
		return "inactive"
	}
	if client != w.app.ID || info.User != w.by.ID || info.Audience != r.Identifier || info.ACR == "" {
		t.Errorf("%s sees %+v of %s", r.Name, info, client)
	}
	return info.Scopes
}

func targetToken(t *testing.T, k *authkit.Fixture) {
	w := newTargets(t, k)
	asked := must.Get(k.Authorizations.Begin(ctx, w.by, w.asks("openid read email never offline_access", w.prices)))(t)
	if want := []provider.Use{{Resource: "Prices", Scopes: []string{"read", "email"}}}; !reflect.DeepEqual(asked.Uses, want) {
		t.Errorf("the person sees %+v", asked)
	}
	tokens := must.Get(w.redeems(authorized(t, k, w.by, w.asks("openid read email never offline_access", w.prices)), ""))(t)
	if tokens.Scopes != "read email" || tokens.RefreshToken == "" || k.SignedIDToken(t, tokens.IDToken).About.Email != "ann@u.edu" {
		t.Errorf("%+v", tokens)
	}
	if at, other := w.seenAt(t, w.prices, tokens.AccessToken), w.seenAt(t, w.other, tokens.AccessToken); at != "read email" || other != "inactive" {
		t.Errorf("seen at the resource as %q, at another as %q", at, other)
	}
	want(t, must.Err(k.Authenticator.Authenticate(ctx, tokens.AccessToken, appServer)), user.ErrUnauthenticated)
	want(t, must.Err(k.Authenticator.About(ctx, tokens.AccessToken, appServer)), openid.ErrInvalidToken)
	if info, err := k.Authorizations.Inspect(ctx, w.app, tokens.AccessToken); err != nil || info.Scopes != "read email" || info.Audience != w.prices.Identifier {
		t.Errorf("the application sees %+v, %v", info, err)
	}
	if info, err := k.Authorizations.Inspect(ctx, w.app, tokens.RefreshToken); err != nil || info.Scopes != "openid email offline_access read" {
		t.Errorf("of the refresh token it sees %+v, %v", info, err)
	}
	all := must.Get(k.Clients.ListConsents(ctx, w.by))(t)
	if len(all) != 1 || len(all[0].Uses) != 1 || strings.Join(all[0].Uses[0].Scopes, " ") != "read email" {
		t.Errorf("consents %+v", all)
	}
	k.Clock.Advance(time.Hour)
	if seen := w.seenAt(t, w.prices, tokens.AccessToken); seen != "inactive" {
		t.Errorf("an expired token is seen as %q", seen)
	}
}

// Of several resources the first one is meant where none is named; the issuer is Octavo itself.
func targetOfSeveral(t *testing.T, k *authkit.Fixture) {
	w := newTargets(t, k)
	first := must.Get(w.redeems(authorized(t, k, w.by, w.asks("openid email read write offline_access", w.other, w.prices, w.other)), ""))(t)
	if seen := w.seenAt(t, w.other, first.AccessToken); seen != "read" {
		t.Errorf("the first resource sees %q", seen)
	}
	prices := must.Get(w.refreshes(first.RefreshToken, "", w.prices.Identifier))(t)
	if seen := w.seenAt(t, w.prices, prices.AccessToken); seen != "read write email" {
		t.Errorf("the second resource sees %q", seen)
	}
	narrow := must.Get(w.refreshes(prices.RefreshToken, "read", w.prices.Identifier))(t)
	if seen := w.seenAt(t, w.prices, narrow.AccessToken); seen != "read" || narrow.IDToken != "" {
		t.Errorf("narrowed to %q: %+v", seen, narrow)
	}
	own := must.Get(w.refreshes(narrow.RefreshToken, "", k.Authorizations.Issuer))(t)
	if about, err := k.Authenticator.About(ctx, own.AccessToken, appServer); err != nil || about.Email != "ann@u.edu" || own.Scopes != "openid email offline_access" {
		t.Errorf("at Octavo itself: %+v of %+v, %v", about, own, err)
	}
	if seen := w.seenAt(t, w.prices, own.AccessToken); seen != "inactive" {
		t.Errorf("Octavo's own token is seen as %q", seen)
	}
	for resource, scope := range map[string]string{"https://nowhere.example": "", w.prices.Identifier: "openid"} {
		next, err := w.refreshes(own.RefreshToken, scope, resource)
		if scope == "" {
			want(t, err, openid.ErrInvalidTarget)
			continue
		}
		if own = next; err != nil || own.Scopes != "" || w.seenAt(t, w.prices, own.AccessToken) != "" {
			t.Errorf("with openid alone: %+v, %v", own, err)
		}
	}
}

func targetRefused(t *testing.T, k *authkit.Fixture) {
	w := newTargets(t, k)
	for name, resources := range map[string][]string{
		"unknown": {"https://nowhere.example"}, "empty": {""}, "one of two unknown": {w.prices.Identifier, "https://nowhere.example"},
		"another spelling": {w.prices.Identifier + "/"}, "too many": {"a:1", "a:2", "a:3", "a:4", "a:5", "a:6"}, "its id": {w.prices.ID},
	} {
		p := w.asks("openid read")
		p["resource"] = resources
		step, err := k.Authorizations.Begin(ctx, w.by, p)
		if q := answered(t, step, err); q.Get("error") != "invalid_target" {
			t.Errorf("%s: %v", name, q)
		}
	}
	code := authorized(t, k, w.by, w.asks("openid read", w.prices))
	want(t, must.Err(w.redeems(code, w.other.Identifier)), openid.ErrInvalidTarget) // known, but not granted
	tokens := must.Get(w.redeems(code, w.prices.Identifier))(t)                     // asked again
	want(t, must.Err(w.redeems(code, k.Authorizations.Issuer)), openid.ErrInvalidGrant)
	if seen := w.seenAt(t, w.prices, tokens.AccessToken); seen != "inactive" {
		t.Errorf("a code that was redeemed for two resources left %q", seen)
	}
}

// What was allowed at one resource is not allowed at another.
func targetConsent(t *testing.T, k *authkit.Fixture) {
	w := newTargets(t, k)
	authorized(t, k, w.by, w.asks("openid read", w.prices))
	for name, c := range map[string]struct {
		p    url.Values
		asks bool
	}{
		"the same": {w.asks("openid read", w.prices), false}, "none": {w.asks("openid read"), false}, "less": {w.asks("openid", w.prices), false},
		"more": {w.asks("openid write", w.prices), true}, "another": {w.asks("openid read", w.other), true}, "another without scopes": {w.asks("openid", w.other), true},
		"a scope of the same name": {w.asks("openid email", w.prices), true},
	} {
		if step, err := k.Authorizations.Begin(ctx, w.by, c.p); err != nil || (step.Answer == "") != c.asks {
			t.Errorf("%s: %+v, %v", name, step, err)
		}
	}
}

func targetEnds(t *testing.T, k *authkit.Fixture) {
	w := newTargets(t, k)
	sign := func() provider.ClientTokens {
		return must.Get(w.redeems(authorized(t, k, w.by, w.asks("openid read offline_access", w.prices)), ""))(t)
	}
	for name, end := range map[string]func(provider.ClientTokens) error{
		"its client revokes it": func(of provider.ClientTokens) error {
			return k.Authorizations.Revoke(ctx, w.app, of.AccessToken, appServer)
		},
		"the consent is withdrawn": func(provider.ClientTokens) error { return k.Clients.WithdrawConsent(ctx, w.by, w.app.ID) },
	} {
		tokens := sign()
		must.Do(t, end(tokens))
		if seen := w.seenAt(t, w.prices, tokens.AccessToken); seen != "inactive" {
			t.Errorf("after %s it is seen as %q", name, seen)
		}
	}
	tokens, code := sign(), authorized(t, k, w.by, w.asks("openid read", w.prices))
	must.Get(k.Resources.Remove(ctx, admin, w.prices.ID))(t)
	want(t, must.Err(w.redeems(code, "")), openid.ErrInvalidTarget)
	want(t, must.Err(w.refreshes(tokens.RefreshToken, "", "")), openid.ErrInvalidTarget)
	again, _ := must.Get2(k.Resources.Add(ctx, admin, machine.Resource{Name: "Prices", Identifier: w.prices.Identifier, Scopes: []string{"read"}}))(t)
	if seen := w.seenAt(t, again, tokens.AccessToken); seen != "inactive" {
		t.Errorf("another resource with the same identifier sees %q", seen)
	}
	want(t, must.Err(w.refreshes(tokens.RefreshToken, "", again.Identifier)), openid.ErrInvalidTarget)
	if all := must.Get(k.Clients.ListConsents(ctx, w.by))(t); len(all) != 1 || len(all[0].Uses) != 0 {
		t.Errorf("consents %+v", all)
	}
	must.Get(w.refreshes(tokens.RefreshToken, "", k.Authorizations.Issuer))(t)
}
