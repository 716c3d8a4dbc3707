package authcontract

import (
	"reflect"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth/provider"
	"github.com/octavo-books/octavo/application/auth/signin"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

func firstPartyProof(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, func(c *openid.Client) { c.FirstParty = true }), k.CreateCaller(t, "ann@u.edu", user.Owner)
	app := must.Get(k.Authenticator.Authenticate(ctx, tokensFor(t, k, by, c).AccessToken, appServer))(t)
	want(t, k.Passwords.Change(ctx, app, authkit.Password, "another long phrase"), user.ErrForbidden)
	right := authkit.Password
	want(t, k.SignIns.Reauthenticate(ctx, app, signin.Proof{Password: &right}), user.ErrForbidden)
	want(t, k.Users.SetPassword(ctx, app, by.ID, "another long phrase"), user.ErrForbidden)
	want(t, k.Identities.LinkFor(ctx, app, by.ID, "trusted", "1"), user.ErrForbidden)
	k.SignIn(t, "ann@u.edu") // with the password of before
	must.Do(t, k.SignIns.Reauthenticate(ctx, by, signin.Proof{Password: &right}))
}

func clientRefresh(t *testing.T, k *authkit.Fixture) {
	c, other, by := addClient(t, k, nil), addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	tokens := tokensFor(t, k, by, c)
	want(t, must.Err(k.Sessions.Refresh(ctx, tokens.RefreshToken, appServer)), session.ErrInvalid)
	for _, scope := range []string{"", "openid"} {
		want(t, must.Err(k.Authorizations.Refresh(ctx, provider.RefreshRequest{Client: other, Token: tokens.RefreshToken, Scope: scope, From: appServer})), openid.ErrInvalidGrant)
	}
	want(t, must.Err(k.Authorizations.Refresh(ctx, provider.RefreshRequest{Client: c, Token: k.SignIn(t, "ann@u.edu").RefreshToken, From: appServer})), openid.ErrInvalidGrant)
	want(t, must.Err(k.Authorizations.Refresh(ctx, provider.RefreshRequest{Client: c, Token: tokens.RefreshToken, Scope: "openid profile", From: appServer})), openid.ErrScopeExceeded)
	next, err := k.Authorizations.Refresh(ctx, provider.RefreshRequest{Client: c, Token: tokens.RefreshToken, Scope: "openid", From: appServer})
	if err != nil || next.RefreshToken == tokens.RefreshToken || next.RefreshToken == "" || next.Scopes != "openid" || next.IDToken == "" || !isActive(k, next) {
		t.Fatalf("%+v, %v", next, err)
	}
}

func noRefreshToken(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	tokens := tokensFor(t, k, by, c, "scope", "openid")
	if tokens.RefreshToken != "" || !isActive(k, tokens) {
		t.Fatalf("%+v", tokens)
	}
	k.Clock.Advance(k.Config.AccessTTL)
	if all, err := k.Sessions.List(ctx, by, by.ID); err != nil || len(all) != 1 {
		t.Fatalf("the session outlives its token: %+v, %v", all, err)
	}
}

func clientRefreshStolen(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	stolen := tokensFor(t, k, by, c)
	next := must.Get(k.Authorizations.Refresh(ctx, provider.RefreshRequest{Client: c, Token: stolen.RefreshToken, Scope: "", From: appServer}))(t)
	if !isActive(k, next) { // the new tokens have arrived
		t.Fatal("the new token is refused")
	}
	k.Clock.Advance(time.Minute)
	want(t, must.Err(k.Authorizations.Refresh(ctx, provider.RefreshRequest{Client: c, Token: stolen.RefreshToken, Scope: "", From: appServer})), openid.ErrInvalidGrant)
	if isActive(k, next) {
		t.Fatal("the session is still active")
	}
}

func clientEviction(t *testing.T, k *authkit.Fixture) {
	c, other, by := addClient(t, k, nil), addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	kept, first := tokensFor(t, k, by, other), tokensFor(t, k, by, c)
	for range k.Config.MaxSessions {
		k.Clock.Advance(time.Millisecond)
		tokensFor(t, k, by, c)
	}
	if _, err := k.Users.Me(ctx, by); err != nil || !isActive(k, kept) || isActive(k, first) {
		t.Fatalf("the wrong session was evicted: %v", err)
	}
}

