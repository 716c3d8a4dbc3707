package auth

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// issuedCode is the state of an authorization code. It outlives its use, so that a second use
// is noticed.
type issuedCode struct {
	Client, RedirectURI, Challenge, Nonce, Scopes string
	AuthenticatedAt                               time.Time
	Parent                                        user.SessionID  // the session in which the user consented
	From                                          user.ClientInfo // the browser of the user
	Used, UsedAgain                               bool
	Session                                       user.SessionID // started with the code; 0 before that
}

// usedCodeLifetime is how long after its use a second use of a code ends the session that was
// started with it.
const usedCodeLifetime = time.Hour

// ClientTokens are the tokens that a client gets for a code or a refresh token.
type ClientTokens struct {
	AccessToken  string
	ExpiresIn    time.Duration
	RefreshToken string // "" without the scope offline_access
	IDToken      string
	Scopes       string
}

// AuthenticateClient returns the client with this id and secret, which is empty for a public
// client; else openid.ErrInvalidClient.
func (a *Authorizations) AuthenticateClient(ctx context.Context, id, secret string) (openid.Client, error) {
	client, err := a.Clients.FindClient(ctx, id)
	if errors.Is(err, openid.ErrClientNotFound) {
		return client, openid.ErrInvalidClient
	}
	if err != nil {
		return client, err
	}
	return client, client.Authenticate(secret)
}

// CodeExchange is the input of Authorizations.Exchange.
type CodeExchange struct {
	Client                      openid.Client // authenticated
	Code, RedirectURI, Verifier string
	From                        user.ClientInfo // the client
}

// Exchange returns the tokens for a code. Every defect is openid.ErrInvalidGrant. A code allows
// one attempt, even a wrong one, because the client that makes it may have stolen the code. A
// second use ends the session that the first one started.
func (a *Authorizations) Exchange(ctx context.Context, in CodeExchange) (ClientTokens, error) {
	of, code, err := a.redeem(ctx, in)
	if err != nil {
		return ClientTokens{}, err
	}
	pair, err := a.startFor(ctx, of, code, in.Client)
	if err != nil {
		return ClientTokens{}, err
	}
	if err := a.recordSession(ctx, in, pair.Session); err != nil {
		return ClientTokens{}, err
	}
	return a.tokensOf(pair, in.Client, code.Nonce, code.AuthenticatedAt)
}

// startFor starts the session of a client if the session in which the user consented is still
// active. Ending that session, for example with a new password, also ends sign-ins that it has
// begun.
func (a *Authorizations) startFor(ctx context.Context, of user.ID, code issuedCode, client openid.Client) (TokenPair, error) {
	u, err := a.Users.FindUser(ctx, of)
	var parent session.Session
	if err == nil {
		parent, err = a.Sessions.FindSession(ctx, of, code.Parent)
	}
	if errors.Is(err, user.ErrNotFound) || errors.Is(err, session.ErrNotFound) || err == nil && (u.Suspended() || !parent.Active(u.Epoch, a.Clock.Now())) {
		return TokenPair{}, openid.ErrInvalidGrant
	}
	if err != nil {
		return TokenPair{}, err
	}
	offline := openid.HasScope(code.Scopes, openid.ScopeOffline)
	started := authentication{
		user: u, factors: parent.Factors, from: code.From, client: client.ID, scopes: code.Scopes, firstParty: client.FirstParty, remember: offline,
	}
	if !offline {
		started.expires = a.AccessTTL
	}
	pair, err := a.sessions.start(ctx, started)
	if errors.Is(err, ErrInvalidCredentials) { // the user was deleted in the meantime
		err = openid.ErrInvalidGrant
	}
	return pair, err
}

// redeem marks a code as used and returns it with its user.
func (a *Authorizations) redeem(ctx context.Context, in CodeExchange) (of user.ID, code issuedCode, err error) {
	again := false
	err = a.Database.Atomically(ctx, func(ctx context.Context, st Stores) error {
		p := challenge.AuthorizationCode
		stored, err := st.Ceremonies.LockCeremony(ctx, p, a.CodeKey.CeremonyDigest(p, in.Code), a.Clock.Now())
		if err != nil {
			return err
		}
		code = issuedCode{}
		if err := json.Unmarshal(stored.State, &code); err != nil {
			return err
		}
		of, again = stored.User, code.Used
		code.Used, code.UsedAgain = true, again
		return a.putIn(ctx, st, p, in.Code, user.Caller{ID: of, From: code.From}, code, usedCodeLifetime)
	})
	switch {
	case errors.Is(err, challenge.ErrCeremonyInvalid):
		return 0, code, openid.ErrInvalidGrant
	case err != nil:
		return 0, code, err
	case again:
		return 0, code, a.revokeReused(ctx, of, code, in)
	case code.Client != in.Client.ID || code.RedirectURI != in.RedirectURI || !openid.VerifierMatches(code.Challenge, in.Verifier):
		return 0, code, openid.ErrInvalidGrant
	}
	return of, code, nil
}

