package account

import (
	"context"
	"errors"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

// VerifyEmail makes an account of the sign-up that the code was sent for and deletes
// the address's other sign-ups. Any wrong input is challenge.ErrCodeInvalid.
func (a *Accounts) VerifyEmail(ctx context.Context, email, code string, from user.ClientInfo) error {
	if err := a.externally(); err != nil {
		return err
	}
	address, err := user.ParseEmail(email)
	if err != nil {
		return challenge.ErrCodeInvalid
	}
	if code, err = challenge.ParseCode(code); err != nil {
		return err
	}
	if err := a.AllowRequests(ctx, auth.RequestFrom("codes", a.Rules.Codes, from)); err != nil {
		return err
	}
	g, err := a.NewCodeAttempt(ctx, challenge.SignUpCode, address, code, from)
	if err != nil {
		return err
	}
	var confirmed bool
	err = a.WithAddressLock(ctx, []user.Email{address}, func(ctx context.Context, st *tx) error {
		confirmed = false
		c, ok, err := a.VerifyCode(ctx, st.Stores, g)
		if err != nil || !ok {
			return err // a wrong attempt is not an error, so that its count commits
		}
		confirmed, err = a.confirm(ctx, st, c, "", from)
		return err
	})
	if err == nil && !confirmed || errors.Is(err, user.ErrEmailTaken) {
		return challenge.ErrCodeInvalid
	}
	return err
}

// confirm creates an account from the sign-up that the challenge was sent for, with its
// password or with ownHash. It uses up the challenge only if it creates the account. It
// returns false if the challenge was used in the meantime, the sign-up is gone or the
// address has an account; user.ErrEmailTaken if that account is created concurrently.
func (a *Accounts) confirm(ctx context.Context, st *tx, c challenge.Challenge, ownHash string, from user.ClientInfo) (bool, error) {
	now := a.Now()
	all, err := st.LockRegistrations(ctx, c.Email, now)
	if err != nil {
		return false, err
	}
	r, ok := registrationByID(all, c.Subject)
	u, exists, err := auth.Optional(st.LockUserByEmail(ctx, c.Email))
	if err != nil || !ok || u.Verified {
		return false, err
	}
	if used, err := st.UseChallenge(ctx, c, now); err != nil || !used {
		return false, err
	}
	var events []event.Event
	if !exists {
		if err := a.mustBeFree(ctx, st, r.Email, 0); err != nil {
			return false, err
		}
		u = user.User{ID: user.ID(a.NextID()), Email: r.Email, CreatedAt: now}
		u.AdvanceEpoch(a.NextID())
		events = append(events, event.OfUser(event.UserCreated, u.ID))
	}
	contested := ownHash == "" && r.ContestedAmong(all)
	u.Verified, u.Lang, u.PasswordHash = true, r.Lang, r.PasswordHash
	if a.mayBeAt(u, user.User{Profile: r.Profile}.University()) {
		u.Profile = r.Profile
	} // else they were made an admin before they signed up, and keep the profile that the owner knew
	if ownHash != "" || contested {
		u.PasswordHash = ownHash
	}
	if err := st.SaveUser(ctx, u); err != nil {
		return false, err
	}
	if err := a.deletePending(ctx, st, u, c.Subject); err != nil {
		return false, err
	}
	return true, a.recordConfirmation(ctx, st, u, contested, append(events, event.OfUser(event.UserVerified, u.ID)), from)
}

// recordConfirmation mails a code for a password if several people have signed up with the address: nobody's
// password was taken over.
func (a *Accounts) recordConfirmation(
	ctx context.Context, st *tx, u user.User, contested bool, events []event.Event, from user.ClientInfo,
) error {
	effects := auth.SideEffects{
		AuditEntries: []audit.Entry{a.AuditEntry(user.Caller{ID: u.ID, From: from}, "user.verified", u.ID, "")},
		Events:       a.StampEvents(events...),
		KnownClient:  a.NewKnownClient(u.ID, limit.ClientKey(from.IP)),
	}
	if contested {
		m, err := a.NewMailedCode(ctx, st.Stores, auth.ResetCode, challenge.RequestedByKnownClient, u.Email, u.Lang)
		if err != nil {
			return err
		}
		effects.Messages = []message.Message{m}
	}
	return st.RecordSideEffects(ctx, effects)
}

// deletePending deletes everything else that waited for a confirmation of the address.
// It keeps the used link of the sign-up subject, so that confirming twice works.
func (d *unit) deletePending(ctx context.Context, st *tx, u user.User, subject int64) error {
	if _, err := st.RevokeUserInvitation(ctx, u.ID, d.Now()); err != nil {
		return err
	}
	if err := st.DeleteRegistrations(ctx, u.Email); err != nil {
		return err
	}
	return st.DeleteChallenges(ctx, u.Email, subject, challenge.SignUpCode, challenge.SignUpLink, challenge.Invitation)
}

// registrationByID returns the sign-up with this id, if it is among all.
func registrationByID(all []user.Registration, id int64) (user.Registration, bool) {
	for _, r := range all {
		if r.ID == id {
			return r, true
		}
	}
	return user.Registration{}, false
}