func scopesBound(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Owner)
	tokens := tokensFor(t, k, by, c, "scope", "openid")
	about, err := k.Authenticator.About(ctx, tokens.AccessToken, appServer)
	if err != nil || about.User != by.ID || about.Email != "" || about.Verified != nil || about.Name != "" {
		t.Fatalf("%+v, %v", about, err)
	}
	app := must.Get(k.Authenticator.Authenticate(ctx, tokens.AccessToken, appServer))(t)
	me, err := k.Users.MeWithin(ctx, app)
	if err != nil || me.ID != by.ID || me.Email != "" || me.Role != user.Regular {
		t.Fatalf("%+v, %v", me, err)
	}
	want(t, must.Err(k.Users.Me(ctx, app)), user.ErrForbidden)
	want(t, must.Err(k.Clients.ListConsents(ctx, app)), user.ErrForbidden)
	want(t, k.Clients.WithdrawConsent(ctx, app, c.ID), user.ErrForbidden)
	want(t, must.Err(k.Clients.List(ctx, app)), user.ErrForbidden)
	want(t, must.Err(k.Authenticator.About(ctx, k.SignIn(t, "ann@u.edu").AccessToken, appServer)), openid.ErrInsufficientScope)
	want(t, must.Err(k.Authenticator.About(ctx, "no token", appServer)), openid.ErrInvalidToken)
}

func clientProof(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, func(c *openid.Client) { c.FirstParty = true }), k.CreateCaller(t, "ann@u.edu", user.Regular)
	act := must.Get(k.Authenticator.Authenticate(ctx, tokensFor(t, k, by, c).AccessToken, appServer))(t)
	must.Do(t, k.Store.Sessions.ProveSession(ctx, by.ID, act.Session, session.Password, k.Clock.Now()))
	own, err := k.Store.Sessions.FindSession(ctx, by.ID, act.Session)
	if err != nil || own.RecentlyProved(k.Clock.Now()) {
		t.Fatalf("%+v counts as proved, %v", own, err)
	}
}

func inspectOwn(t *testing.T, k *authkit.Fixture) {
	c, other, by := addClient(t, k, nil), addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	public := addClient(t, k, func(c *openid.Client) { c.Public = true })
	tokens, own := tokensFor(t, k, by, c), k.SignIn(t, "ann@u.edu")
	for _, token := range []string{tokens.AccessToken, tokens.RefreshToken} {
		if info, err := k.Authorizations.Inspect(ctx, c, token); err != nil || !info.Active || info.User != by.ID || info.Scopes != tokens.Scopes {
			t.Errorf("%+v, %v", info, err)
		}
		if info, err := k.Authorizations.Inspect(ctx, other, token); err != nil || !reflect.DeepEqual(info, provider.ClientTokenInfo{}) {
			t.Errorf("a stranger learns %+v, %v", info, err)
		}
		want(t, must.Err(k.Authorizations.Inspect(ctx, public, token)), openid.ErrInvalidClient)
		want(t, k.Authorizations.Revoke(ctx, other, token, appServer), openid.ErrInvalidGrant)
	}
	for _, token := range []string{own.AccessToken, own.RefreshToken, "", "x"} {
		if info, err := k.Authorizations.Inspect(ctx, c, token); err != nil || info.Active {
			t.Errorf("%+v, %v", info, err)
		}
	}
	want(t, k.Authorizations.Revoke(ctx, c, own.AccessToken, appServer), openid.ErrInvalidGrant)
	must.Do(t, k.Authorizations.Revoke(ctx, c, "x", appServer))
	if !isActive(k, tokens) {
		t.Fatal("a stranger has revoked a token")
	}
	must.Do(t, k.Authorizations.Revoke(ctx, c, tokens.RefreshToken, appServer))
	if info, err := k.Authorizations.Inspect(ctx, c, tokens.AccessToken); err != nil || info.Active || isActive(k, tokens) {
		t.Fatalf("%+v, %v", info, err)
	}
}

// A service that verifies tokens itself would take the application for an admin.
func tokenWithoutRole(t *testing.T, k *authkit.Fixture) {
	by := k.CreateCaller(t, "ann@u.edu", user.Owner)
	must.Get(k.Users.SetMetadata(ctx, by, by.ID, `{"plan":"gold"}`))(t)
	third, first := addClient(t, k, nil), addClient(t, k, func(c *openid.Client) { c.FirstParty = true })
	for _, test := range []struct {
		client   openid.Client
		role     user.Role
		metadata string
	}{{third, user.Regular, ""}, {first, user.Owner, `{"plan":"gold"}`}} {
		tokens := tokensFor(t, k, by, test.client)
		renewed := must.Get(k.Authorizations.Refresh(ctx, provider.RefreshRequest{Client: test.client, Token: tokens.RefreshToken, Scope: "", From: appServer}))(t)
		for _, token := range []string{tokens.AccessToken, renewed.AccessToken} {
			c, err := k.Tokens.VerifyToken(token, k.Clock.Now())
			if err != nil || c.Role != test.role || c.Metadata != test.metadata {
				t.Errorf("the token says %+v, %v", c, err)
			}
			if info, err := k.Authenticator.Introspect(ctx, token); err != nil || info.Role != test.role {
				t.Errorf("tokenInfo is %+v, %v", info, err)
			}
		}
	}
}
