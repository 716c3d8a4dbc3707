package sessions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// Sessions refreshes and revokes sessions.
type Sessions struct{ *unit }

// newAccountPeriod is how long after its creation the first sign-in to an account sends no
// notice. Stores may forget devices, but not that early.
const newAccountPeriod = 24 * time.Hour

// start creates a session for a user who was authenticated.
func (s *Sessions) start(ctx context.Context, a auth.Authentication) (auth.TokenPair, error) {
	u, from, now := a.User, a.From, s.Now()
	var clientSecret session.ClientSecret
	var serverSecret [32]byte
	for _, b := range [][]byte{clientSecret[:], serverSecret[:]} {
		if _, err := io.ReadFull(s.Random, b); err != nil {
			return auth.TokenPair{}, fmt.Errorf("start a session: %w", err)
		}
	}
	created := session.Session{
		ID: user.SessionID(s.NextID()), User: u.ID, CreatedAt: now,
		Lifetime: session.Lifetime{
			LastUsedAt: now, IdleTimeout: session.IdleTimeout, AbsoluteExpiry: now.Add(session.AbsoluteTimeout), Epoch: u.Epoch,
		},
		IP: from.IP, UserAgent: from.UserAgent, Device: s.ParseUserAgent(from.UserAgent),
		Family:  session.TokenFamily{ServerSecret: serverSecret, ClientSecretHash: clientSecret.Hash(), RotatedAt: now},
		Factors: a.Factors, Client: a.Client, Scopes: a.Scopes, FirstParty: a.FirstParty,
	}
	created.SignIn, created.Parent = signInOf(a, now), a.Parent
	switch {
	case a.External:
		created.ProvedAt, created.Elsewhere = a.ProvedAt, true
	case a.Fresh:
		created.ProvedAt = now
	}
	if a.Remember {
		created.IdleTimeout = session.IdleTimeoutRemembered
	}
	if a.Expires > 0 {
		created.AbsoluteExpiry = now.Add(a.Expires)
	}
	err := s.Sessions.AddSession(ctx, created, s.MaxSessions, s.startEffects(a, created))
	if errors.Is(err, user.ErrNotFound) {
		err = auth.ErrInvalidCredentials // deleted in the meantime
	}
	if err != nil {
		return auth.TokenPair{}, err
	}
	return s.issueTokens(u, created, clientSecret, 0, auth.TokenChoice{Target: a.Target, Lifetime: a.AccessLifetime})
}

// signInOf returns what is known about a sign-in that ends now.
func signInOf(a auth.Authentication, now time.Time) session.SignIn {
	switch {
	case a.Client != "":
		return a.SignIn
	case a.External:
		return session.SignIn{Methods: a.Methods, SignedInAt: a.ProvedAt}
	}
	return session.SignIn{Methods: a.Methods, SignedInAt: now}
}

// startEffects are those of a new session.
func (s *Sessions) startEffects(a auth.Authentication, created session.Session) auth.SessionEffects {
	u, from, id := a.User, a.From, created.ID
	return auth.SessionEffects{
		Added: func(known auth.KnownDevices) auth.SideEffects {
			now := s.Now()
			t := auth.SideEffects{
				AuditEntries: []audit.Entry{
					s.AuditEntry(user.Caller{ID: u.ID, From: from}, "session.started", u.ID, "session "+id.String()),
				},
				KnownClient: s.NewKnownClient(u.ID, limit.ClientKey(from.IP)),
				Events:      s.StampEvents(event.StartSession(u.ID, id, !known.This)),
			}
			if one := a.Service; one.Service != "" {
				one.Session, one.User, one.Until = id, u.ID, created.AbsoluteExpiry
				t.ServiceSignIn = &one
			}
			// The owner of a new account need not hear of the first sign-in.
			if !known.This && (known.Any || now.Sub(u.CreatedAt) > newAccountPeriod) {
				t.Messages = []message.Message{s.SecurityNotice(message.NewSession, u, from)}
			}
			return t
		},
		Evicted: func(revoked []user.SessionID) auth.SideEffects {
			ended := auth.SideEffects{Events: s.SessionsEnded(u.ID, event.Superseded, revoked...)}
			if created.Client != "" { // people who sign in on many devices go on using their applications
				ended.Logouts = s.LogoutOf(u.ID, revoked...)
			}
			return ended
		},
	}
}

