package auth

import (
	"context"
	"errors"
	"time"

	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// Passwords resets and changes passwords.
type Passwords struct{ *deps }

// RequestReset mails a reset code to the owner of an account, as often as the limits
// allow. For any other text, valid address or not, it returns the same result after the
// same work.
func (p *Passwords) RequestReset(ctx context.Context, email string, lang user.Lang, from user.ClientInfo) error {
	address, err := user.ParseEmail(email)
	if err != nil {
		return nil //nolint:nilerr // the result is the same for every input
	}
	if err := p.allowRequests(ctx, requestFrom("mail requests", p.Rules.MailRequests, from)); err != nil {
		return err
	}
	by, err := p.challengeClient(ctx, address, from)
	if err != nil {
		return err
	}
	kind, subject := "resets", challenge.RequestedByUnknownClient
	if by.Known { // unknown clients cannot use up the mails of a known one
		kind, subject = "resets from "+by.Key, challenge.RequestedByKnownClient
	}
	mail, err := p.allowMail(ctx, kind, address, p.Rules.Mails)
	if err != nil {
		return err
	}
	return p.Database.WithAddressLock(ctx, []user.Email{address}, func(ctx context.Context, st Stores) error {
		u, _, err := findOptional(st.Users.LockUserByEmail(ctx, address))
		if err != nil {
			return err
		}
		purpose := challenge.PasswordReset
		if !mail { // the same work, so that the time does not reveal whether this client is known
			purpose = challenge.Decoy
		}
		m, err := p.newResetCode(ctx, st, purpose, subject, address, lang.Or(u.Lang.Or(user.EN)))
		if err != nil {
			return err
		}
		effects := SideEffects{Messages: []message.Message{m}}
		if !u.Verified || !mail {
			return st.SideEffects.RecordDecoy(ctx, effects)
		}
		return st.SideEffects.RecordSideEffects(ctx, effects)
	})
}

// newResetCode stores a new reset code for an address, replacing an older one with the
// same subject, and returns the mail with it.
func (d *deps) newResetCode(ctx context.Context, st Stores, p challenge.Purpose, subject int64, to user.Email, lang user.Lang) (message.Message, error) {
	code, err := challenge.NewCode(d.Random)
	if err != nil {
		return message.Message{}, err
	}
	c := d.CodeKey.New(p, to, subject, code, d.Clock.Now())
	m := message.Message{
		ID: d.IDs.Next(), Kind: message.PasswordReset, To: to, Lang: lang, Code: code,
		CreatedAt: c.CreatedAt, ExpiresAt: c.ExpiresAt,
	}
	return m, st.Challenges.PutChallenge(ctx, c)
}

// Reset sets a new password for an account with a mailed code, revokes all its sessions
// and notifies its owner. It checks the new password first, so that a refused one uses
// up no attempt. Any wrong input but that is challenge.ErrCodeInvalid.
func (p *Passwords) Reset(ctx context.Context, email, code, newPassword string, from user.ClientInfo) error {
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
	if err := p.allowRequests(ctx, requestFrom("codes", p.Rules.Codes, from)); err != nil {
		return err
	}
	g, err := p.newCodeAttempt(ctx, challenge.PasswordReset, address, code, from)
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
	if err := p.RateLimiter.ResetLimit(ctx, failuresKey(address, from)); err != nil { // the owner may then have to wait
		p.Log.WarnContext(ctx, "could not clear the failed sign-ins after a reset", "user", id.String(), "error", err)
	}
	return nil
}

// verifyResetCode runs in a transaction of its own: a wrong attempt counts whatever
// follows, and hashing the new password happens outside of any transaction.
func (p *Passwords) verifyResetCode(ctx context.Context, g codeAttempt) (challenge.Challenge, error) {
	var met challenge.Challenge
	var ok bool
	err := p.Database.WithAddressLock(ctx, []user.Email{g.email}, func(ctx context.Context, st Stores) (err error) {
		met, ok, err = p.verifyCode(ctx, st, g)
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
	var id user.ID
	err := p.Database.WithAddressLock(ctx, []user.Email{c.Email}, func(ctx context.Context, st Stores) error {
		if used, err := st.Challenges.UseChallenge(ctx, c, p.Clock.Now()); err != nil || !used {
			return errors.Join(err, challenge.ErrCodeInvalid)
		}
		u, _, err := findOptional(st.Users.LockUserByEmail(ctx, c.Email))
		if err != nil {
			return err
		}
		if !u.Verified {
			return challenge.ErrCodeInvalid
		}
		id = u.ID
		if err := st.Challenges.DeleteChallenges(ctx, u.Email, 0, challenge.PasswordReset); err != nil { // the account may have a second code
			return err
		}
		return p.replacePassword(ctx, st, u, hash, p.IDs.Next(), p.auditEntry(user.Caller{From: from}, "user.password_reset", u.ID, ""))
	})
	return id, err
}

// replacePassword stores a password's hash, revokes the user's sessions by a new epoch
// and notifies the user.
func (d *deps) replacePassword(ctx context.Context, st Stores, u user.User, hash string, epoch int64, e audit.Entry) error {
	u.PasswordHash = hash
	u.AdvanceEpoch(epoch)
	if err := st.Users.SaveUser(ctx, u); err != nil {
		return err
	}
	m := message.Message{
		ID: d.IDs.Next(), Kind: message.PasswordChanged, To: u.Email, Lang: u.Lang, CreatedAt: e.At,
		Params: map[string]string{message.ParamIP: e.IP, message.ParamAt: e.At.Format(time.RFC3339)},
	}
	return st.SideEffects.RecordSideEffects(ctx, SideEffects{AuditEntries: []audit.Entry{e}, Messages: []message.Message{m}})
}

// Change replaces the caller's password and revokes every other session. A wrong
// current password is ErrWrongPassword. It checks the new password first, so that a
// refused one uses up no attempt.
func (p *Passwords) Change(ctx context.Context, by user.Caller, current, next string) error {
	if !by.SignedIn() {
		return user.ErrUnauthenticated
	}
	u, err := p.Users.FindUser(ctx, by.ID)
	if err != nil {
		return err
	}
	password, err := user.NewPassword(next, u.Email)
	if err != nil {
		return err
	}
	if err := p.verifyCurrent(ctx, u, current, by.From); err != nil {
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
	if err == nil && !own.Active(u.Epoch, p.Clock.Now()) {
		err = session.ErrNotFound
	}
	epoch := max(p.IDs.Next(), u.Epoch+1, own.Epoch+1)
	if err == nil {
		err = p.Revoker.RebindSession(ctx, u.ID, own.ID, own.Epoch, epoch)
	}
	if errors.Is(err, session.ErrNotFound) {
		return user.ErrUnauthenticated // it was revoked in the meantime
	}
	if err != nil {
		return err
	}
	var now user.User
	err = p.Database.Atomically(ctx, func(ctx context.Context, st Stores) (err error) {
		if now, err = st.Users.LockUser(ctx, u.ID); err != nil {
			return err
		}
		if now.Epoch != u.Epoch {
			return errSuperseded
		}
		return p.replacePassword(ctx, st, now, hash, epoch, p.auditEntry(by, "user.password_changed", u.ID, ""))
	})
	switch {
	case err == nil:
		p.revokeSupersededSessions(ctx, u.ID)
		return nil
	case errors.Is(err, errSuperseded):
		return p.resolveSuperseded(ctx, own, now.Epoch)
	}
	if undo := p.Revoker.RebindSession(context.WithoutCancel(ctx), u.ID, own.ID, epoch, own.Epoch); undo != nil {
		p.Log.WarnContext(ctx, "could not move a session back to the account's epoch", "user", u.ID.String(), "error", undo)
	}
	return err
}

// resolveSuperseded handles a change that lost against a revocation or another change
// of the password. The calling session was moved to a newer epoch and would survive
// that, so it is revoked with the others.
func (p *Passwords) resolveSuperseded(ctx context.Context, own session.Session, epoch int64) error {
	if own.Epoch >= epoch {
		return ErrWrongPassword
	}
	if _, err := p.Revoker.RevokeSessions(ctx, own.User, []user.SessionID{own.ID}, p.Clock.Now(), SideEffects{}); err != nil {
		return err
	}
	return user.ErrUnauthenticated
}

// verifyCurrent checks the current password of an account. Failures count like failed
// sign-ins.
func (p *Passwords) verifyCurrent(ctx context.Context, u user.User, current string, from user.ClientInfo) error {
	attempt := limit.Request{Name: failuresKey(u.Email, from), Rule: p.Rules.SignInFailures}
	if err := p.allowRequests(ctx, attempt); err != nil {
		p.recordLimited(ctx, err, u.Email, from)
		return err
	}
	typed, ok := user.TypedPassword(current)
	if !ok {
		return ErrWrongPassword
	}
	right, _, err := p.verifyPassword(ctx, u.PasswordHash, typed)
	if err != nil {
		return err
	}
	if !right {
		return ErrWrongPassword
	}
	return p.RateLimiter.ResetLimit(ctx, attempt.Name)
}
