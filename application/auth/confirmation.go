package auth

import (
	"context"
	"errors"

	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

// VerifyEmail makes the sign-up that the code was sent for an account and drops
// the others. Any wrong answer is challenge.ErrCodeInvalid.
func (a *Accounts) VerifyEmail(ctx context.Context, email, code string, from user.ClientInfo) error {
	address, err := user.ParseEmail(email)
	if err != nil {
		return challenge.ErrCodeInvalid
	}
	if code, err = challenge.ParseCode(code); err != nil {
		return err
	}
	if err := a.allowRequests(ctx, requestFrom("codes", a.Rules.Codes, from)); err != nil {
		return err
	}
	g, err := a.newCodeAttempt(ctx, challenge.SignUpCode, address, code, from)
	if err != nil {
		return err
	}
	var confirmed bool
	err = a.Database.WithAddressLock(ctx, []user.Email{address}, func(ctx context.Context, st Stores) error {
		confirmed = false
		c, ok, err := a.verifyCode(ctx, st, g)
		if err != nil || !ok {
			return err // a wrong try is counted, so it commits
		}
		confirmed, err = a.confirm(ctx, st, c, "", from)
		return err
	})
	if err == nil && !confirmed || errors.Is(err, user.ErrEmailTaken) {
		return challenge.ErrCodeInvalid
	}
	return err
}

// confirm makes an account of the sign-up that the challenge was sent for, with its
// password or with the hash of one that the owner of the address chose. It uses up
// the challenge only when an account comes of it: false if it was used meanwhile,
// the sign-up is gone or the address is taken; user.ErrEmailTaken if that happens at the
// same time.
func (a *Accounts) confirm(ctx context.Context, st Stores, c challenge.Challenge, own string, from user.ClientInfo) (bool, error) {
	now := a.Clock.Now()
	all, err := st.Registrations.LockRegistrations(ctx, c.Email, now)
	if err != nil {
		return false, err
	}
	r, ok := registrationByID(all, c.Subject)
	u, exists, err := findOptional(st.Users.LockUserByEmail(ctx, c.Email))
	if err != nil || !ok || u.Verified {
		return false, err
	}
	if used, err := st.Challenges.UseChallenge(ctx, c, now); err != nil || !used {
		return false, err
	}
	if !exists {
		u = user.User{ID: user.ID(a.IDs.Next()), Email: r.Email, CreatedAt: now}
		u.AdvanceEpoch(a.IDs.Next())
	}
	disputed := own == "" && r.ContestedAmong(all)
	u.Verified, u.Lang, u.Profile, u.PasswordHash = true, r.Lang, r.Profile, r.PasswordHash
	if own != "" || disputed {
		u.PasswordHash = own
	}
	if err := st.Users.SaveUser(ctx, u); err != nil {
		return false, err
	}
	if err := a.deletePending(ctx, st, u, c.Subject); err != nil {
		return false, err
	}
	t := SideEffects{AuditEntries: []audit.Entry{a.auditEntry(user.Caller{ID: u.ID, From: from}, "user.verified", u.ID, "")}}
	if disputed {
		m, err := a.newResetCode(ctx, st, challenge.PasswordReset, challenge.RequestedByKnownClient, u.Email, u.Lang)
		if err != nil {
			return false, err
		}
		t.Messages = []message.Message{m}
	}
	return true, st.SideEffects.RecordSideEffects(ctx, t)
}

// deletePending drops whatever else waited for somebody to prove that the address is
// theirs. The used link of the sign-up stays, to be confirmed twice.
func (k *deps) deletePending(ctx context.Context, st Stores, u user.User, subject int64) error {
	if err := st.Invitations.RevokeUserInvitation(ctx, u.ID, k.Clock.Now()); err != nil {
		return err
	}
	if err := st.Registrations.DeleteRegistrations(ctx, u.Email); err != nil {
		return err
	}
	return st.Challenges.DeleteChallenges(ctx, u.Email, subject, challenge.SignUpCode, challenge.SignUpLink, challenge.Invitation)
}

func registrationByID(all []user.Registration, id int64) (user.Registration, bool) {
	for _, r := range all {
		if r.ID == id {
			return r, true
		}
	}
	return user.Registration{}, false
}
