package account

import (
	"context"
	"errors"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/user"
)

// RequestReset mails a reset code to the owner of an account, as often as the limits
// allow. For any other text, valid address or not, and for a suspended account, it returns
// the same result after the same work.
func (p *Passwords) RequestReset(ctx context.Context, email string, lang user.Lang, from user.ClientInfo) error {
	if p.ExternalOnly {
		return auth.ErrExternalOnly
	}
	return p.MailCode(ctx, auth.ResetCode, email, lang, from)
}

// Reset sets a new password for an account with a mailed code, revokes all its sessions
// and notifies its owner. The client becomes known to the account. It checks the new password
// first, so that a refused one uses up no attempt. Any other wrong input is
// challenge.ErrCodeInvalid.
func (p *Passwords) Reset(ctx context.Context, email, code, newPassword string, from user.ClientInfo) error {
	if p.ExternalOnly { // nor that of an owner who may break the glass: whoever reads the mailbox could get in
		return auth.ErrExternalOnly
	}
	address, err := user.ParseEmail(email)
	if err != nil {
		return challenge.ErrCodeInvalid
	}
	password, err := user.NewPassword(newPassword, address)
	if err != nil {
		return err
	}
	if code, err = challenge.ParseCode(code); err != nil {
		return err
	}
	if err := p.AllowRequests(ctx, auth.RequestFrom("codes", p.Rules.Codes, from)); err != nil {
		return err
	}
	g, err := p.NewCodeAttempt(ctx, challenge.PasswordReset, address, code, from)
	if err != nil {
		return err
	}
	c, err := p.verifyResetCode(ctx, g)
	if err != nil {
		return err
	}
	hash, err := p.Hasher.HashPassword(ctx, password)
	if err != nil {
		return err
	}
	id, err := p.reset(ctx, c, hash, from)
	if err != nil {
		return err
	}
	p.revokeSupersededSessions(ctx, id)
	if err := p.RateLimiter.ResetLimit(ctx, auth.FailuresKey(address, from)); err != nil { // the owner may then have to wait
		p.Log.WarnContext(ctx, "could not clear the failed sign-ins after a reset", "user", id.String(), "error", err)
	}
	return nil
}

// verifyResetCode runs in a transaction of its own: a wrong attempt counts whatever
// follows, and hashing the new password happens outside of any transaction.
func (p *Passwords) verifyResetCode(ctx context.Context, g auth.CodeAttempt) (challenge.Challenge, error) {
	var met challenge.Challenge
	var ok bool
	err := p.WithAddressLock(ctx, []user.Email{g.Email}, func(ctx context.Context, st *tx) (err error) {
		met, ok, err = p.VerifyCode(ctx, st.Stores, g)
		return err
	})
	if err == nil && !ok {
		err = challenge.ErrCodeInvalid
	}
	return met, err
}

// reset uses up the code and sets the password. Of concurrent calls with one code one
// succeeds.
func (p *Passwords) reset(ctx context.Context, c challenge.Challenge, hash string, from user.ClientInfo) (user.ID, error) {
	u, known, err := auth.Optional(p.Storage.FindUserByEmail(ctx, c.Email))
	if err != nil {
		return 0, err
	}
	var events []event.Event
	if known {
		if events, err = p.ActiveSessionsEnded(ctx, u, event.PasswordChanged, 0); err != nil {
			return 0, err
		}
	}
	var id user.ID
	err = p.WithAddressLock(ctx, []user.Email{c.Email}, func(ctx context.Context, st *tx) error {
		if used, err := st.UseChallenge(ctx, c, p.Now()); err != nil || !used {
			return errors.Join(err, challenge.ErrCodeInvalid)
		}
		u, _, err := auth.Optional(st.LockUserByEmail(ctx, c.Email))
		if err != nil {
			return err
		}
		if !u.Verified || u.Suspended() {
			return challenge.ErrCodeInvalid
		}
		id = u.ID
		if err := st.DeleteChallenges(ctx, u.Email, 0, challenge.PasswordReset); err != nil { // the account may have a second code
			return err
		}
		if err := st.RecordSideEffects(ctx, auth.SideEffects{KnownClient: p.NewKnownClient(u.ID, limit.ClientKey(from.IP))}); err != nil {
			return err
		}
		return p.replacePassword(
			ctx, st, u, hash, p.NextID(), p.AuditEntry(user.Caller{From: from}, "user.password_reset", u.ID, ""), events,
		)
	})
	return id, err
}
