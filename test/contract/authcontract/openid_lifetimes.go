package authcontract

import (
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth/provider"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

// refreshAs refreshes as the client is now.
func refreshAs(t *testing.T, k *authkit.Fixture, client, token string) (provider.ClientTokens, error) {
	t.Helper()
	c := must.Get(k.Clients.Find(ctx, admin, client))(t)
	return k.Authorizations.Refresh(ctx, provider.RefreshRequest{Client: c, Token: token, From: appServer})
}

func clientLifetimes(t *testing.T, k *authkit.Fixture) {
	by := k.CreateCaller(t, "ann@u.edu", user.Regular)
	c := addClient(t, k, func(c *openid.Client) { c.AccessLifetime, c.SessionLifetime = 2*time.Minute, 5*time.Minute })
	tokens := tokensFor(t, k, by, c)
	if id := k.SignedIDToken(t, tokens.IDToken); tokens.ExpiresIn != 2*time.Minute || !id.ExpiresAt.Equal(k.Clock.Now().Add(2*time.Minute)) {
		t.Fatalf("%+v, %+v", tokens, id)
	}
	k.Clock.Advance(2 * time.Minute)
	if isActive(k, tokens) {
		t.Error("the access token outlives its lifetime")
	}
	tokens = must.Get(refreshAs(t, k, c.ID, tokens.RefreshToken))(t)
	k.Clock.Advance(2 * time.Minute)
	tokens = must.Get(refreshAs(t, k, c.ID, tokens.RefreshToken))(t)
	if tokens.ExpiresIn != time.Minute || !isActive(k, tokens) {
		t.Errorf("the last token of the session is valid for %v", tokens.ExpiresIn)
	}
	k.Clock.Advance(time.Minute)
	want(t, must.Err(refreshAs(t, k, c.ID, tokens.RefreshToken)), openid.ErrInvalidGrant)
	without := tokensFor(t, k, by, c, "scope", "openid")
	k.Clock.Advance(2 * time.Minute)
	if isActive(k, without) {
		t.Error("a session without refresh tokens outlives its access token")
	}
	if all := must.Get(k.Sessions.List(ctx, by, by.ID))(t); len(all) != 1 {
		t.Errorf("sessions %+v", all)
	}
}

func shorterLifetime(t *testing.T, k *authkit.Fixture) {
	by, c := k.CreateCaller(t, "ann@u.edu", user.Regular), addClient(t, k, nil)
	usual, other := tokensFor(t, k, by, c), tokensFor(t, k, by, c)
	k.Clock.Advance(time.Minute)
	set := func(access, session time.Duration) {
		must.Get2(k.Clients.Update(ctx, admin, c.ID, func(c *openid.Client) { c.AccessLifetime, c.SessionLifetime = access, session }))(t)
	}
	set(time.Minute, 10*time.Minute)
	if !isActive(k, usual) {
		t.Error("an access token from before has ended")
	}
	short := must.Get(refreshAs(t, k, c.ID, usual.RefreshToken))(t)
	if short.ExpiresIn != time.Minute {
		t.Errorf("the next one is valid for %v", short.ExpiresIn)
	}
	k.Clock.Advance(9 * time.Minute)
	for range 2 {
		want(t, must.Err(refreshAs(t, k, c.ID, other.RefreshToken)), openid.ErrInvalidGrant)
	}
	set(0, 0)
	want(t, must.Err(refreshAs(t, k, c.ID, other.RefreshToken)), openid.ErrInvalidGrant) // it has ended
	if again := must.Get(refreshAs(t, k, c.ID, short.RefreshToken))(t); again.ExpiresIn != usual.ExpiresIn {
		t.Errorf("without a setting it is valid for %v", again.ExpiresIn)
	}
	for _, bad := range [][2]time.Duration{{time.Second, 0}, {25 * time.Hour, 0}, {-1, 0}, {0, time.Minute}, {0, 366 * 24 * time.Hour}, {0, -1}, {90*time.Second + 1, 0}} {
		_, _, err := k.Clients.Update(ctx, admin, c.ID, func(c *openid.Client) { c.AccessLifetime, c.SessionLifetime = bad[0], bad[1] })
		want(t, err, openid.ErrClientInvalid)
	}
}
