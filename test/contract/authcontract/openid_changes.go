package authcontract

import (
	"errors"
	"net/url"
	"reflect"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth/provider"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

func secretOverlap(t *testing.T, k *authkit.Fixture) {
	c, old := must.Get2(k.Clients.Add(ctx, admin, openid.Client{Name: "An app", RedirectURIs: []string{returnURI}, IDTokenAlg: openid.RS256}))(t)
	want(t, must.Err(k.Clients.RenewSecret(ctx, admin, c.ID, openid.MaxOverlap+time.Second)), openid.ErrOverlap)
	renewed := must.Get(k.Clients.RenewSecret(ctx, admin, c.ID, time.Hour))(t)
	for _, secret := range []string{old, renewed} {
		must.Get(k.Authorizations.AuthenticateClient(ctx, c.ID, secret))(t)
	}
	k.Clock.Advance(time.Hour)
	want(t, must.Err(k.Authorizations.AuthenticateClient(ctx, c.ID, old)), openid.ErrInvalidClient)
	must.Get(k.Authorizations.AuthenticateClient(ctx, c.ID, renewed))(t)
}

func updateClient(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	tokens := tokensFor(t, k, by, c)
	described := someClient("other")
	described.FirstParty = false
	changed, secret, err := k.Clients.Update(ctx, admin, c.ID, func(c *openid.Client) { *c = described })
	expected := described
	expected.ID, expected.CreatedAt, expected.SecretHash = c.ID, c.CreatedAt, c.SecretHash
	expected.PreviousSecretHash, expected.PreviousSecretUntil = c.PreviousSecretHash, c.PreviousSecretUntil
	found := must.Get(k.Clients.Find(ctx, admin, c.ID))(t)
	if err != nil || secret != "" || !reflect.DeepEqual(changed, expected) || !reflect.DeepEqual(found, expected) {
		t.Fatalf("changed to %+v, found %+v, %v; want %+v", changed, found, err, expected)
	}
	if !isActive(k, tokens) {
		t.Error("the sessions have ended")
	}
	_, _, err = k.Clients.Update(ctx, admin, c.ID, func(c *openid.Client) { c.RedirectURIs = nil })
	want(t, err, openid.ErrClientInvalid)
	_, _, err = k.Clients.Update(ctx, admin, "none", func(*openid.Client) {})
	want(t, err, openid.ErrClientNotFound)
	if found := must.Get(k.Clients.Find(ctx, admin, c.ID))(t); !reflect.DeepEqual(found, expected) {
		t.Errorf("a refused change is stored: %+v", found)
	}
}

func demoteClient(t *testing.T, k *authkit.Fixture) {
	c, other := addClient(t, k, func(c *openid.Client) { c.FirstParty = true }), addClient(t, k, nil)
	ann, bob := k.CreateCaller(t, "ann@u.edu", user.Regular), k.CreateCaller(t, "bob@u.edu", user.Regular)
	anns, bobs, kept := tokensFor(t, k, ann, c), tokensFor(t, k, bob, c), tokensFor(t, k, ann, other)
	must.Get2(k.Clients.Update(ctx, admin, c.ID, func(c *openid.Client) { c.FirstParty = false }))(t)
	if isActive(k, anns) || isActive(k, bobs) || !isActive(k, kept) {
		t.Fatal("the wrong sessions have ended")
	}
	if all, err := k.Clients.ListConsents(ctx, ann); err != nil || len(all) != 2 {
		t.Errorf("consents %+v, %v", all, err)
	}
}

func demoteDuringExchange(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, func(c *openid.Client) { c.FirstParty = true }), k.CreateCaller(t, "ann@u.edu", user.Regular)
	code := authorized(t, k, by, parameters(c))
	must.Get2(k.Clients.Update(ctx, admin, c.ID, func(c *openid.Client) { c.FirstParty = false }))(t)
	want(t, must.Err(exchange(k, c, code)), openid.ErrInvalidGrant) // it was authenticated before
	all, err := k.Sessions.List(ctx, by, by.ID)
	if err != nil || len(all) != 1 {
		t.Errorf("the sessions are %+v, %v", all, err)
	}
}

