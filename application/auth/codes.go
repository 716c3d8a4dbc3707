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

// failuresKey names what is counted for one address from one client, so that a
// stranger cannot lock its owner out.
func failuresKey(of user.Email, from user.ClientInfo) string {
	return "sign-in failures of " + string(of) + " from " + limit.ClientKey(from.IP)
}

// recordLimitedRule bounds how often a guessing client is recorded for one address.
var recordLimitedRule = limit.Rule{Burst: 1, Period: 15 * time.Minute}

// recordLimited keeps in the audit log that a client is made to wait. For an address
// without an account the work is the same and nothing stays.
func (k *deps) recordLimited(ctx context.Context, refusal error, email user.Email, from user.ClientInfo) {
	if !errors.Is(refusal, limit.ErrExceeded) {
		return
	}
	err := k.allowRequests(ctx, limit.Request{Name: "record of " + failuresKey(email, from), Rule: recordLimitedRule})
	if errors.Is(err, limit.ErrExceeded) {
		return
	}
	if err == nil {
		err = k.Database.Atomically(ctx, func(ctx context.Context, st Stores) error {
			u, exists, err := findOptional(st.Users.LockUserByEmail(ctx, email))
			if err != nil {
				return err
			}
			t := SideEffects{AuditEntries: []audit.Entry{k.auditEntry(user.Caller{From: from}, "sign_in.limited", u.ID, "")}}
			if !exists {
				return st.SideEffects.RecordDecoy(ctx, t)
			}
			return st.SideEffects.RecordSideEffects(ctx, t)
		})
	}
	if err != nil {
		k.Log.WarnContext(ctx, "a guessing client was not recorded", "error", err)
	}
}

// codeAttempt is a code that somebody has typed for an address.
type codeAttempt struct {
	purpose challenge.Purpose
	email   user.Email
	code    string
	owner   user.ID // of the address; 0 if it has no account
	by      challenge.Client
	from    user.ClientInfo
}

// newCodeAttempt finds out, before any transaction, whose code is typed and by whom.
func (k *deps) newCodeAttempt(ctx context.Context, p challenge.Purpose, email user.Email, code string, from user.ClientInfo) (codeAttempt, error) {
	owner, _, err := findOptional(k.Users.FindUserByEmail(ctx, email))
	if err != nil {
		return codeAttempt{}, err
	}
	by, err := k.challengeClient(ctx, email, from)
	return codeAttempt{p, email, code, owner.ID, by, from}, err
}

// challengeClient tells a source that the account was signed in from before from a stranger.
func (k *deps) challengeClient(ctx context.Context, email user.Email, from user.ClientInfo) (challenge.Client, error) {
	source := limit.ClientKey(from.IP)
	known, err := k.Users.IsKnownClient(ctx, email, source, k.Clock.Now())
	return challenge.Client{Key: source, Known: known}, err
}

// verifyCode counts a try and finds the challenge that the code meets. The audit log
// keeps it if it was the last that the guesser had at a member's code; every other
// wrong one, also where there was no code to meet, is as much work and leaves nothing.
func (k *deps) verifyCode(ctx context.Context, st Stores, g codeAttempt) (challenge.Challenge, bool, error) {
	open, err := st.Challenges.CountAttempt(ctx, g.purpose, g.email, g.by, k.Clock.Now())
	if err != nil {
		return challenge.Challenge{}, false, err
	}
	for _, c := range open {
		if k.CodeKey.Matches(c, g.code) {
			return c, true, nil
		}
	}
	t := SideEffects{AuditEntries: []audit.Entry{k.auditEntry(user.Caller{From: g.from}, "code.guessed", g.owner, string(g.purpose))}}
	if g.owner != 0 && slices.ContainsFunc(open, func(c challenge.Challenge) bool { return c.Attempts.Exhausted(g.by) }) {
		return challenge.Challenge{}, false, st.SideEffects.RecordSideEffects(ctx, t)
	}
	return challenge.Challenge{}, false, st.SideEffects.RecordDecoy(ctx, t)
}
