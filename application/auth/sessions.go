package auth

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// Sessions begins, renews and ends sessions.
type Sessions struct {
	*deps
	attempts keyedSemaphore
}

// SignIn begins a session. It answers ErrInvalidCredentials, after the same
// work, for a wrong password, an unknown or unconfirmed address and an account
// without a password; limit.ErrExceeded after too many of them for one address
// from one client.
func (s *Sessions) SignIn(ctx context.Context, in SignInRequest) (TokenPair, error) {
	u, err := s.verifyCredentials(ctx, in)
	if err != nil {
		return TokenPair{}, err
	}
	return s.start(ctx, u, in.Remember, in.From)
}

// verifyCredentials finds whose address and password these are. A try is counted before
// the password is looked at, so that many at once count as many; a right one
// takes the count back, and no more are looked at together than may be wrong.
func (s *Sessions) verifyCredentials(ctx context.Context, in SignInRequest) (user.User, error) {
	ask := requestFrom("sign-ins", s.Rules.SignIns, in.From)
	email, err := user.ParseEmail(in.Email)
	typed, ok := user.TypedPassword(in.Password)
	if err != nil || !ok {
		if err := s.allowRequests(ctx, ask); err != nil {
			return user.User{}, err
		}
		return user.User{}, ErrInvalidCredentials
	}
	name := failuresKey(email, in.From)
	leave, err := s.attempts.acquire(ctx, name)
	if err != nil {
		return user.User{}, err
	}
	defer leave()
	if err := s.allowRequests(ctx, ask, limit.Request{Name: name, Rule: s.Rules.SignInFailures}); err != nil {
		s.recordLimited(ctx, err, email, in.From)
		return user.User{}, err
	}
	u, err := s.findByCredentials(ctx, email, typed)
	if err != nil {
		return user.User{}, err
	}
	return u, s.Limits.ResetLimit(ctx, name)
}

// findByCredentials finds the account that has the address and the password.
func (s *Sessions) findByCredentials(ctx context.Context, email user.Email, typed []user.Password) (user.User, error) {
	u, _, err := findOptional(s.Users.FindUserByEmail(ctx, email))
	if err != nil {
		return user.User{}, err
	}
	right, outdated, err := s.verifyPassword(ctx, u.PasswordHash, typed)
	if err != nil {
		return user.User{}, err
	}
	if !right || !u.Verified {
		return user.User{}, ErrInvalidCredentials
	}
	if outdated {
		s.rehash(ctx, u, typed[0])
	}
	return u, nil
}

// rehash keeps the password under today's cost, unless it was changed meanwhile.
// It can wait for the next sign-in, so a failure stops nobody.
func (s *Sessions) rehash(ctx context.Context, u user.User, p user.Password) {
	hash, err := s.Hasher.HashPassword(ctx, p)
	if err == nil {
		err = s.Database.Atomically(ctx, func(ctx context.Context, st Stores) error {
			now, err := st.Users.LockUser(ctx, u.ID)
			if err != nil || now.PasswordHash != u.PasswordHash {
				return err
			}
			now.PasswordHash = hash
			return st.Users.SaveUser(ctx, now)
		})
	}
	if err != nil {
		s.Log.WarnContext(ctx, "a password was not hashed anew", "user", u.ID.String(), "error", err)
	}
}

// start makes a session for somebody who has proved who they are.
func (s *Sessions) start(ctx context.Context, u user.User, remember bool, from user.ClientInfo) (TokenPair, error) {
	now := s.Clock.Now()
	var half session.ClientSecret
	var secret [32]byte
	for _, b := range [][]byte{half[:], secret[:]} {
		if _, err := io.ReadFull(s.Random, b); err != nil {
			return TokenPair{}, fmt.Errorf("begin a session: %w", err)
		}
	}
	begun := session.Session{
		ID: user.SessionID(s.IDs.Next()), User: u.ID, CreatedAt: now,
		Lifetime: session.Lifetime{LastUsedAt: now, IdleTimeout: session.IdleTimeout, AbsoluteExpiry: now.Add(session.AbsoluteTimeout), Epoch: u.Epoch},
		IP:       from.IP, UserAgent: from.UserAgent, Device: s.UserAgents.ParseUserAgent(from.UserAgent),
		Family: session.TokenFamily{ServerSecret: secret, ClientSecretHash: half.Hash(), RotatedAt: now},
	}
	if remember {
		begun.IdleTimeout = session.IdleTimeoutRemembered
	}
	err := s.Sessions.AddSession(ctx, begun, s.MaxSessions, func(newDevice bool) SideEffects {
		by := user.Caller{ID: u.ID, From: from}
		t := SideEffects{
			AuditEntries: []audit.Entry{s.auditEntry(by, "session.started", u.ID, "session "+begun.ID.String())},
			KnownClient:  &KnownClient{User: u.ID, Key: limit.ClientKey(from.IP), Until: now.Add(session.AbsoluteTimeout)},
		}
		if newDevice {
			t.Messages = []message.Message{s.securityNotice(message.NewSession, u, from)}
		}
		return t
	})
	if errors.Is(err, user.ErrNotFound) {
		err = ErrInvalidCredentials // deleted meanwhile
	}
	if err != nil {
		return TokenPair{}, err
	}
	return s.issueTokens(u, begun, half, 0)
}

