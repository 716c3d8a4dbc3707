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
	*kit
	lanes lanes
}

// SignIn begins a session. It answers ErrInvalidCredentials, after the same
// work, for a wrong password, an unknown or unconfirmed address and an account
// without a password; limit.ErrExceeded after too many of them for one address
// from one client.
func (s *Sessions) SignIn(ctx context.Context, in SignIn) (Grant, error) {
	u, err := s.prove(ctx, in)
	if err != nil {
		return Grant{}, err
	}
	return s.begin(ctx, u, in.Remember, in.From)
}

// prove finds whose address and password these are. A try is counted before
// the password is looked at, so that many at once count as many; a right one
// takes the count back, and no more are looked at together than may be wrong.
func (s *Sessions) prove(ctx context.Context, in SignIn) (user.User, error) {
	ask := client("sign-ins", s.Rules.SignIns, in.From)
	email, err := user.ParseEmail(in.Email)
	typed, ok := user.TypedPassword(in.Password)
	if err != nil || !ok {
		if err := s.allow(ctx, ask); err != nil {
			return user.User{}, err
		}
		return user.User{}, ErrInvalidCredentials
	}
	name := failures(email, in.From)
	leave, err := s.lanes.enter(ctx, name)
	if err != nil {
		return user.User{}, err
	}
	defer leave()
	if err := s.allow(ctx, ask, limit.Request{Name: name, Rule: s.Rules.SignInFailures}); err != nil {
		s.record(ctx, err, email, in.From)
		return user.User{}, err
	}
	u, err := s.compare(ctx, email, typed)
	if err != nil {
		return user.User{}, err
	}
	return u, s.Limits.ResetLimit(ctx, name)
}

// compare finds the account that has the address and the password.
func (s *Sessions) compare(ctx context.Context, email user.Email, typed []user.Password) (user.User, error) {
	u, _, err := found(s.Users.FindUserByEmail(ctx, email))
	if err != nil {
		return user.User{}, err
	}
	right, outdated, err := s.verify(ctx, u.PasswordHash, typed)
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

// begin makes a session for somebody who has proved who they are.
func (s *Sessions) begin(ctx context.Context, u user.User, remember bool, from user.ClientInfo) (Grant, error) {
	now := s.Clock.Now()
	var half session.ClientSecret
	var secret [32]byte
	for _, b := range [][]byte{half[:], secret[:]} {
		if _, err := io.ReadFull(s.Random, b); err != nil {
			return Grant{}, fmt.Errorf("begin a session: %w", err)
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
			AuditEntries: []audit.Entry{s.entry(by, "session.started", u.ID, "session "+begun.ID.String())},
			KnownClient:  &KnownClient{User: u.ID, Key: limit.ClientKey(from.IP), Until: now.Add(session.AbsoluteTimeout)},
		}
		if newDevice {
			t.Messages = []message.Message{s.note(message.NewSession, u, from)}
		}
		return t
	})
	if errors.Is(err, user.ErrNotFound) {
		err = ErrInvalidCredentials // deleted meanwhile
	}
	if err != nil {
		return Grant{}, err
	}
	return s.grant(u, begun, half, 0)
}

// grant makes the tokens of a session: refresh token n and what comes with it.
func (s *Sessions) grant(u user.User, of session.Session, half session.ClientSecret, n int64) (Grant, error) {
	now := s.Clock.Now()
	access, err := s.Tokens.SignToken(Claims{
		User: u.ID, Session: of.ID, Role: u.Role, TokenNumber: n, IssuedAt: now, ExpiresAt: now.Add(s.AccessTTL),
	})
	if err != nil {
		return Grant{}, err
	}
	return Grant{
		AccessToken: access, ExpiresIn: s.AccessTTL, RefreshToken: of.RefreshToken(half, n).String(), Session: of, User: u,
	}, nil
}

// Refresh answers a refresh token with its successor and a new access token.
// Everything but a live token is session.ErrInvalid; one that was used before
// although its successor arrived also ends its session and tells the user.
func (s *Sessions) Refresh(ctx context.Context, refreshToken string, from user.ClientInfo) (Grant, error) {
	t, err := session.ParseToken(refreshToken)
	if err != nil {
		return Grant{}, err
	}
	known, err := s.Sessions.FindSession(ctx, t.User, t.Session)
	switch {
	case errors.Is(err, session.ErrNotFound) || err == nil && !known.Issued(t):
		return Grant{}, session.ErrInvalid
	case err != nil:
		return Grant{}, err
	}
	u, ok, err := found(s.Users.FindUser(ctx, t.User))
	switch {
	case err != nil:
		return Grant{}, err
	case !ok:
		return Grant{}, session.ErrInvalid
	}
	p := PresentedToken{User: t.User, Session: t.Session, Number: t.Number, UserEpoch: u.Epoch, At: s.Clock.Now()}
	now, outcome, err := s.Rotator.RotateToken(ctx, p, func(session.Session) SideEffects { return s.theft(u, t.Session, from) })
	switch {
	case err != nil:
		return Grant{}, err
	case outcome != session.Rotated && outcome != session.ReusedInGracePeriod:
		return Grant{}, session.ErrInvalid
	}
	return s.grant(u, now, t.ClientSecret, t.Number+1)
}

func (s *Sessions) theft(of user.User, id user.SessionID, from user.ClientInfo) SideEffects {
	return SideEffects{
		AuditEntries: []audit.Entry{s.entry(user.Caller{From: from}, "session.reused", of.ID, "session "+id.String())},
		Messages:     []message.Message{s.note(message.SessionEnded, of, from)},
	}
}

// SignOut ends the caller's session; nobody may sign out, too.
func (s *Sessions) SignOut(ctx context.Context, by user.Caller) error {
	if !by.SignedIn() {
		return nil
	}
	_, err := s.end(ctx, by, "session.signed_out", by.Session)
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
	_, err = s.end(ctx, by, "session.revoked", id)
	return err
}

// RevokeOthers ends all sessions of the caller but the one that asks, and says
// how many those were.
func (s *Sessions) RevokeOthers(ctx context.Context, by user.Caller) (int, error) {
	all, err := s.List(ctx, by, by.ID)
	if err != nil {
		return 0, err
	}
	return s.end(ctx, by, "session.others_revoked", idsOf(all, by.Session)...)
}

func (s *Sessions) end(ctx context.Context, by user.Caller, action string, ids ...user.SessionID) (int, error) {
	entries := make([]audit.Entry, len(ids))
	for i, id := range ids {
		entries[i] = s.entry(by, action, by.ID, "session "+id.String())
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
	return s.live(ctx, u)
}
