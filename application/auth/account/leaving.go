package account

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// Leave ends the caller's sessions and schedules the deletion of the account after
// user.DeletionDelay. A sign-in before then, or the mailed link, cancels the deletion. Books
// for sale are unlisted at once; open orders go on. It requires a recent proof of identity.
// ErrLastOwner if no owner would be left.
func (s *Users) Leave(ctx context.Context, by user.Caller) error {
	own, err := s.ProvedSession(ctx, by)
	if err != nil {
		return err
	}
	known, err := s.Storage.FindUser(ctx, by.ID)
	if err != nil {
		return err
	}
	ended, err := s.ActiveSessionsEnded(ctx, known, event.Leaving, 0)
	if err != nil {
		return err
	}
	err = s.WithAddressLock(ctx, []user.Email{known.Email}, func(ctx context.Context, st *tx) error {
		return s.leave(ctx, st, by, own, known, ended)
	})
	if err == nil {
		s.revokeSupersededSessions(ctx, by.ID)
	}
	return err
}

func (s *Users) leave(ctx context.Context, st *tx, by user.Caller, own session.Session, known user.User, ended []event.Event) error {
	owners, err := st.LockOwners(ctx)
	if err != nil {
		return err
	}
	u, err := s.LockProved(ctx, st.Stores, own)
	if err != nil {
		return err
	}
	switch {
	case u.Email != known.Email:
		return ErrAddressMoved
	case slices.Equal(owners, []user.ID{u.ID}):
		return ErrLastOwner
	}
	token, err := challenge.NewLink(s.Random)
	if err != nil {
		return err
	}
	c := s.CodeKey.New(challenge.AccountDeletion, u.Email, int64(u.ID), token, s.Now())
	u.DeleteAt = c.ExpiresAt
	u.AdvanceEpoch(s.NextID())
	if err := st.SaveUser(ctx, u); err != nil {
		return err
	}
	if err := st.PutChallenge(ctx, c); err != nil {
		return err
	}
	if err := s.withdraw(ctx, st, u, user.Withdrawal{User: u.ID}); err != nil {
		return err
	}
	m := message.Message{
		ID: s.NextID(), Kind: message.AccountDeletion, To: u.Email, Lang: u.Lang, CreatedAt: c.CreatedAt, ExpiresAt: c.ExpiresAt,
		Link:   s.BaseURL + "/account/undo-deletion?token=" + token,
		Params: map[string]string{message.ParamAt: u.DeleteAt.Format(time.RFC3339)},
	}
	return st.RecordSideEffects(ctx, auth.SideEffects{
		AuditEntries: []audit.Entry{s.AuditEntry(by, "user.deletion_requested", u.ID, "")},
		Messages:     []message.Message{m}, Events: ended, Logouts: s.LogoutOfAll(u.ID),
	})
}

// undoLink returns the unused challenge of a link that undoes something.
func (d *unit) undoLink(ctx context.Context, p challenge.Purpose, token string) (challenge.Challenge, error) {
	if !challenge.IsLink(token) {
		return challenge.Challenge{}, challenge.ErrLinkInvalid
	}
	c, err := d.Storage.FindLink(ctx, d.CodeKey.LinkDigest(p, token))
	if err == nil && (c.Purpose != p || !c.Open(d.Now())) {
		err = challenge.ErrLinkInvalid
	}
	return c, err
}

// Deletions undoes Users.Leave by the mailed link.
type Deletions struct{ *unit }

// Check returns challenge.ErrLinkInvalid where Undo would, and changes nothing.
func (d *Deletions) Check(ctx context.Context, token string) error {
	c, err := d.undoLink(ctx, challenge.AccountDeletion, token)
	if err != nil {
		return err
	}
	u, _, err := auth.Optional(d.Storage.FindUser(ctx, user.ID(c.Subject)))
	if err == nil && !u.Leaving() {
		err = challenge.ErrLinkInvalid
	}
	return err
}

// Undo cancels the deletion of the account that a link was mailed for. The link works once and
// signs nobody in.
func (d *Deletions) Undo(ctx context.Context, token string, from user.ClientInfo) error {
	c, err := d.undoLink(ctx, challenge.AccountDeletion, token)
	if err != nil {
		return err
	}
	return d.WithAddressLock(ctx, []user.Email{c.Email}, func(ctx context.Context, st *tx) error {
		if used, err := st.UseChallenge(ctx, c, d.Now()); err != nil || !used {
			return errors.Join(err, challenge.ErrLinkInvalid)
		}
		u, _, err := auth.Optional(st.LockUser(ctx, user.ID(c.Subject)))
		if err != nil {
			return err
		}
		if !u.Leaving() {
			return challenge.ErrLinkInvalid
		}
		return d.KeepAccount(ctx, st.Stores, u, user.Caller{From: from})
	})
}

// deletionBatch is how many accounts are looked up at once.
const deletionBatch = 100

// deleteLeaving deletes the accounts whose owners asked for it user.DeletionDelay ago or
// earlier, each in its own transaction.
func (h *Housekeeping) deleteLeaving(ctx context.Context) error {
	for {
		due, err := h.reader.ListDueDeletions(ctx, h.Now(), deletionBatch)
		if err != nil {
			return err
		}
		for _, u := range due {
			err := h.WithAddressLock(ctx, []user.Email{u.Email}, func(ctx context.Context, st *tx) error {
				return h.deleteDue(ctx, st, u)
			})
			if err != nil {
				return err
			}
			h.revokeSupersededSessions(ctx, u.ID)
		}
		if len(due) < deletionBatch {
			return nil
		}
	}
}

// deleteDue deletes an account unless its owner has come back in the meantime.
func (h *Housekeeping) deleteDue(ctx context.Context, st *tx, due user.User) error {
	u, exists, err := auth.Optional(st.LockUser(ctx, due.ID))
	if err != nil || !exists || !u.Leaving() || u.DeleteAt.After(h.Now()) || u.Email != due.Email {
		return err
	}
	if err := st.EraseUsers(ctx, []user.ID{u.ID}, h.Now()); err != nil {
		return err
	}
	return st.RecordSideEffects(ctx, auth.SideEffects{
		AuditEntries: []audit.Entry{h.AuditEntry(user.Caller{}, "user.deleted", u.ID, "at the owner's request")},
		Events:       h.StampEvents(event.OfUser(event.UserDeleted, u.ID)),
	})
}
