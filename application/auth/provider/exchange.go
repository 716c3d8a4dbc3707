package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/octavo-books/octavo/application/auth"
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
	Methods                                       session.Methods
	Context                                       string          // the level that the client is told; empty: that of the methods
	Parent                                        user.SessionID  // the session in which the user consented
	From                                          user.ClientInfo // the browser of the user
	// UsedAt is when the code was first redeemed rightly; zero before that.
	UsedAt time.Time
	// Void says that the code was redeemed wrongly or too late: nothing may come of it any more.
	Void    bool
	Session user.SessionID // started with the code; 0 before that
	// Resource is the one that the first redemption was for, as it named it.
	Resource string
	// Answer holds the sealed tokens that the first redemption was answered with.
	Answer []byte
}

const (
	// usedCodeLifetime is how long after its use a second use of a code ends the session that was
	// started with it.
	usedCodeLifetime = time.Hour
	// exchangeGrace is how long a client may repeat an exchange, for example because it sent it twice
	// at once or lost the answer.
	exchangeGrace = 10 * time.Second
)

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
	client, err := a.reader.FindClient(ctx, id)
	if errors.Is(err, openid.ErrClientNotFound) {
		return client, openid.ErrInvalidClient
	}
	if err != nil {
		return client, err
	}
	return client, client.Authenticate(secret, a.Now())
}

// CodeExchange is the input of Authorizations.Exchange.
type CodeExchange struct {
	Client                      openid.Client // authenticated
	Code, RedirectURI, Verifier string
	Resource                    string          // the identifier of the one that the access token is for; may be empty
	From                        user.ClientInfo // the client
}

// Exchange returns the tokens for a code. Every defect is openid.ErrInvalidGrant. Within
// exchangeGrace the same exchange has the same answer, also at once. Any other attempt uses the
// code up, because the client that makes it may have stolen it, and ends the session that a right
// one has started.
func (a *Authorizations) Exchange(ctx context.Context, in CodeExchange) (ClientTokens, error) {
	of, code, err := a.redeem(ctx, in)
	if err != nil {
		return ClientTokens{}, err
	}
	if code.Answer != nil {
		return a.openAnswer(code.Answer)
	}
	target, err := a.target(ctx, code.Scopes, in.Resource)
	if err != nil { // the client may ask again
		return ClientTokens{}, err
	}
	pair, err := a.startFor(ctx, of, code, in.Client, target)
	if err != nil {
		return ClientTokens{}, err
	}
	tokens, err := a.tokensOf(ctx, pair, in.Client, code.Nonce, target)
	if err != nil {
		return ClientTokens{}, errors.Join(err, a.discardSession(ctx, pair.Session))
	}
	return a.recordAnswer(ctx, in, pair.Session, tokens)
}

// matches reports whether an exchange is the one that the code was issued for, and one that the
// client, which may have been changed since, would still get a code for.
func (c issuedCode) matches(in CodeExchange) bool {
	return c.Client == in.Client.ID && c.RedirectURI == in.RedirectURI && openid.VerifierMatches(c.Challenge, in.Verifier) &&
		in.Client.AllowsRedirect(c.RedirectURI) && (c.Challenge != "" || !in.Client.DemandsPKCE())
}

// use returns the code as it is after an attempt to redeem it.
func (c issuedCode) use(in CodeExchange, now time.Time) issuedCode {
	first := c.UsedAt.IsZero()
	c.Void = c.Void || !c.matches(in) || !first && now.Sub(c.UsedAt) > exchangeGrace || c.Answer != nil && c.Resource != in.Resource
	if first && !c.Void {
		c.UsedAt = now
	}
	if c.Void {
		c.Answer = nil
	}
	return c
}

// answerMark tells sealed answers from other secrets.
const answerMark = "answer to an exchange\x00"

// sealAnswer encrypts the tokens that a repeated exchange gets, too.
func (a *Authorizations) sealAnswer(tokens ClientTokens) ([]byte, error) {
	plain, err := json.Marshal(tokens) //nolint:gosec // they are sealed before they are stored
	if err != nil {
		return nil, err
	}
	return a.Secrets.Seal(append([]byte(answerMark), plain...))
}

