package provider

import (
	"context"
	"errors"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// Refresh returns new tokens for the refresh token of an authenticated client. scope may name a part of
// what was granted: then the access token and what comes with it have this part only, and the next
// refresh may ask for all again (RFC 6749, section 6). The errors are openid.ErrInvalidGrant and
// openid.ErrScopeExceeded.
func (a *Authorizations) Refresh(ctx context.Context, client openid.Client, refreshToken, scope string, from user.ClientInfo) (ClientTokens, error) {
	token, err := session.ParseToken(refreshToken)
	if err != nil {
		return ClientTokens{}, openid.ErrInvalidGrant
	}
	narrowed := ""
	if scope != "" { // checked first, so that a bad request does not use up the token
		own, err := a.Sessions.FindSession(ctx, token.User, token.Session)
		if errors.Is(err, session.ErrNotFound) || err == nil && (!own.Issued(token) || own.Client != client.ID) {
			return ClientTokens{}, openid.ErrInvalidGrant
		}
		if err != nil {
			return ClientTokens{}, err
		}
		if narrowed, err = openid.Narrow(own.Scopes, scope); err != nil {
			return ClientTokens{}, err
		}
	}
	pair, err := a.Hooks.RefreshSession(ctx, auth.ClientRefresh{Token: refreshToken, Client: client.ID, Scopes: narrowed, From: from})
	if errors.Is(err, session.ErrInvalid) {
		return ClientTokens{}, openid.ErrInvalidGrant
	}
	if err != nil {
		return ClientTokens{}, err
	}
	tokens, err := a.tokensOf(ctx, pair, client, "")
	if err == nil {
		tokens.RefreshToken = pair.RefreshToken // also if the narrower scope says nothing of it
	}
	return tokens, err
}

// tokensOf returns the tokens of a pair for a client, with an ID token unless a refresh left the scope
// openid out. After a refresh it has no nonce (OpenID Connect Core, section 12.2).
func (a *Authorizations) tokensOf(ctx context.Context, pair auth.TokenPair, client openid.Client, nonce string) (ClientTokens, error) {
	now := a.Now()
	tokens := ClientTokens{AccessToken: pair.AccessToken, ExpiresIn: pair.ExpiresIn, Scopes: pair.Session.Scopes}
	if openid.HasScope(tokens.Scopes, openid.ScopeOffline) {
		tokens.RefreshToken = pair.RefreshToken
	}
	if !openid.HasScope(tokens.Scopes, openid.ScopeOpenID) {
		return tokens, nil
	}
	about, err := a.DescribeUser(ctx, pair.User, pair.Session.Scopes)
	if err != nil {
		return ClientTokens{}, err
	}
	tokens.IDToken, err = a.idTokens.SignIDToken(IDClaims{
		User: pair.User.ID, Session: pair.Session.ID, Client: client.ID, Nonce: nonce, AuthenticatedAt: pair.Session.AuthenticatedAt(),
		ACR: pair.Session.ACR(pair.Session.Factors), Methods: pair.Session.Methods,
		IssuedAt: now, ExpiresAt: now.Add(a.AccessTTL), AccessToken: pair.AccessToken, About: about,
	}, client.IDTokenAlg)
	if err != nil {
		return ClientTokens{}, err
	}
	return tokens, nil
}