func privateClient(t *testing.T, k *authkit.Fixture) {
	c := addClient(t, k, func(c *openid.Client) { c.Public = true })
	changed, secret := must.Get2(k.Clients.Update(ctx, admin, c.ID, func(c *openid.Client) { c.Public = false }))(t)
	if secret == "" || changed.Public {
		t.Fatalf("%+v has the secret %q", changed, secret)
	}
	must.Get(k.Authorizations.AuthenticateClient(ctx, c.ID, secret))(t)
	want(t, must.Err(k.Authorizations.AuthenticateClient(ctx, c.ID, "")), openid.ErrInvalidClient)
	must.Get2(k.Clients.Update(ctx, admin, c.ID, func(c *openid.Client) { c.Public = true }))(t)
	want(t, must.Err(k.Authorizations.AuthenticateClient(ctx, c.ID, secret)), openid.ErrInvalidClient)
	must.Get(k.Authorizations.AuthenticateClient(ctx, c.ID, ""))(t)
}

func updateUnderWay(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	code := authorized(t, k, by, parameters(c, "scope", "openid"))
	asked := must.Get(k.Authorizations.Begin(ctx, by, parameters(c)))(t)
	must.Get2(k.Clients.Update(ctx, admin, c.ID, func(c *openid.Client) { c.RedirectURIs = []string{returnURI + "2"} }))(t)
	c = must.Get(k.Clients.Find(ctx, admin, c.ID))(t)
	want(t, must.Err(exchange(k, c, code)), openid.ErrInvalidGrant)
	want(t, must.Err(k.Authorizations.Resume(ctx, by, asked.Pending)), openid.ErrRedirectURI)
	want(t, must.Err(k.Authorizations.Decide(ctx, by, asked.Pending, true)), openid.ErrRedirectURI)
}

func withoutPKCE(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, func(c *openid.Client) { c.PKCEOptional = true }), k.CreateCaller(t, "ann@u.edu", user.Regular)
	plain := parameters(c)
	plain.Del("code_challenge")
	plain.Del("code_challenge_method")
	in := provider.CodeExchange{Client: c, RedirectURI: returnURI, From: appServer}
	for name, test := range map[string]struct {
		challenged bool
		verifier   string
		ok         bool
	}{
		"no challenge": {false, "", true}, "a challenge taken away": {false, verifier, false},
		"a challenge": {true, verifier, true}, "a challenge without its verifier": {true, "", false},
	} {
		p := plain
		if test.challenged {
			p = parameters(c)
		}
		in.Code, in.Verifier = authorized(t, k, by, p), test.verifier
		if _, err := k.Authorizations.Exchange(ctx, in); (err == nil) != test.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	in.Code, in.Verifier = authorized(t, k, by, plain), ""
	in.Client = must.Get(k.Clients.Find(ctx, admin, c.ID))(t)
	in.Client.PKCEOptional = false // it was changed before the exchange
	want(t, must.Err(k.Authorizations.Exchange(ctx, in)), openid.ErrInvalidGrant)
}

func expectedUser(t *testing.T, k *authkit.Fixture) {
	c, other, ann := addClient(t, k, nil), addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	hint := tokensFor(t, k, ann, c).IDToken
	bob := k.CreateCaller(t, "bob@u.edu", user.Regular)
	tokensFor(t, k, bob, c)
	k.Clock.Advance(time.Second)
	asked, err := k.Authorizations.Begin(ctx, bob, parameters(c, "id_token_hint", hint))
	if err != nil || !asked.SignIn || asked.Answer != "" {
		t.Fatalf("another person: %+v, %v", asked, err)
	}
	if still, err := k.Authorizations.Resume(ctx, bob, asked.Pending); err != nil || !still.SignIn {
		t.Errorf("still another person: %+v, %v", still, err)
	}
	if skipped, err := k.Authorizations.Decide(ctx, bob, asked.Pending, true); err != nil || !skipped.SignIn || skipped.Answer != "" {
		t.Errorf("the sign-in can be skipped: %+v, %v", skipped, err)
	}
	k.Clock.Advance(time.Second)
	anew, err := k.Authorizations.Resume(ctx, k.CallerOf(t, k.SignIn(t, "bob@u.edu")), asked.Pending)
	if q := answered(t, anew, err); q.Get("error") != "login_required" {
		t.Errorf("another person has signed in anew: %v", q)
	}
	right, err := k.Authorizations.Resume(ctx, k.CallerOf(t, k.SignIn(t, "ann@u.edu")), asked.Pending)
	if q := answered(t, right, err); q.Get("code") == "" {
		t.Errorf("the person: %v", q)
	}
	for name, p := range map[string]url.Values{
		"the person": parameters(c, "id_token_hint", hint), "no ID token": parameters(c, "id_token_hint", "x"),
	} {
		if step, err := k.Authorizations.Begin(ctx, ann, p); err != nil || step.Answer == "" {
			t.Errorf("%s: %+v, %v", name, step, err)
		}
	}
	if step, err := k.Authorizations.Begin(ctx, bob, parameters(other, "id_token_hint", hint)); err != nil || step.SignIn {
		t.Errorf("an ID token of another client: %+v, %v", step, err)
	}
}