func (a *Authorizations) openAnswer(sealed []byte) (tokens ClientTokens, err error) {
	plain, err := a.Secrets.Open(sealed)
	if err != nil {
		return tokens, err
	}
	plain, ok := bytes.CutPrefix(plain, []byte(answerMark))
	if !ok {
		return tokens, openid.ErrInvalidGrant
	}
	return tokens, json.Unmarshal(plain, &tokens)
}

// startFor starts the session of a client if the session in which the user consented is still
// active. Ending that session, for example with a new password, also ends sign-ins that it has
// begun.
func (a *Authorizations) startFor(
	ctx context.Context, of user.ID, code issuedCode, client openid.Client, target auth.Target,
) (auth.TokenPair, error) {
	u, err := a.Storage.FindUser(ctx, of)
	var parent session.Session
	if err == nil {
		parent, err = a.Sessions.FindSession(ctx, of, code.Parent)
	}
	if errors.Is(err, user.ErrNotFound) || errors.Is(err, session.ErrNotFound) ||
		err == nil && (u.Suspended() || !parent.Active(u.Epoch, a.Now())) {
		return auth.TokenPair{}, openid.ErrInvalidGrant
	}
	if err != nil {
		return auth.TokenPair{}, err
	}
	offline := openid.HasScope(code.Scopes, openid.ScopeOffline)
	started := auth.Authentication{
		Parent: parent.ID,
		SignIn: session.SignIn{Methods: code.Methods, SignedInAt: code.AuthenticatedAt, Context: code.Context},
		User:   u, Factors: parent.Factors, From: code.From, Client: client.ID,
		Scopes: code.Scopes, FirstParty: client.FirstParty, Remember: offline, Target: target,
		Expires: client.SessionLifetime,
	}
	now := a.Now()
	started.AccessLifetime = client.LifetimeLeft(now, now, a.AccessTTL)
	if !offline {
		started.Expires = started.AccessLifetime
	}
	pair, err := a.Hooks.StartSession(ctx, started)
	if errors.Is(err, auth.ErrInvalidCredentials) { // the user was deleted in the meantime
		err = openid.ErrInvalidGrant
	}
	return pair, err
}

// redeem records an attempt to redeem a code and returns the code with its user.
func (a *Authorizations) redeem(ctx context.Context, in CodeExchange) (of user.ID, code issuedCode, err error) {
	err = a.Atomically(ctx, func(ctx context.Context, st *tx) error {
		of, code, err = a.lockCode(ctx, st, in.Code)
		if err != nil {
			return err
		}
		code = code.use(in, a.Now())
		return a.putCode(ctx, st, in.Code, of, code)
	})
	switch {
	case errors.Is(err, challenge.ErrCeremonyInvalid):
		return 0, code, openid.ErrInvalidGrant
	case err != nil:
		return 0, code, err
	case code.Void:
		return 0, code, a.revokeReused(ctx, of, code, in)
	}
	return of, code, nil
}

func (a *Authorizations) lockCode(ctx context.Context, st *tx, id string) (of user.ID, code issuedCode, err error) {
	p := challenge.AuthorizationCode
	stored, err := st.LockCeremony(ctx, p, a.CodeKey.CeremonyDigest(p, id), a.Now())
	if err == nil {
		err = json.Unmarshal(stored.State, &code)
	}
	return stored.User, code, err
}

func (a *Authorizations) putCode(ctx context.Context, st *tx, id string, of user.ID, code issuedCode) error {
	return a.putIn(ctx, st, challenge.AuthorizationCode, id, user.Caller{ID: of, From: code.From}, code, usedCodeLifetime)
}

// revokeReused ends the session that was started with a code which is now used wrongly.
func (a *Authorizations) revokeReused(ctx context.Context, of user.ID, code issuedCode, in CodeExchange) error {
	if code.Session == 0 {
		return openid.ErrInvalidGrant // recordAnswer ends the session that is about to begin
	}
	by := user.Caller{From: in.From}
	_, err := a.Sessions.RevokeSessions(ctx, of, []user.SessionID{code.Session}, a.Now(), auth.SideEffects{
		AuditEntries: []audit.Entry{a.AuditEntry(by, "code.reused", of, "session "+code.Session.String()+" of client "+code.Client)},
		Events:       a.SessionsEnded(of, event.TokenReused, code.Session),
		Logouts:      a.LogoutOf(of, code.Session),
	})
	if err != nil {
		return err
	}
	return openid.ErrInvalidGrant
}