// revokeReused ends the session that was started with a code which is now used again.
func (a *Authorizations) revokeReused(ctx context.Context, of user.ID, code issuedCode, in CodeExchange) error {
	if code.Session == 0 {
		return openid.ErrInvalidGrant // recordSession ends the session that is about to begin
	}
	by := user.Caller{From: in.From}
	_, err := a.Revoker.RevokeSessions(ctx, of, []user.SessionID{code.Session}, a.Clock.Now(), SideEffects{
		AuditEntries: []audit.Entry{a.auditEntry(by, "code.reused", of, "session "+code.Session.String()+" of client "+code.Client)},
		Events:       a.sessionsEnded(of, event.TokenReused, code.Session),
	})
	if err != nil {
		return err
	}
	return openid.ErrInvalidGrant
}

// recordSession records the session that was started with a code. It ends the session again if
// meanwhile the code was used a second time, the user has withdrawn their consent or the client
// was removed: each of those ends the sessions that it finds, and may have run before this one
// existed.
func (a *Authorizations) recordSession(ctx context.Context, in CodeExchange, started session.Session) error {
	void := false
	err := a.Database.Atomically(ctx, func(ctx context.Context, st Stores) error {
		p := challenge.AuthorizationCode
		stored, err := st.Ceremonies.LockCeremony(ctx, p, a.CodeKey.CeremonyDigest(p, in.Code), a.Clock.Now())
		if err != nil {
			return err
		}
		var code issuedCode
		if err := json.Unmarshal(stored.State, &code); err != nil {
			return err
		}
		_, err = st.Clients.LockGrant(ctx, started.User, started.Client)
		if void = errors.Is(err, openid.ErrGrantNotFound) || err == nil && code.UsedAgain; void || err != nil {
			return ignoreMissingGrant(err)
		}
		code.Session = started.ID
		return a.putIn(ctx, st, p, in.Code, user.Caller{ID: started.User, From: code.From}, code, usedCodeLifetime)
	})
	if err == nil && !void {
		return nil
	}
	_, ended := a.Revoker.RevokeSessions(context.WithoutCancel(ctx), started.User, []user.SessionID{started.ID}, a.Clock.Now(), SideEffects{
		Events: a.sessionsEnded(started.User, event.Revoked, started.ID),
	})
	return errors.Join(orInvalidGrant(err), ended)
}

func ignoreMissingGrant(err error) error {
	if errors.Is(err, openid.ErrGrantNotFound) {
		return nil
	}
	return err
}

// orInvalidGrant returns openid.ErrInvalidGrant unless there is another error.
func orInvalidGrant(err error) error {
	if err == nil || errors.Is(err, challenge.ErrCeremonyInvalid) {
		return openid.ErrInvalidGrant
	}
	return err
}

// Refresh returns new tokens for the refresh token of an authenticated client. scope may repeat
// what was granted, or a part of it; the tokens have all of it. The errors are
// openid.ErrInvalidGrant and openid.ErrScopeExceeded.
func (a *Authorizations) Refresh(ctx context.Context, client openid.Client, refreshToken, scope string, from user.ClientInfo) (ClientTokens, error) {
	token, err := session.ParseToken(refreshToken)
	if err != nil {
		return ClientTokens{}, openid.ErrInvalidGrant
	}
	if scope != "" { // checked first, so that a bad request does not use up the token
		own, err := a.Sessions.FindSession(ctx, token.User, token.Session)
		if errors.Is(err, session.ErrNotFound) || err == nil && (!own.Issued(token) || own.Client != client.ID) {
			return ClientTokens{}, openid.ErrInvalidGrant
		}
		if err != nil {
			return ClientTokens{}, err
		}
		if !(openid.Grant{Scopes: own.Scopes}).Covers(scope) {
			return ClientTokens{}, openid.ErrScopeExceeded
		}
	}
	pair, err := a.sessions.refresh(ctx, refreshToken, client.ID, from)
	if errors.Is(err, session.ErrInvalid) {
		return ClientTokens{}, openid.ErrInvalidGrant
	}
	if err != nil {
		return ClientTokens{}, err
	}
	return a.tokensOf(pair, client, "", time.Time{})
}

// tokensOf returns the tokens of a pair for a client, with an ID token. After a refresh the ID
// token has neither the nonce nor the time of the sign-in (OpenID Connect Core, section 12.2).
func (a *Authorizations) tokensOf(pair TokenPair, client openid.Client, nonce string, authenticatedAt time.Time) (ClientTokens, error) {
	now := a.Clock.Now()
	idToken, err := a.IDTokens.SignIDToken(IDClaims{
		User: pair.User.ID, Session: pair.Session.ID, Client: client.ID, Nonce: nonce, AuthenticatedAt: authenticatedAt,
		IssuedAt: now, ExpiresAt: now.Add(a.AccessTTL), AccessToken: pair.AccessToken, About: aboutUser(pair.User, pair.Session.Scopes),
	}, client.IDTokenAlg)
	if err != nil {
		return ClientTokens{}, err
	}
	tokens := ClientTokens{AccessToken: pair.AccessToken, ExpiresIn: pair.ExpiresIn, IDToken: idToken, Scopes: pair.Session.Scopes}
	if openid.HasScope(tokens.Scopes, openid.ScopeOffline) {
		tokens.RefreshToken = pair.RefreshToken
	}
	return tokens, nil
}
