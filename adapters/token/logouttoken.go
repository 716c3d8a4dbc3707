package token

import "github.com/octavo-books/octavo/application/auth/provider"

// logoutKind is the typ of logout tokens. It keeps them apart from ID tokens, which the same key signs.
const logoutKind = "logout+jwt"

// logoutPayload is the claims set of a logout token.
type logoutPayload struct {
	Issuer    string         `json:"iss"`
	Subject   string         `json:"sub"`
	Audience  string         `json:"aud"`
	Session   string         `json:"sid"`
	IssuedAt  int64          `json:"iat"`
	ExpiresAt int64          `json:"exp"`
	ID        string         `json:"jti"`
	Events    map[string]any `json:"events"`
}

// logoutEvents says that the token is about a sign-out.
var logoutEvents = map[string]any{"http://schemas.openid.net/event/backchannel-logout": struct{}{}}

// SignLogoutToken implements provider.IDTokens.
func (t *IDTokens) SignLogoutToken(c provider.LogoutClaims, algorithm string) (string, error) {
	return t.sign(logoutPayload{
		Issuer: t.tokens.issuer, Subject: c.User.String(), Audience: c.Client, Session: c.Session.String(), ID: c.ID,
		IssuedAt: c.IssuedAt.Unix(), ExpiresAt: c.ExpiresAt.Unix(), Events: logoutEvents,
	}, algorithm, logoutKind)
}