// recordAnswer records the session that was started with a code, and its tokens. Of exchanges at
// once the first one decides: the others get its answer and end their sessions. It ends the session
// as well if meanwhile the code was used wrongly, the user has withdrawn their consent or ended all their
// sessions, or the client was removed: each of those ends the sessions that it finds, and may have run before this one
// existed.
func (a *Authorizations) recordAnswer(
	ctx context.Context, in CodeExchange, started session.Session, tokens ClientTokens,
) (ClientTokens, error) {
	sealed, err := a.sealAnswer(tokens)
	if err != nil {
		return ClientTokens{}, errors.Join(err, a.discardSession(ctx, started))
	}
	var first []byte // the answer of a faster exchange
	void := false
	err = a.Atomically(ctx, func(ctx context.Context, st *tx) error {
		first, void = nil, false
		u, exists, err := auth.Optional(st.LockUser(ctx, started.User))
		if void = err == nil && (!exists || started.Epoch < u.Epoch); void || err != nil {
			return err
		}
		_, code, err := a.lockCode(ctx, st, in.Code)
		if err != nil {
			return err
		}
		_, err = st.LockGrant(ctx, started.User, started.Client)
		if void = errors.Is(err, openid.ErrGrantNotFound) || err == nil && code.Void; void || err != nil {
			return ignoreMissingGrant(err)
		}
		if first = code.Answer; first != nil {
			return nil
		}
		code.Session, code.Answer, code.Resource = started.ID, sealed, in.Resource
		if err := st.AddSignIn(ctx, a.signInOf(started)); err != nil {
			return err
		}
		return a.putCode(ctx, st, in.Code, started.User, code)
	})
	switch {
	case err == nil && !void && first == nil:
		return tokens, a.mustStillStand(ctx, started)
	case err == nil && !void:
		if err := a.discardSession(ctx, started); err != nil {
			return ClientTokens{}, err
		}
		return a.openAnswer(first)
	}
	return ClientTokens{}, errors.Join(orInvalidGrant(err), a.discardSession(ctx, started))
}

// mustStillStand ends a session with openid.ErrInvalidGrant if the one in which the user consented was ended while it
// began, or if the client is no longer first party: whoever did that looks for such sessions afterwards, but may have
// done so before this one existed.
func (a *Authorizations) mustStillStand(ctx context.Context, started session.Session) error {
	_, err := a.Sessions.FindSession(ctx, started.User, started.Parent)
	if err == nil {
		var client openid.Client
		client, err = a.reader.FindClient(ctx, started.Client)
		if err == nil && (client.FirstParty || !started.FirstParty) {
			return nil
		}
	}
	if err == nil || errors.Is(err, session.ErrNotFound) || errors.Is(err, openid.ErrClientNotFound) {
		err = openid.ErrInvalidGrant
	}
	return errors.Join(err, a.discardSession(ctx, started))
}

// signInOf returns what is remembered of a sign-in at an application.
func (a *Authorizations) signInOf(started session.Session) SignIn {
	until := a.Now().Add(rememberSignIn)
	if openid.HasScope(started.Scopes, openid.ScopeOffline) {
		until = started.AbsoluteExpiry
	}
	return SignIn{Session: started.ID, User: started.User, Parent: started.Parent, Client: started.Client, Until: until}
}

// discardSession ends a session whose tokens nobody gets.
func (a *Authorizations) discardSession(ctx context.Context, started session.Session) error {
	_, err := a.Sessions.RevokeSessions(context.WithoutCancel(ctx), started.User, []user.SessionID{started.ID}, a.Now(), auth.SideEffects{
		Events:  a.SessionsEnded(started.User, event.Revoked, started.ID),
		Logouts: a.LogoutOf(started.User, started.ID),
	})
	return err
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
