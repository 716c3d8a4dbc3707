package provider

import (
	"context"
	"errors"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// RefreshRequest is the input of Authorizations.Refresh.
type RefreshRequest struct {
	Client openid.Client // authenticated
	Token  string
	// Scope may name a part of what was granted: then the access token and what comes with it have this part
	// only, and the next refresh may ask for all again (RFC 6749, section 6).
	Scope string
	// Resource is the identifier of the granted resource that the access token is for; "" for the first one.
	Resource string
	From     user.ClientInfo
}

// Refresh returns new tokens for a refresh token. The errors are openid.ErrInvalidGrant, openid.ErrScopeExceeded
// and openid.ErrInvalidTarget; the last two leave the token valid.
func (a *Authorizations) Refresh(ctx context.Context, in RefreshRequest) (ClientTokens, error) {
	var choice auth.TokenChoice
	pair, err := a.Hooks.RefreshSession(ctx, auth.ClientRefresh{
		Token: in.Token, Client: in.Client.ID, From: in.From,
		Choose: func(ctx context.Context, own session.Session) (_ auth.TokenChoice, err error) {
			choice, err = a.choose(ctx, in, own)
			return choice, err
		},
	})
	if errors.Is(err, session.ErrInvalid) {
		return ClientTokens{}, openid.ErrInvalidGrant
	}
	if err != nil {
		return ClientTokens{}, err
	}
	tokens, err := a.tokensOf(ctx, pair, in.Client, "", choice.Target)
	if err == nil {
		tokens.RefreshToken = pair.RefreshToken // also if the narrower scope says nothing of it
	}
	return tokens, err
}

// choose returns what the new tokens of a session are. A session that has lasted as long as the client may
// now have one ends.
func (a *Authorizations) choose(ctx context.Context, in RefreshRequest, own session.Session) (c auth.TokenChoice, err error) {
	if c.Lifetime = in.Client.LifetimeLeft(own.CreatedAt, a.Now(), a.AccessTTL); c.Lifetime == 0 {
		return c, errors.Join(openid.ErrInvalidGrant, a.discardSession(ctx, own))
	}
	if c.Scopes, err = openid.Narrow(own.Scopes, in.Scope); err == nil {
		c.Target, err = a.target(ctx, c.Scopes, in.Resource)
	}
	return c, err
}

// tokensOf returns the tokens of a pair for a client, with an ID token unless a refresh left the scope
// openid out. After a refresh it has no nonce (OpenID Connect Core, section 12.2).
func (a *Authorizations) tokensOf(
	ctx context.Context, pair auth.TokenPair, client openid.Client, nonce string, target auth.Target,
) (ClientTokens, error) {
	now := a.Now()
	granted := pair.Session.Scopes
	tokens := ClientTokens{AccessToken: pair.AccessToken, ExpiresIn: pair.ExpiresIn, Scopes: openid.OwnScopes(granted)}
	if target.Resource != "" {
		tokens.Scopes = target.Scopes
	}
	if openid.HasScope(granted, openid.ScopeOffline) {
		tokens.RefreshToken = pair.RefreshToken
	}
	if !openid.HasScope(granted, openid.ScopeOpenID) {
		return tokens, nil
	}
	about, err := a.DescribeUser(ctx, pair.User, granted, openid.InIDToken)
	if err != nil {
		return ClientTokens{}, err
	}
	tokens.IDToken, err = a.idTokens.SignIDToken(IDClaims{
		User: pair.User.ID, Session: pair.Session.ID, Client: client.ID, Nonce: nonce, AuthenticatedAt: pair.Session.AuthenticatedAt(),
		ACR: pair.Session.ACR(pair.Session.Factors), Methods: pair.Session.Methods,
		IssuedAt: now, ExpiresAt: now.Add(pair.ExpiresIn), AccessToken: pair.AccessToken, About: about,
	}, client.IDTokenAlg)
	if err != nil {
		return ClientTokens{}, err
	}
	return tokens, nil
}
