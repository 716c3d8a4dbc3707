package factors

import (
	"context"
	"errors"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/totp"
	"github.com/octavo-books/octavo/domain/user"
)

// SecondFactors turns second factors on and off.
type SecondFactors struct{ *unit }

// TotpSetup is what an authenticator app needs.
type TotpSetup struct {
	Secret string // for typing
	URI    string
	QRCode string // the URI as an SVG image
}

// Enabled reports whether a user's second factor is on. Only the user and admins may call
// it.
func (s *SecondFactors) Enabled(ctx context.Context, by user.Caller, of user.ID) (bool, error) {
	if by.ID != of || !by.SignedIn() {
		if err := s.mustOverseeID(ctx, by, of); err != nil {
			return false, err
		}
	}
	return s.reader.HasSecondFactor(ctx, of)
}

// RecoveryCodesLeft returns how many recovery codes of the caller are unused, and whether the second factor is on.
func (s *SecondFactors) RecoveryCodesLeft(ctx context.Context, by user.Caller) (left int, on bool, err error) {
	if err := by.MustBe(user.Regular); err != nil {
		return 0, false, err
	}
	return s.reader.CountRecoveryCodes(ctx, by.ID)
}

// mustOverseeID is MustOversee for an id, which need not be one if the caller oversees everybody.
func (s *SecondFactors) mustOverseeID(ctx context.Context, by user.Caller, of user.ID) error {
	if err := by.MustBe(user.Admin); err != nil || by.Campus() == "" {
		return err
	}
	u, err := s.Storage.FindUser(ctx, of)
	if err != nil {
		return err
	}
	return s.MustOversee(ctx, by, u)
}

// Start makes a secret for the caller's authenticator app. It replaces one that was not
// confirmed; ErrSecondFactorOn if one was. The caller needs a recent proof of identity,
// here and in Confirm, Disable and RenewRecoveryCodes.
func (s *SecondFactors) Start(ctx context.Context, by user.Caller) (TotpSetup, error) {
	own, err := s.ProvedSession(ctx, by)
	if err != nil {
		return TotpSetup{}, err
	}
	secret, err := totp.NewSecret(s.Random)
	if err != nil {
		return TotpSetup{}, err
	}
	sealed, err := s.Secrets.Seal(secret[:])
	if err != nil {
		return TotpSetup{}, err
	}
	var u user.User
	err = s.Atomically(ctx, func(ctx context.Context, st *tx) (err error) {
		if u, err = s.LockProved(ctx, st.Stores, own); err != nil {
			return err
		}
		f, err := st.LockSecondFactor(ctx, by.ID)
		switch {
		case err == nil && f.On():
			return auth.ErrSecondFactorOn
		case err != nil && !errors.Is(err, auth.ErrSecondFactorOff):
			return err
		}
		return st.PutSecondFactor(ctx, SecondFactor{User: by.ID, SealedSecret: sealed, StartedAt: s.Now()})
	})
	if err != nil {
		return TotpSetup{}, err
	}
	setup := TotpSetup{Secret: secret.String(), URI: secret.URI(s.ServiceName, string(u.Email))}
	setup.QRCode, err = s.drawQRCode(setup.URI)
	return setup, err
}

// setupLifetime is how long a secret waits for its first code.
const setupLifetime = session.ProofLifetime

// Confirm turns the second factor on with a first code of the app, mails the user and
// returns the recovery codes, of which only digests are stored. Without a Start within
// setupLifetime the error is challenge.ErrCeremonyInvalid.
func (s *SecondFactors) Confirm(ctx context.Context, by user.Caller, code string) ([]string, error) {
	own, attempt, err := s.newAttempt(ctx, by, code)
	if err == nil {
		err = s.allowSecondFactor(ctx, attempt)
	}
	if err != nil {
		return nil, err
	}
	codes, err := totp.NewRecoveryCodes(s.Random)
	if err != nil {
		return nil, err
	}
	err = s.Atomically(ctx, func(ctx context.Context, st *tx) error {
		u, err := s.LockProved(ctx, st.Stores, own)
		if err != nil {
			return err
		}
		if err := s.confirm(ctx, st, attempt, codes); err != nil {
			return err
		}
		return st.RecordSideEffects(ctx, auth.SideEffects{
			AuditEntries: []audit.Entry{s.AuditEntry(by, "second_factor.enabled", u.ID, "")},
			Messages:     []message.Message{s.SecurityNotice(message.TotpEnabled, u, by.From)},
		})
	})
	if err != nil {
		return nil, err
	}
	s.forgiveSecondFactor(ctx, attempt)
	return codes, nil
}