func narrowedScope(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	tokens := tokensFor(t, k, by, c)
	narrow := must.Get(k.Authorizations.Refresh(ctx, provider.RefreshRequest{Client: c, Token: tokens.RefreshToken, Scope: "openid", From: appServer}))(t)
	if about, err := k.Authenticator.About(ctx, narrow.AccessToken, appServer); err != nil || about.Email != "" || narrow.Scopes != "openid" {
		t.Errorf("the narrower token of %q tells %+v, %v", narrow.Scopes, about, err)
	}
	if info, err := k.Authorizations.Inspect(ctx, c, narrow.AccessToken); err != nil || info.Scopes != "openid" {
		t.Errorf("%+v, %v", info, err)
	}
	without := must.Get(k.Authorizations.Refresh(ctx, provider.RefreshRequest{Client: c, Token: narrow.RefreshToken, Scope: "email", From: appServer}))(t)
	if without.IDToken != "" || without.Scopes != "email" {
		t.Errorf("without openid: %+v", without)
	}
	want(t, must.Err(k.Authorizations.Refresh(ctx, provider.RefreshRequest{Client: c, Token: without.RefreshToken, Scope: "openid profile", From: appServer})), openid.ErrScopeExceeded)
	all := must.Get(k.Authorizations.Refresh(ctx, provider.RefreshRequest{Client: c, Token: without.RefreshToken, Scope: "", From: appServer}))(t)
	if about, err := k.Authenticator.About(ctx, all.AccessToken, appServer); err != nil || about.Email != "ann@u.edu" || all.Scopes != tokens.Scopes {
		t.Errorf("afterwards the token of %q tells %+v, %v", all.Scopes, about, err)
	}
}

// Of one request only one decision counts; of two requests both do.
func consentTwice(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	first := must.Get(k.Authorizations.Begin(ctx, by, parameters(c)))(t)
	second := must.Get(k.Authorizations.Begin(ctx, by, parameters(c)))(t)
	answers := make([]provider.Step, 3)
	refusals := make([]error, 3)
	must.Together(3, func(i int) {
		answers[i], refusals[i] = k.Authorizations.Decide(ctx, by, []string{first.Pending, second.Pending, second.Pending}[i], true)
	})
	codes := map[string]bool{}
	for i, step := range answers {
		if refusals[i] == nil {
			codes[answered(t, step, nil).Get("code")] = true
		} else if !errors.Is(refusals[i], challenge.ErrCeremonyInvalid) {
			t.Error(refusals[i])
		}
	}
	if len(codes) != 2 || refusals[0] != nil {
		t.Errorf("%d codes, %v", len(codes), refusals)
	}
	for code := range codes {
		must.Get(exchange(k, c, code))(t)
	}
	if all, err := k.Clients.ListConsents(ctx, by); err != nil || len(all) != 1 {
		t.Errorf("consents %+v, %v", all, err)
	}
}

func renewBetween(t *testing.T, k *authkit.Fixture) {
	c, old := must.Get2(k.Clients.Add(ctx, admin, openid.Client{Name: "An app", RedirectURIs: []string{returnURI}, IDTokenAlg: openid.RS256}))(t)
	code := authorized(t, k, k.CreateCaller(t, "ann@u.edu", user.Regular), parameters(c))
	renewed := must.Get(k.Clients.RenewSecret(ctx, admin, c.ID, 0))(t)
	want(t, must.Err(k.Authorizations.AuthenticateClient(ctx, c.ID, old)), openid.ErrInvalidClient)
	now := must.Get(k.Authorizations.AuthenticateClient(ctx, c.ID, renewed))(t)
	if tokens := must.Get(exchange(k, now, code))(t); !isActive(k, tokens) {
		t.Error("the tokens are refused")
	}
}