// issueTokens makes the tokens of a session: refresh token n and what comes with it.
func (s *Sessions) issueTokens(u user.User, of session.Session, half session.ClientSecret, n int64) (TokenPair, error) {
	now := s.Clock.Now()
	access, err := s.Tokens.SignToken(Claims{
		User: u.ID, Session: of.ID, Role: u.Role, TokenNumber: n, IssuedAt: now, ExpiresAt: now.Add(s.AccessTTL),
	})
	if err != nil {
		return TokenPair{}, err
	}
	return TokenPair{
		AccessToken: access, ExpiresIn: s.AccessTTL, RefreshToken: of.RefreshToken(half, n).String(), Session: of, User: u,
	}, nil
}

// Refresh answers a refresh token with its successor and a new access token.
// Everything but a live token is session.ErrInvalid; one that was used before
// although its successor arrived also ends its session and tells the user.
func (s *Sessions) Refresh(ctx context.Context, refreshToken string, from user.ClientInfo) (TokenPair, error) {
	t, err := session.ParseToken(refreshToken)
	if err != nil {
		return TokenPair{}, err
	}
	known, err := s.Sessions.FindSession(ctx, t.User, t.Session)
	switch {
	case errors.Is(err, session.ErrNotFound) || err == nil && !known.Issued(t):
		return TokenPair{}, session.ErrInvalid
	case err != nil:
		return TokenPair{}, err
	}
	u, ok, err := findOptional(s.Users.FindUser(ctx, t.User))
	switch {
	case err != nil:
		return TokenPair{}, err
	case !ok:
		return TokenPair{}, session.ErrInvalid
	}
	p := PresentedToken{User: t.User, Session: t.Session, Number: t.Number, UserEpoch: u.Epoch, At: s.Clock.Now()}
	now, outcome, err := s.Rotator.RotateToken(ctx, p, func(session.Session) SideEffects { return s.reuseEffects(u, t.Session, from) })
	switch {
	case err != nil:
		return TokenPair{}, err
	case outcome != session.Rotated && outcome != session.ReusedInGracePeriod:
		return TokenPair{}, session.ErrInvalid
	}
	return s.issueTokens(u, now, t.ClientSecret, t.Number+1)
}

func (s *Sessions) reuseEffects(of user.User, id user.SessionID, from user.ClientInfo) SideEffects {
	return SideEffects{
		AuditEntries: []audit.Entry{s.auditEntry(user.Caller{From: from}, "session.reused", of.ID, "session "+id.String())},
		Messages:     []message.Message{s.securityNotice(message.SessionEnded, of, from)},
	}
}

// SignOut ends the caller's session; nobody may sign out, too.
func (s *Sessions) SignOut(ctx context.Context, by user.Caller) error {
	if !by.SignedIn() {
		return nil
	}
	_, err := s.revoke(ctx, by, "session.signed_out", by.Session)
	return err
}

// Revoke ends one of the caller's own sessions; session.ErrNotFound for any other.
func (s *Sessions) Revoke(ctx context.Context, by user.Caller, id user.SessionID) error {
	if !by.SignedIn() {
		return user.ErrUnauthenticated
	}
	own, err := s.Sessions.FindSession(ctx, by.ID, id)
	if err != nil {
		return err
	}
	u, err := s.Users.FindUser(ctx, by.ID)
	if err != nil {
		return err
	}
	if !own.Active(u.Epoch, s.Clock.Now()) {
		return session.ErrNotFound
	}
	_, err = s.revoke(ctx, by, "session.revoked", id)
	return err
}

// RevokeOthers ends all sessions of the caller but the one that asks, and says
// how many those were.
func (s *Sessions) RevokeOthers(ctx context.Context, by user.Caller) (int, error) {
	all, err := s.List(ctx, by, by.ID)
	if err != nil {
		return 0, err
	}
	return s.revoke(ctx, by, "session.others_revoked", sessionIDs(all, by.Session)...)
}

func (s *Sessions) revoke(ctx context.Context, by user.Caller, action string, ids ...user.SessionID) (int, error) {
	entries := make([]audit.Entry, len(ids))
	for i, id := range ids {
		entries[i] = s.auditEntry(by, action, by.ID, "session "+id.String())
	}
	return s.Revoker.RevokeSessions(ctx, by.ID, ids, s.Clock.Now(), SideEffects{AuditEntries: entries})
}

// List are the live sessions of a person, most recently used first, for that
// person and for admins.
func (s *Sessions) List(ctx context.Context, by user.Caller, of user.ID) ([]session.Session, error) {
	if by.ID != of || !by.SignedIn() {
		if err := by.MustBe(user.Admin); err != nil {
			return nil, err
		}
	}
	u, err := s.Users.FindUser(ctx, of)
	if err != nil {
		return nil, err
	}
	return s.activeSessions(ctx, u)
}
