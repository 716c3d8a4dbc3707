package factors

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/totp"
	"github.com/octavo-books/octavo/domain/user"
)

// secondFactorAttempt is a code that a user entered as their second factor.
type secondFactorAttempt struct {
	user user.User
	code string // as it was typed
	from user.ClientInfo
}

// failuresKey names the count of wrong second factors of one account from one client. It
// differs from the count of wrong passwords, which a right password resets: otherwise somebody
// who knows the password could guess codes without end.
func (a secondFactorAttempt) failuresKey() string {
	return "second factor " + auth.FailuresKey(a.user.Email, a.from)
}

// allowSecondFactor counts an attempt before the code is compared, so that many at once
// count as many.
func (d *unit) allowSecondFactor(ctx context.Context, a secondFactorAttempt) error {
	if err := d.requireKey(ctx, a.user.ID); err != nil {
		return err
	}
	requests := []limit.Request{
		auth.RequestFrom("codes", d.Rules.Codes, a.from),
		{Name: a.failuresKey(), Rule: d.Rules.SignInFailures},
	}
	// This limit exempts recovery codes, which nobody can guess. The owner can use one on a
	// new network even while strangers who know the password use up the attempts of all
	// unknown clients.
	if _, guessable := totp.ParseCode(a.code); guessable {
		by, err := d.ChallengeClient(ctx, a.user.Email, a.from)
		if err != nil {
			return err
		}
		if !by.Known {
			requests = append(
				requests, limit.Request{Name: "second factor failures of " + string(a.user.Email), Rule: d.Rules.TotpFailures},
			)
		}
	}
	err := d.AllowRequests(ctx, requests...)
	if err != nil {
		d.RecordLimited(ctx, err, a.user.Email, a.from)
	}
	return err
}

// requireKey returns ErrKeyReplaced if no code of a user can be compared. Such attempts do not
// count: the limits would keep the user out after the key is back.
func (d *unit) requireKey(ctx context.Context, of user.ID) error {
	err := d.Atomically(ctx, func(ctx context.Context, st *tx) error {
		if _, err := st.LockUser(ctx, of); err != nil {
			return err
		}
		f, err := st.LockSecondFactor(ctx, of)
		if err == nil {
			_, err = d.openSecret(ctx, f)
		}
		return err
	})
	if errors.Is(err, user.ErrNotFound) || errors.Is(err, auth.ErrSecondFactorOff) { // what follows finds out
		return nil
	}
	return err
}

// forgiveSecondFactor resets the count of an attempt that turned out right. A failure is
// only logged: the code is used up.
func (d *unit) forgiveSecondFactor(ctx context.Context, a secondFactorAttempt) {
	if err := d.RateLimiter.ResetLimit(ctx, a.failuresKey()); err != nil {
		d.Log.WarnContext(ctx, "could not clear the failed second factors", "user", a.user.ID.String(), "error", err)
	}
}

// factorUse is the outcome of a second factor that was entered.
type factorUse struct {
	right    bool
	recovery bool // a recovery code
	left     int  // recovery codes that are still unused
}

// detail describes the use for the audit log.
func (u factorUse) detail() string {
	if u.recovery {
		return fmt.Sprintf("recovery code, %d left", u.left)
	}
	return "authenticator app"
}

// useSecondFactor compares a code with the second factor of a user and uses it up: of many
// concurrent callers with one code, exactly one gets right. A wrong code changes nothing.
// The error is ErrSecondFactorOff if the factor is not on.
func (d *unit) useSecondFactor(ctx context.Context, st *tx, a secondFactorAttempt) (factorUse, error) {
	f, err := st.LockSecondFactor(ctx, a.user.ID)
	if err == nil && !f.On() {
		err = auth.ErrSecondFactorOff
	}
	if err != nil {
		return factorUse{}, err
	}
	secret, err := d.openSecret(ctx, f)
	if err != nil {
		return factorUse{}, err
	}
	if code, ok := totp.ParseCode(a.code); ok {
		if f.LastStep, ok = secret.Match(code, d.Now(), f.LastStep); !ok {
			return factorUse{}, nil
		}
		return factorUse{right: true}, st.PutSecondFactor(ctx, f)
	}
	code, ok := totp.ParseRecoveryCode(a.code)
	i := secret.MatchRecovery(code, f.Recovery)
	if !ok || i < 0 {
		return factorUse{}, nil
	}
	f.Recovery = slices.Delete(slices.Clone(f.Recovery), i, i+1)
	if err := st.PutSecondFactor(ctx, f); err != nil {
		return factorUse{}, err
	}
	m := d.SecurityNotice(message.RecoveryCodeUsed, a.user, a.from)
	m.Params[message.ParamLeft] = strconv.Itoa(len(f.Recovery))
	return factorUse{right: true, recovery: true, left: len(f.Recovery)}, st.RecordSideEffects(
		ctx, auth.SideEffects{Messages: []message.Message{m}},
	)
}

// openSecret returns the secret of an authenticator app; ErrKeyReplaced if it was sealed with a key
// that is not at hand.
func (d *unit) openSecret(ctx context.Context, f SecondFactor) (s totp.Secret, err error) {
	plain, err := d.Secrets.Open(f.SealedSecret)
	if err == nil && copy(s[:], plain) != len(plain) {
		err = errors.New("it has the wrong length")
	}
	if err != nil {
		d.Log.ErrorContext(ctx, "cannot open the secret of an authenticator app; was the key replaced without PREVIOUS_PRIVATE_KEYS?", "user", f.User.String(), "error", err)
		err = auth.ErrKeyReplaced
	}
	return s, err
}

// mustUseSecondFactor is useSecondFactor in a transaction of its own, with the limits: a
// wrong code is challenge.ErrCodeInvalid. effects runs in the transaction after a right one.
func (d *unit) mustUseSecondFactor(ctx context.Context, a secondFactorAttempt, effects func(context.Context, *tx, factorUse) error) error {
	if err := d.allowSecondFactor(ctx, a); err != nil {
		return err
	}
	err := d.Atomically(ctx, func(ctx context.Context, st *tx) error {
		if _, err := st.LockUser(ctx, a.user.ID); err != nil {
			return err
		}
		use, err := d.useSecondFactor(ctx, st, a)
		switch {
		case err != nil:
			return err
		case !use.right:
			return challenge.ErrCodeInvalid
		}
		return effects(ctx, st, use)
	})
	if err == nil {
		d.forgiveSecondFactor(ctx, a)
	}
	return err
}

// prove is Hooks.ProveSecondFactor.
func (s *SecondFactors) prove(ctx context.Context, of user.User, code string, from user.ClientInfo) (bool, error) {
	on, err := s.reader.HasSecondFactor(ctx, of.ID)
	if err != nil || !on {
		return false, err
	}
	return true, s.mustUseSecondFactor(ctx, secondFactorAttempt{of, code, from}, func(context.Context, *tx, factorUse) error { return nil })
}
