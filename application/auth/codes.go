package auth

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/user"
)

// FailuresKey names the count of failed sign-ins for one address from one client. It
// includes the client so that a stranger cannot lock the owner out.
func FailuresKey(of user.Email, from user.ClientInfo) string {
	return "sign-in failures of " + string(of) + " from " + limit.ClientKey(from.IP)
}

// recordLimitedRule limits the audit entries about one client guessing at one address.
var recordLimitedRule = limit.Rule{Burst: 1, Period: 15 * time.Minute}

// RecordLimited writes an audit entry when a client has exceeded the limit of failures.
// It does the same work for an address without an account, and then stores nothing.
func (d *Deps) RecordLimited(ctx context.Context, cause error, email user.Email, from user.ClientInfo) {
	if !errors.Is(cause, limit.ErrExceeded) {
		return
	}
	err := d.AllowRequests(ctx, limit.Request{Name: "record of " + FailuresKey(email, from), Rule: recordLimitedRule})
	if errors.Is(err, limit.ErrExceeded) {
		return
	}
	if err == nil {
		err = d.Storage.Atomically(ctx, func(ctx context.Context, st Stores) error {
			u, exists, err := Optional(st.LockUserByEmail(ctx, email))
			if err != nil {
				return err
			}
			t := SideEffects{AuditEntries: []audit.Entry{d.AuditEntry(user.Caller{From: from}, "sign_in.limited", u.ID, "")}}
			if !exists {
				return st.RecordDecoy(ctx, t)
			}
			return st.RecordSideEffects(ctx, t)
		})
	}
	if err != nil {
		d.Log.WarnContext(ctx, "could not record that a client guesses passwords", "error", err)
	}
}

// CodeAttempt is a code that a client entered for an address.
type CodeAttempt struct {
	purpose challenge.Purpose
	Email   user.Email
	code    string
	owner   user.ID // of the address; 0 without an account
	by      challenge.Client
	from    user.ClientInfo
}

// NewCodeAttempt looks up the owner of the address and whether the client is known. It
// runs before the transaction to keep that short.
func (d *Deps) NewCodeAttempt(
	ctx context.Context, p challenge.Purpose, email user.Email, code string, from user.ClientInfo,
) (CodeAttempt, error) {
	owner, _, err := Optional(d.Storage.FindUserByEmail(ctx, email))
	if err != nil {
		return CodeAttempt{}, err
	}
	by, err := d.ChallengeClient(ctx, email, from)
	return CodeAttempt{p, email, code, owner.ID, by, from}, err
}

// ChallengeClient reports whether the account was signed in from this client before.
func (d *Deps) ChallengeClient(ctx context.Context, email user.Email, from user.ClientInfo) (challenge.Client, error) {
	source := limit.ClientKey(from.IP)
	known, err := d.Storage.IsKnownClient(ctx, email, source, d.Now())
	return challenge.Client{Key: source, Known: known}, err
}

// VerifyCode counts the attempt and returns the challenge that the code matches. It
// writes an audit entry if the attempt was the last one that this client had at an
// account's code. Any other wrong code does the same work and stores nothing, even
// where there is no challenge, so that the time does not reveal an account.
func (d *Deps) VerifyCode(ctx context.Context, st Stores, g CodeAttempt) (challenge.Challenge, bool, error) {
	open, err := st.CountAttempt(ctx, g.purpose, g.Email, g.by, d.Now())
	if err != nil {
		return challenge.Challenge{}, false, err
	}
	for _, c := range open {
		if d.CodeKey.Matches(c, g.code) {
			return c, true, nil
		}
	}
	t := SideEffects{AuditEntries: []audit.Entry{d.AuditEntry(user.Caller{From: g.from}, "code.guessed", g.owner, string(g.purpose))}}
	if g.owner != 0 && slices.ContainsFunc(open, func(c challenge.Challenge) bool { return c.Attempts.Exhausted(g.by) }) {
		return challenge.Challenge{}, false, st.RecordSideEffects(ctx, t)
	}
	return challenge.Challenge{}, false, st.RecordDecoy(ctx, t)
}

// VerifyCurrent checks the current password of an account. Failures count like failed
// sign-ins.
func (d *Deps) VerifyCurrent(ctx context.Context, u user.User, current string, from user.ClientInfo) error {
	attempt := limit.Request{Name: FailuresKey(u.Email, from), Rule: d.Rules.SignInFailures}
	if err := d.AllowRequests(ctx, attempt); err != nil {
		d.RecordLimited(ctx, err, u.Email, from)
		return err
	}
	typed, ok := user.TypedPassword(current)
	if !ok {
		return ErrWrongPassword
	}
	right, _, err := d.VerifyPassword(ctx, u.PasswordHash, typed)
	if err != nil {
		return err
	}
	if !right {
		return ErrWrongPassword
	}
	return d.RateLimiter.ResetLimit(ctx, attempt.Name)
}