func (s *SecondFactors) confirm(ctx context.Context, st *tx, a secondFactorAttempt, codes []string) error {
	now := s.Now()
	f, err := st.LockSecondFactor(ctx, a.user.ID)
	switch {
	case errors.Is(err, auth.ErrSecondFactorOff) || err == nil && !f.On() && !now.Before(f.StartedAt.Add(setupLifetime)):
		return challenge.ErrCeremonyInvalid
	case err != nil:
		return err
	case f.On():
		return auth.ErrSecondFactorOn
	}
	secret, err := s.openSecret(ctx, f)
	if err != nil {
		return err
	}
	code, ok := totp.ParseCode(a.code)
	if ok {
		f.LastStep, ok = secret.Match(code, now, f.LastStep)
	}
	if !ok {
		return challenge.ErrCodeInvalid
	}
	f.ConfirmedAt, f.Recovery = now, recoveryDigests(secret, codes)
	return st.PutSecondFactor(ctx, f)
}

func recoveryDigests(of totp.Secret, codes []string) []totp.Digest {
	digests := make([]totp.Digest, len(codes))
	for i, shown := range codes {
		code, _ := totp.ParseRecoveryCode(shown)
		digests[i] = of.RecoveryDigest(code)
	}
	return digests
}

// newAttempt returns an attempt of a caller with a recent proof of identity, and their session.
func (s *SecondFactors) newAttempt(ctx context.Context, by user.Caller, code string) (session.Session, secondFactorAttempt, error) {
	own, err := s.ProvedSession(ctx, by)
	if err != nil {
		return own, secondFactorAttempt{}, err
	}
	u, err := s.Storage.FindUser(ctx, by.ID)
	return own, secondFactorAttempt{u, code, by.From}, err
}

// Disable turns the second factor off with one of its codes, forgets the devices that it
// is remembered on and mails the user.
func (s *SecondFactors) Disable(ctx context.Context, by user.Caller, code string) error {
	own, attempt, err := s.newAttempt(ctx, by, code)
	if err != nil {
		return err
	}
	return s.mustUseSecondFactor(ctx, attempt, func(ctx context.Context, st *tx, use factorUse) error {
		u, err := s.LockProved(ctx, st.Stores, own)
		if err != nil {
			return err
		}
		return s.remove(ctx, st, by, u, use.detail())
	})
}

// remove deletes a second factor and tells its user.
func (s *SecondFactors) remove(ctx context.Context, st *tx, by user.Caller, of user.User, how string) error {
	if err := st.DeleteSecondFactor(ctx, of.ID); err != nil {
		return err
	}
	return st.RecordSideEffects(ctx, auth.SideEffects{
		AuditEntries: []audit.Entry{s.AuditEntry(by, "second_factor.disabled", of.ID, how)},
		Messages:     []message.Message{s.SecurityNotice(message.TotpDisabled, of, by.From)},
	})
}

// RenewRecoveryCodes replaces the caller's recovery codes, used or not, and returns the new
// ones; ErrSecondFactorOff if the second factor is not on.
func (s *SecondFactors) RenewRecoveryCodes(ctx context.Context, by user.Caller) ([]string, error) {
	own, err := s.ProvedSession(ctx, by)
	if err != nil {
		return nil, err
	}
	codes, err := totp.NewRecoveryCodes(s.Random)
	if err != nil {
		return nil, err
	}
	err = s.Atomically(ctx, func(ctx context.Context, st *tx) error {
		if _, err := s.LockProved(ctx, st.Stores, own); err != nil {
			return err
		}
		f, err := st.LockSecondFactor(ctx, by.ID)
		if err == nil && !f.On() {
			err = auth.ErrSecondFactorOff
		}
		if err != nil {
			return err
		}
		secret, err := s.openSecret(ctx, f)
		if err != nil {
			return err
		}
		f.Recovery = recoveryDigests(secret, codes)
		if err := st.PutSecondFactor(ctx, f); err != nil {
			return err
		}
		return st.RecordSideEffects(ctx, auth.SideEffects{
			AuditEntries: []audit.Entry{s.AuditEntry(by, "second_factor.recovery_codes_renewed", by.ID, "")},
		})
	})
	if err != nil {
		return nil, err
	}
	return codes, nil
}

// Reset turns off the second factor of somebody who has lost the app and the recovery
// codes, for the operator of the program, who needs no account. The error is
// user.ErrNotFound without an account, and ErrSecondFactorOff if the factor is not on.
func (s *SecondFactors) Reset(ctx context.Context, email string) (user.User, error) {
	address, err := user.ParseEmail(email)
	if err != nil {
		return user.User{}, err
	}
	var u user.User
	err = s.Atomically(ctx, func(ctx context.Context, st *tx) (err error) {
		if u, err = st.LockUserByEmail(ctx, address); err != nil {
			return err
		}
		f, err := st.LockSecondFactor(ctx, u.ID)
		if err == nil && !f.On() {
			err = auth.ErrSecondFactorOff
		}
		if err != nil {
			return err
		}
		return s.remove(ctx, st, user.Caller{}, u, "by the operator")
	})
	return u, err
}
