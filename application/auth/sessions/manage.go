package sessions

import (
	"context"
	"errors"
	"slices"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// SignOut revokes the caller's session. Without a caller it does nothing. Applications that were signed in to
// from it go on: see SignOutEverywhere.
func (s *Sessions) SignOut(ctx context.Context, by user.Caller) error {
	if err := mayRevoke(by); err != nil || !by.SignedIn() {
		return err
	}
	_, err := s.revoke(ctx, by, event.SignedOut, "session.signed_out", nil, by.Session)
	return err
}

// SignOutEverywhere is SignOut, and ends the sessions of the applications that were signed in to from the
// caller's session, which hear of it.
func (s *Sessions) SignOutEverywhere(ctx context.Context, by user.Caller) error {
	if err := mayRevoke(by); err != nil || !by.SignedIn() {
		return err
	}
	begun, err := s.begunIn(ctx, by, func(session.Session) bool { return true }, by.Session)
	if err != nil {
		return err
	}
	ids := append([]user.SessionID{by.Session}, begun...)
	if _, err = s.revoke(ctx, by, event.SignedOut, "session.signed_out", s.LogoutOf(by.ID, ids...), ids...); err != nil {
		return err
	}
	return s.endLate(ctx, by, event.SignedOut, "session.signed_out", func(session.Session) bool { return true }, by.Session)
}

// Replace ends the session that a browser had before it signed in anew. If the same person did, applications that were signed
// in to from it go on as ones of the new session, so that a sign-out from that ends them, too.
func (s *Sessions) Replace(ctx context.Context, before user.Caller, by session.Session) error {
	if err := mayRevoke(before); err != nil || !before.SignedIn() || before.Session == by.ID {
		return err
	}
	if before.ID == by.User {
		if err := s.moveSignIns(ctx, by.User, before.Session, by.ID); err != nil {
			return err
		}
	}
	return s.SignOut(ctx, before)
}

func (s *Sessions) moveSignIns(ctx context.Context, of user.ID, from, to user.SessionID) error {
	if some, err := s.reader.HasSignIns(ctx, of, from); err != nil || !some {
		return err
	}
	err := s.Atomically(ctx, func(ctx context.Context, st *tx) error { return st.MoveSignIns(ctx, of, from, to) })
	if err != nil {
		return err
	}
	return s.Sessions.AdoptSessions(ctx, of, from, to)
}

// endLate ends the sessions of applications that began in others while those ended, and were not listed before. One that
// begins later finds the other one gone: see provider.Authorizations.Exchange.
func (s *Sessions) endLate(
	ctx context.Context, by user.Caller, why event.SessionEnd, action string, which func(session.Session) bool, parents ...user.SessionID,
) error {
	late, err := s.begunIn(ctx, by, which, parents...)
	if err == nil && len(late) > 0 {
		_, err = s.revoke(ctx, by, why, action, s.LogoutOf(by.ID, late...), late...)
	}
	return err
}

// SignOutOfAll ends all sessions of the caller, of every browser and of every application, which hear of it.
func (s *Sessions) SignOutOfAll(ctx context.Context, by user.Caller) error {
	if err := mayRevoke(by); err != nil || !by.SignedIn() {
		return err
	}
	all, err := s.Sessions.ListSessions(ctx, by.ID)
	if err != nil {
		return err
	}
	ids := auth.SessionIDs(all, 0)
	if _, err = s.revoke(ctx, by, event.SignedOut, "session.signed_out", s.LogoutOf(by.ID, ids...), ids...); err != nil {
		return err
	}
	return s.endLate(ctx, by, event.SignedOut, "session.signed_out", func(session.Session) bool { return true }, ids...)
}

func mayRevoke(by user.Caller) error {
	if by.Limited() || by.Token {
		return user.ErrForbidden
	}
	return nil
}

// begunIn returns the caller's sessions of applications that were begun in one of these.
func (s *Sessions) begunIn(
	ctx context.Context, by user.Caller, which func(session.Session) bool, parents ...user.SessionID,
) (ids []user.SessionID, err error) {
	all, err := s.Sessions.ListSessions(ctx, by.ID)
	for _, one := range all {
		if one.Client != "" && slices.Contains(parents, one.Parent) && which(one) {
			ids = append(ids, one.ID)
		}
	}
	return ids, err
}

// withoutOffline selects the sessions of applications that have no access without their user.
func withoutOffline(s session.Session) bool { return !openid.HasScope(s.Scopes, openid.ScopeOffline) }

// Revoke revokes one of the caller's own sessions; session.ErrNotFound for any other
// id. Applications that were signed in to from it hear of it; those with access without their user keep it.
func (s *Sessions) Revoke(ctx context.Context, by user.Caller, id user.SessionID) error {
	if err := errors.Join(by.MustNotBeToken(), by.MustBe(user.Regular)); err != nil {
		return err
	}
	own, err := s.Sessions.FindSessionState(ctx, by.ID, id)
	if err == nil && !own.Lifetime.Active(own.UserEpoch, s.Now()) {
		err = session.ErrNotFound
	}
	if err != nil {
		return err
	}
	ids, out, err := s.endingWith(ctx, by, id)
	if err != nil {
		return err
	}
	if _, err := s.revoke(ctx, by, event.Revoked, "session.revoked", out, ids...); err != nil {
		return err
	}
	if some, err := s.reader.HasSignIns(ctx, by.ID, id); err != nil || !some {
		return err
	}
	return s.endLate(ctx, by, event.Revoked, "session.revoked", withoutOffline, id)
}

// endingWith returns a session of the caller with those of applications that end with it, and who hears of that. Most
// sessions have no sign-ins, and to find what was begun in one reads all sessions of the user.
func (s *Sessions) endingWith(ctx context.Context, by user.Caller, id user.SessionID) (ids []user.SessionID, out []auth.Logout, err error) {
	some, err := s.reader.HasSignIns(ctx, by.ID, id)
	if err != nil || !some {
		return []user.SessionID{id}, nil, err
	}
	begun, err := s.begunIn(ctx, by, withoutOffline, id)
	ids = append([]user.SessionID{id}, begun...)
	return ids, s.LogoutOf(by.ID, ids...), err
}

// endByService is Hooks.EndSessions.
func (s *Sessions) endByService(ctx context.Context, by user.Caller, ids []user.SessionID) error {
	begun, err := s.begunIn(ctx, by, withoutOffline, ids...)
	if err != nil {
		return err
	}
	all := slices.Concat(ids, begun)
	// Applications hear of it also if the person has signed out of Octavo alone before.
	err = s.Storage.Atomically(ctx, func(ctx context.Context, st auth.Stores) error {
		return st.RecordSideEffects(ctx, auth.SideEffects{Logouts: s.LogoutOf(by.ID, all...)})
	})
	if err == nil {
		_, err = s.revoke(ctx, by, event.SignedOut, "session.ended_by_service", nil, all...)
	}
	if err != nil {
		return err
	}
	return s.endLate(ctx, by, event.SignedOut, "session.ended_by_service", withoutOffline, ids...)
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
	others := auth.SessionIDs(all, by.Session)
	n, err := s.revoke(ctx, by, event.Revoked, "session.others_revoked", s.LogoutOf(by.ID, others...), others...)
	if err != nil {
		return n, err
	}
	return n, s.endLate(ctx, by, event.Revoked, "session.others_revoked", func(session.Session) bool { return true }, others...)
}

func (s *Sessions) revoke(
	ctx context.Context, by user.Caller, why event.SessionEnd, action string, out []auth.Logout, ids ...user.SessionID,
) (int, error) {
	entries := make([]audit.Entry, len(ids))
	for i, id := range ids {
		entries[i] = s.AuditEntry(by, action, by.ID, "session "+id.String())
	}
	return s.Sessions.RevokeSessions(ctx, by.ID, ids, s.Now(), auth.SideEffects{
		AuditEntries: entries, Events: s.SessionsEnded(by.ID, why, ids...), Logouts: out,
	})
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
