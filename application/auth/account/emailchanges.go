package account

import (
	"context"
	"errors"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// EmailChanges changes the addresses of accounts.
type EmailChanges struct{ *unit }

// Request mails a code to a new address, for Confirm, and a notice to the caller's present
// one, whose link undoes the change for user.UndoPeriod. If the new address has an account
// the result is the same, after the same work, and its owner gets a notice instead of the
// code. It requires a recent proof of identity. A student's new address must also belong to a
// university.
func (e *EmailChanges) Request(ctx context.Context, by user.Caller, newEmail string) error {
	own, err := e.ProvedSession(ctx, by)
	if err != nil {
		return err
	}
	to, err := user.ParseEmail(newEmail)
	if err != nil {
		return err
	}
	u, err := e.Storage.FindUser(ctx, by.ID)
	if err != nil {
		return err
	}
	if err := e.mayMoveTo(u, to); err != nil {
		return err
	}
	bounds := make([]limit.Request, 0, len(e.Rules.Mails)+1)
	for _, r := range e.Rules.Mails {
		bounds = append(bounds, limit.Request{Name: "changes of address of " + u.ID.String() + " per " + r.Period.String(), Rule: r})
	}
	if err := e.AllowRequests(ctx, append(bounds, auth.RequestFrom("mail requests", e.Rules.MailRequests, by.From))...); err != nil {
		return err
	}
	mail, err := e.AllowMail(ctx, "changes of address", to, e.Rules.Mails)
	if err != nil {
		return err
	}
	holder, _, err := auth.Optional(e.Storage.FindUserByEmail(ctx, to))
	if err != nil {
		return err
	}
	return e.WithAddressLock(ctx, []user.Email{u.Email, to}, func(ctx context.Context, st *tx) error {
		now, err := e.LockProved(ctx, st.Stores, own)
		if err == nil && now.Email != u.Email {
			err = ErrAddressMoved
		}
		if err != nil {
			return err
		}
		return e.request(ctx, st, by, now, to, holder, mail)
	})
}

// mayMoveTo returns an error if the user must not have this address. It does not check
// whether somebody else has it.
func (d *unit) mayMoveTo(u user.User, to user.Email) error {
	switch {
	case to == u.Email:
		return user.ErrSameEmail
	case u.Profile != nil && !d.Campus.Admits(to):
		return d.Campus.Refusal("newEmail")
	}
	return nil
}

func (e *EmailChanges) request(ctx context.Context, st *tx, by user.Caller, u user.User, to user.Email, holder user.User, mail bool) error {
	reserved, err := st.IsEmailReserved(ctx, to, u.ID, e.Now())
	if err != nil {
		return err
	}
	c := user.EmailChange{ID: e.NextID(), User: u.ID, From: u.Email, To: to, Password: u.PasswordMark(), RequestedAt: e.Now()}
	if err := st.PutEmailChange(ctx, c); err != nil {
		return err
	}
	if err := st.DeleteChallenges(ctx, u.Email, 0, challenge.EmailChange); err != nil { // an older code, maybe for another address
		return err
	}
	code, err := e.newEmailCode(ctx, st, u, c)
	if err != nil {
		return err
	}
	notice, err := e.newUndoNotice(ctx, st, u, c)
	if err != nil {
		return err
	}
	if holder.ID != 0 || reserved {
		code = message.Message{ID: code.ID, Kind: message.AccountExists, To: to, Lang: holder.Lang.Or(u.Lang), CreatedAt: code.CreatedAt}
	}
	effects := auth.SideEffects{
		AuditEntries: []audit.Entry{e.AuditEntry(by, "user.email_change_requested", u.ID, "")},
		Messages:     []message.Message{notice},
	}
	if mail {
		effects.Messages = append(effects.Messages, code)
	}
	return st.RecordSideEffects(ctx, effects)
}

// newEmailCode stores the code of a change and returns the mail to the new address.
func (e *EmailChanges) newEmailCode(ctx context.Context, st *tx, u user.User, change user.EmailChange) (message.Message, error) {
	code, err := challenge.NewCode(e.Random)
	if err != nil {
		return message.Message{}, err
	}
	c := e.CodeKey.New(challenge.EmailChange, change.From, change.ID, code, e.Now())
	return message.Message{
		ID: e.NextID(), Kind: message.EmailChange, To: change.To, Lang: u.Lang, Code: code, CreatedAt: c.CreatedAt, ExpiresAt: c.ExpiresAt,
	}, st.PutChallenge(ctx, c)
}

// newUndoNotice stores the link that undoes a change and returns the mail to the old address.
func (e *EmailChanges) newUndoNotice(ctx context.Context, st *tx, u user.User, change user.EmailChange) (message.Message, error) {
	token, err := challenge.NewLink(e.Random)
	if err != nil {
		return message.Message{}, err
	}
	c := e.CodeKey.New(challenge.EmailUndo, change.From, change.ID, token, e.Now())
	return message.Message{
		ID: e.NextID(), Kind: message.EmailChanged, To: change.From, Lang: u.Lang, CreatedAt: c.CreatedAt, ExpiresAt: c.ExpiresAt,
		Link:   e.BaseURL + "/account/undo-email?token=" + token,
		Params: map[string]string{message.ParamEmail: string(change.To)},
	}, st.PutChallenge(ctx, c)
}

// Confirm moves the caller's account to the address that the code was mailed to. Sessions
// stay. A wrong code is challenge.ErrCodeInvalid. If somebody else has taken the address since,
// the error is user.ErrEmailTaken; it reveals that because the caller has proved to read mails
// to the address.
func (e *EmailChanges) Confirm(ctx context.Context, by user.Caller, typed string) (user.User, error) {
	if err := by.MustBe(user.Regular); err != nil {
		return user.User{}, err
	}
	code, err := challenge.ParseCode(typed)
	if err != nil {
		return user.User{}, err
	}
	if err := e.AllowRequests(ctx, auth.RequestFrom("codes", e.Rules.Codes, by.From)); err != nil {
		return user.User{}, err
	}
	own, err := e.Sessions.FindSession(ctx, by.ID, by.Session)
	if errors.Is(err, session.ErrNotFound) {
		err = user.ErrUnauthenticated // it was revoked in the meantime
	}
	if err != nil {
		return user.User{}, err
	}
	u, err := e.Storage.FindUser(ctx, by.ID)
	if err != nil {
		return user.User{}, err
	}
	c, change, err := e.verifyEmailCode(ctx, u, code, by.From)
	if err != nil {
		return user.User{}, err
	}
	err = e.WithAddressLock(ctx, []user.Email{change.From, change.To}, func(ctx context.Context, st *tx) (err error) {
		u, err = e.move(ctx, st, by, own, c)
		return err
	})
	return u, err
}

// verifyEmailCode runs in its own transaction, so that the count of a wrong attempt commits.
func (e *EmailChanges) verifyEmailCode(
	ctx context.Context, u user.User, code string, from user.ClientInfo,
) (met challenge.Challenge, change user.EmailChange, err error) {
	g, err := e.NewCodeAttempt(ctx, challenge.EmailChange, u.Email, code, from)
	if err != nil {
		return met, change, err
	}
	var ok bool
	err = e.WithAddressLock(ctx, []user.Email{g.Email}, func(ctx context.Context, st *tx) (err error) {
		if met, ok, err = e.VerifyCode(ctx, st.Stores, g); err != nil || !ok {
			return err
		}
		change, err = st.LockEmailChange(ctx, met.Subject)
		return err
	})
	if err == nil && (!ok || change.User != u.ID) {
		err = challenge.ErrCodeInvalid
	}
	return met, change, err
}

// move uses up the code and changes the address. It deletes the other codes and the sign-ups of
// both addresses.
func (e *EmailChanges) move(
	ctx context.Context, st *tx, by user.Caller, own session.Session, c challenge.Challenge,
) (user.User, error) {
	if used, err := st.UseChallenge(ctx, c, e.Now()); err != nil || !used {
		return user.User{}, errors.Join(err, challenge.ErrCodeInvalid)
	}
	change, err := st.LockEmailChange(ctx, c.Subject)
	if err != nil {
		return user.User{}, err
	}
	u, err := e.LockProved(ctx, st.Stores, own)
	if err != nil {
		return user.User{}, err
	}
	if u.Email != change.From || u.ID != change.User {
		return user.User{}, challenge.ErrCodeInvalid
	}
	if err := e.mayMoveTo(u, change.To); err != nil {
		return user.User{}, err
	}
	if err := e.mustBeFree(ctx, st, change.To, u.ID); err != nil {
		return user.User{}, err
	}
	u.Email, change.ConfirmedAt = change.To, e.Now()
	if err := e.setUniversity(ctx, st, &u); err != nil {
		return user.User{}, err
	}
	if err := e.saveMoved(ctx, st, u, change.From); err != nil {
		return user.User{}, err
	}
	if err := st.PutEmailChange(ctx, change); err != nil {
		return user.User{}, err
	}
	return u, st.RecordSideEffects(ctx, auth.SideEffects{AuditEntries: []audit.Entry{e.AuditEntry(by, "user.email_changed", u.ID, "")}})
}

// saveMoved stores an account with another address, and deletes the codes and sign-ups that
// wait at the new one and the old one.
func (d *unit) saveMoved(ctx context.Context, st *tx, u user.User, from user.Email) error {
	if err := st.SaveUser(ctx, u); err != nil {
		return err
	}
	err := st.DeleteChallenges(
		ctx, from, 0, challenge.EmailChange, challenge.PasswordReset, challenge.SignInCode, challenge.SignInApproval,
	)
	if err != nil {
		return err
	}
	if err := st.DeleteChallenges(ctx, u.Email, 0, challenge.PasswordReset, challenge.SignInCode, challenge.SignInApproval); err != nil {
		return err
	}
	if err := d.deletePending(ctx, st, u, 0); err != nil {
		return err
	}
	return st.CopyOptOut(ctx, from, u.Email)
}

// mustBeFree returns user.ErrEmailTaken while another user who has given up the address can
// still undo that.
func (d *unit) mustBeFree(ctx context.Context, st *tx, address user.Email, except user.ID) error {
	reserved, err := st.IsEmailReserved(ctx, address, except, d.Now())
	if err == nil && reserved {
		err = user.ErrEmailTaken
	}
	return err
}

// undoneNotice is a mail that a change of address was undone.
func (d *unit) undoneNotice(u user.User, to user.Email, from user.ClientInfo) message.Message {
	m := d.SecurityNotice(message.EmailChanged, u, from)
	m.To, m.Params[message.ParamUndone] = to, "yes"
	return m
}
