package account

import (
	"context"
	"errors"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// Passwords resets and changes passwords.
type Passwords struct{ *unit }

// replacePassword stores a password's hash, revokes the user's sessions by a new epoch
// and notifies the user. events are those of the revoked sessions.
func (d *unit) replacePassword(
	ctx context.Context, st *tx, u user.User, hash string, epoch int64, e audit.Entry, events []event.Event,
) error {
	u.PasswordHash = hash
	u.AdvanceEpoch(epoch)
	if err := st.SaveUser(ctx, u); err != nil {
		return err
	}
	m := message.Message{
		ID: d.NextID(), Kind: message.PasswordChanged, To: u.Email, Lang: u.Lang, CreatedAt: e.At,
		Params: map[string]string{message.ParamIP: e.IP, message.ParamAt: e.At.Format(time.RFC3339)},
	}
	return st.RecordSideEffects(
		ctx, auth.SideEffects{AuditEntries: []audit.Entry{e}, Messages: []message.Message{m}, Events: events, Logouts: d.LogoutOfAll(u.ID)},
	)
}

// Change replaces the caller's password and revokes every other session; applications may not.
// A wrong
// current password is ErrWrongPassword. It checks the new password first, so that a
// refused one uses up no attempt.
func (p *Passwords) Change(ctx context.Context, by user.Caller, current, next string) error {
	if err := by.MustBeInPerson(); err != nil {
		return err
	}
	u, err := p.Storage.FindUser(ctx, by.ID)
	if err != nil {
		return err
	}
	if p.ExternalOnly && !u.BreaksGlass() {
		return auth.ErrExternalOnly
	}
	password, err := user.NewPassword(next, u.Email)
	if err != nil {
		return err
	}
	if err := p.VerifyCurrent(ctx, u, current, by.From); err != nil {
		return err
	}
	hash, err := p.Hasher.HashPassword(ctx, password)
	if err != nil {
		return err
	}
	return p.change(ctx, by, u, hash)
}

// errSuperseded aborts a change because the account got a newer epoch in the meantime.
var errSuperseded = errors.New("the account has a newer epoch")

// change moves the calling session to the new epoch before the account, so that none of
// its own requests is refused in between. The new epoch revokes the others.
func (p *Passwords) change(ctx context.Context, by user.Caller, u user.User, hash string) error {
	own, err := p.Sessions.FindSession(ctx, u.ID, by.Session)
	if err == nil && !own.Active(u.Epoch, p.Now()) {
		err = session.ErrNotFound
	}
	var events []event.Event
	if err == nil {
		events, err = p.ActiveSessionsEnded(ctx, u, event.PasswordChanged, own.ID)
	}
	epoch := max(p.NextID(), u.Epoch+1, own.Epoch+1)
	if err == nil {
		err = p.Sessions.RebindSession(ctx, u.ID, own.ID, own.Epoch, epoch)
	}
	if errors.Is(err, session.ErrNotFound) {
		return user.ErrUnauthenticated // it was revoked in the meantime
	}
	if err != nil {
		return err
	}
	var now user.User
	err = p.Atomically(ctx, func(ctx context.Context, st *tx) (err error) {
		if now, err = st.LockUser(ctx, u.ID); err != nil {
			return err
		}
		if now.Epoch != u.Epoch {
			return errSuperseded
		}
		return p.replacePassword(ctx, st, now, hash, epoch, p.AuditEntry(by, "user.password_changed", u.ID, ""), events)
	})
	switch {
	case err == nil:
		p.revokeSupersededSessions(ctx, u.ID)
		return nil
	case errors.Is(err, errSuperseded):
		return p.resolveSuperseded(ctx, own, now.Epoch)
	}
	if undo := p.Sessions.RebindSession(context.WithoutCancel(ctx), u.ID, own.ID, epoch, own.Epoch); undo != nil {
		p.Log.WarnContext(ctx, "could not move a session back to the account's epoch", "user", u.ID.String(), "error", undo)
	}
	return err
}

// resolveSuperseded handles a change that lost against a revocation or another change
// of the password. The calling session was moved to a newer epoch and would survive
// that, so it is revoked with the others.
func (p *Passwords) resolveSuperseded(ctx context.Context, own session.Session, epoch int64) error {
	if own.Epoch >= epoch {
		return auth.ErrWrongPassword
	}
	if _, err := p.Sessions.RevokeSessions(ctx, own.User, []user.SessionID{own.ID}, p.Now(), auth.SideEffects{}); err != nil {
		return err
	}
	return user.ErrUnauthenticated
}