// issueTokens signs an access token and computes refresh token n of a session.
func (s *Sessions) issueTokens(
	u user.User, of session.Session, secret session.ClientSecret, n int64, choice auth.TokenChoice,
) (auth.TokenPair, error) {
	now, lifetime := s.Now(), cmp.Or(choice.Lifetime, s.AccessTTL)
	c := auth.Claims{
		User: u.ID, Session: of.ID, TokenNumber: n, IssuedAt: now, ExpiresAt: now.Add(lifetime),
		Client: of.Client, Scopes: openid.TokenScopes(of.Scopes), FirstParty: of.FirstParty, Target: choice.Target,
	}
	if !c.ThirdParty() && choice.Target.Resource == "" { // no scope covers the role and the metadata
		c.Role, c.Metadata = effectiveRole(s.Deps, u.Role, of.Factors), u.Metadata
	}
	access, err := s.Tokens.SignToken(c)
	if err != nil {
		return auth.TokenPair{}, err
	}
	return auth.TokenPair{
		AccessToken: access, ExpiresIn: lifetime, RefreshToken: of.RefreshToken(secret, n).String(), Session: of, User: u,
	}, nil
}

// Refresh exchanges a refresh token for its successor and a new access token. It
// returns session.ErrInvalid for anything but a valid token of an active session. Reuse
// of a token whose successor has arrived also revokes the session and notifies the
// user. The refresh token of an OpenID client is refused: see refresh.
func (s *Sessions) Refresh(ctx context.Context, refreshToken string, from user.ClientInfo) (auth.TokenPair, error) {
	return s.refresh(ctx, auth.ClientRefresh{Token: refreshToken, From: from})
}

// refresh is Refresh for the tokens of one OpenID client; its client is empty for Octavo's own.
func (s *Sessions) refresh(ctx context.Context, in auth.ClientRefresh) (auth.TokenPair, error) {
	t, err := session.ParseToken(in.Token)
	if err != nil {
		return auth.TokenPair{}, err
	}
	known, err := s.Sessions.FindSession(ctx, t.User, t.Session)
	switch {
	case errors.Is(err, session.ErrNotFound) || err == nil && (!known.Issued(t) || known.Client != in.Client):
		return auth.TokenPair{}, session.ErrInvalid
	case err != nil:
		return auth.TokenPair{}, err
	}
	choice := auth.TokenChoice{Scopes: known.Scopes}
	if in.Choose != nil {
		if choice, err = in.Choose(ctx, known); err != nil {
			return auth.TokenPair{}, err
		}
	}
	u, ok, err := auth.Optional(s.Storage.FindUser(ctx, t.User))
	switch {
	case err != nil:
		return auth.TokenPair{}, err
	case !ok:
		return auth.TokenPair{}, session.ErrInvalid
	}
	p := auth.PresentedToken{User: t.User, Session: t.Session, Number: t.Number, UserEpoch: u.Epoch, At: s.Now()}
	now, outcome, err := s.Sessions.RotateToken(ctx, p, func(session.Session) auth.SideEffects {
		return s.reuseEffects(u, t.Session, in.From)
	})
	switch {
	case err != nil:
		return auth.TokenPair{}, err
	case outcome != session.Rotated && outcome != session.ReusedInGracePeriod:
		return auth.TokenPair{}, session.ErrInvalid
	}
	now.Scopes = choice.Scopes
	return s.issueTokens(u, now, t.ClientSecret, t.Number+1, choice)
}

// reuseEffects records a reused token and notifies the user.
func (s *Sessions) reuseEffects(of user.User, id user.SessionID, from user.ClientInfo) auth.SideEffects {
	return auth.SideEffects{
		AuditEntries: []audit.Entry{s.AuditEntry(user.Caller{From: from}, "session.reused", of.ID, "session "+id.String())},
		Messages:     []message.Message{s.SecurityNotice(message.SessionEnded, of, from)},
		Events:       s.SessionsEnded(of.ID, event.TokenReused, id),
		Logouts:      s.LogoutOf(of.ID, id),
	}
}
