package sessions

import (
	"context"
	"errors"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// SignOut revokes the caller's session. Without a caller it does nothing.
func (s *Sessions) SignOut(ctx context.Context, by user.Caller) error {
	if by.Limited() || by.Token {
		return user.ErrForbidden
	}
	if !by.SignedIn() {
		return nil
	}
	_, err := s.revoke(ctx, by, event.SignedOut, "session.signed_out", by.Session)
	return err
}

// Revoke revokes one of the caller's own sessions; session.ErrNotFound for any other
// id.
func (s *Sessions) Revoke(ctx context.Context, by user.Caller, id user.SessionID) error {
	if err := errors.Join(by.MustNotBeToken(), by.MustBe(user.Regular)); err != nil {
		return err
	}
	own, err := s.Sessions.FindSession(ctx, by.ID, id)
	if err != nil {
		return err
	}
	u, err := s.Storage.FindUser(ctx, by.ID)
	if err != nil {
		return err
	}
	if !own.Active(u.Epoch, s.Now()) {
		return session.ErrNotFound
	}
	_, err = s.revoke(ctx, by, event.Revoked, "session.revoked", id)
	return err
}

// RevokeOthers revokes all sessions of the caller except the current one and returns
// their number.
func (s *Sessions) RevokeOthers(ctx context.Context, by user.Caller) (int, error) {
	if err := by.MustNotBeToken(); err != nil {
		return 0, err
	}
	all, err := s.List(ctx, by, by.ID)
	if err != nil {
		return 0, err
	}
	return s.revoke(ctx, by, event.Revoked, "session.others_revoked", auth.SessionIDs(all, by.Session)...)
}

func (s *Sessions) revoke(ctx context.Context, by user.Caller, why event.SessionEnd, action string, ids ...user.SessionID) (int, error) {
	entries := make([]audit.Entry, len(ids))
	for i, id := range ids {
		entries[i] = s.AuditEntry(by, action, by.ID, "session "+id.String())
	}
	return s.Sessions.RevokeSessions(ctx, by.ID, ids, s.Now(), auth.SideEffects{AuditEntries: entries, Events: s.SessionsEnded(by.ID, why, ids...)})
}

// List returns a user's active sessions, most recently used first. Only the user and
// admins may call it.
func (s *Sessions) List(ctx context.Context, by user.Caller, of user.ID) ([]session.Session, error) {
	if by.ID != of || !by.SignedIn() {
		if err := by.MustBe(user.Admin); err != nil {
			return nil, err
		}
	}
	u, err := s.Storage.FindUser(ctx, of)
	if err == nil && by.ID != of {
		err = s.MustOversee(ctx, by, u)
	}
	if err != nil {
		return nil, err
	}
	return s.ActiveSessions(ctx, u)
}
