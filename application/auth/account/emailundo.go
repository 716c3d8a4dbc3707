package account

import (
	"context"
	"errors"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

// Check returns challenge.ErrLinkInvalid where Undo would, and changes nothing.
func (e *EmailChanges) Check(ctx context.Context, token string) error {
	c, err := e.undoLink(ctx, challenge.EmailUndo, token)
	if err == nil {
		_, _, err = e.changeOf(ctx, c)
	}
	return err
}

// changeOf returns the change that a link was mailed for, and its user.
func (e *EmailChanges) changeOf(ctx context.Context, c challenge.Challenge) (change user.EmailChange, u user.User, err error) {
	err = e.Atomically(ctx, func(ctx context.Context, st *tx) (err error) {
		change, err = st.LockEmailChange(ctx, c.Subject)
		return err
	})
	if err == nil {
		u, err = e.Storage.FindUser(ctx, change.User)
	}
	if errors.Is(err, user.ErrNotFound) || errors.Is(err, challenge.ErrCodeInvalid) {
		err = challenge.ErrLinkInvalid
	}
	return change, u, err
}

// Undo undoes a change of address, confirmed or not, with the link that was mailed to the
// old one. The link works once. Undo assumes that the account was stolen: it restores the old
// address, ends every session and deletes what was added since the change was requested:
// passkeys, the authenticator app, identities, consents to applications, later changes of
// address, a planned deletion, and the password if it was changed. It always deletes the
// recovery codes.
func (e *EmailChanges) Undo(ctx context.Context, token string, from user.ClientInfo) error {
	c, err := e.undoLink(ctx, challenge.EmailUndo, token)
	if err != nil {
		return err
	}
	change, known, err := e.changeOf(ctx, c)
	if err != nil {
		return err
	}
	ended, err := e.ActiveSessionsEnded(ctx, known, event.AddressRestored, 0)
	if err != nil {
		return err
	}
	err = e.WithAddressLock(ctx, addressesOf(change.From, known.Email), func(ctx context.Context, st *tx) error {
		return e.undo(ctx, st, c, known, from, ended)
	})
	if err == nil {
		e.revokeSupersededSessions(ctx, change.User)
	}
	return err
}

// addressesOf returns the addresses, each once.
func addressesOf(one, other user.Email) []user.Email {
	if one == other {
		return []user.Email{one}
	}
	return []user.Email{one, other}
}

func (e *EmailChanges) undo(
	ctx context.Context, st *tx, c challenge.Challenge, known user.User, from user.ClientInfo, ended []event.Event,
) error {
	if used, err := st.UseChallenge(ctx, c, e.Now()); err != nil || !used {
		return errors.Join(err, challenge.ErrLinkInvalid)
	}
	u, err := st.LockUser(ctx, known.ID)
	if err != nil {
		return err
	}
	if u.Email != known.Email {
		return ErrAddressMoved
	}
	change, err := st.LockEmailChange(ctx, c.Subject)
	if err != nil {
		return err
	}
	if err := e.voidSince(ctx, st, u, change); err != nil {
		return err
	}
	lost := u.Email
	u.Email, u.DeleteAt = change.From, time.Time{}
	if err := e.setUniversity(ctx, st, &u); err != nil {
		return err
	}
	if u.PasswordMark() != change.Password {
		u.PasswordHash = ""
	}
	u.AdvanceEpoch(e.NextID())
	if err := e.saveMoved(ctx, st, u, lost); err != nil {
		return err
	}
	notices := []message.Message{e.undoneNotice(u, u.Email, from)}
	if lost != u.Email {
		notices = append(notices, e.undoneNotice(u, lost, from))
	}
	return st.RecordSideEffects(ctx, auth.SideEffects{
		AuditEntries: []audit.Entry{e.AuditEntry(user.Caller{From: from}, "user.email_change_undone", u.ID, "")},
		Messages:     notices, Events: ended, Logouts: e.LogoutOfAll(u.ID),
	})
}

// voidSince deletes what was added to an account since a change was requested.
func (d *unit) voidSince(ctx context.Context, st *tx, u user.User, change user.EmailChange) error {
	for _, void := range d.Hooks.AddressRestored {
		if err := void(ctx, st.Stores, u.ID, change.RequestedAt); err != nil {
			return err
		}
	}
	later, err := st.DeleteEmailChanges(ctx, u.ID, change.ID)
	if err != nil {
		return err
	}
	for _, l := range later {
		if err := st.DeleteChallenges(ctx, l.From, 0, challenge.EmailChange, challenge.EmailUndo); err != nil {
			return err
		}
	}
	return st.DeleteChallenges(ctx, u.Email, 0, challenge.AccountDeletion)
}
