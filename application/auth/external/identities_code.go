package external

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

// pendingIdentity is an external sign-in that waits for the code mailed to its address.
type pendingIdentity struct {
	Provider string
	Claims   identity.Claims
	Address  user.Email
	Lang     user.Lang
	Next     string
	Strong   bool // see auth.Authentication
	// Mailed says that a code was sent. Without it no code is right.
	Mailed bool
	Digest [sha256.Size]byte // of the code, see challenge.Key
}

// challenge is the code as domain/challenge compares it.
func (p pendingIdentity) challenge() challenge.Challenge {
	return challenge.Challenge{Purpose: challenge.IdentityCode, Email: p.Address, Digest: p.Digest}
}

// askForCode mails a code to the address that a provider gave, as often as the limits allow.
// The result and the work are the same for every address.
func (i *Identities) askForCode(
	ctx context.Context, p identity.Provider, waiting pendingIdentity, from user.ClientInfo,
) (CallbackResult, error) {
	var err error
	if waiting.Mailed, err = i.allowCode(ctx, waiting.Address, from); err != nil {
		return CallbackResult{}, err
	}
	code, err := challenge.NewCode(i.Random)
	if err != nil {
		return CallbackResult{}, err
	}
	id, err := challenge.NewLink(i.Random)
	if err != nil {
		return CallbackResult{}, err
	}
	now := i.Now()
	made := i.CodeKey.New(challenge.IdentityCode, waiting.Address, 0, code, now)
	waiting.Digest = made.Digest
	c := challenge.Ceremony{
		Purpose: challenge.IdentityCode, Digest: i.CodeKey.CeremonyDigest(challenge.IdentityCode, id),
		Browser: from.UserAgent, CreatedAt: now, ExpiresAt: made.ExpiresAt,
	}
	err = i.Atomically(ctx, func(ctx context.Context, st *tx) error {
		u, _, err := auth.Optional(st.LockUserByEmail(ctx, waiting.Address))
		if err != nil {
			return err
		}
		m := i.SecurityNotice(message.IdentityCode, user.User{Email: waiting.Address, Lang: u.Lang.Or(waiting.Lang.Or(user.EN))}, from)
		m.Code, m.ExpiresAt = code, made.ExpiresAt
		m.Params[message.ParamProvider] = p.Label
		send := waiting
		send.Mailed = send.Mailed && !u.Suspended()
		if err := putPending(ctx, st, c, send); err != nil {
			return err
		}
		effects := auth.SideEffects{Messages: []message.Message{m}}
		if !send.Mailed {
			return st.RecordDecoy(ctx, effects)
		}
		return st.RecordSideEffects(ctx, effects)
	})
	return CallbackResult{Code: id, Address: waiting.Address, Next: waiting.Next}, err
}

// allowCode reports whether the limits allow a mail with a code now. The error is
// limit.ErrExceeded if the client has asked for mails too often.
func (i *Identities) allowCode(ctx context.Context, to user.Email, from user.ClientInfo) (bool, error) {
	if err := i.AllowRequests(ctx, auth.RequestFrom("mail requests", i.Rules.MailRequests, from)); err != nil {
		return false, err
	}
	by, err := i.ChallengeClient(ctx, to, from)
	if err != nil {
		return false, err
	}
	kind := "codes for external sign-ins"
	if by.Known { // unknown clients cannot use up the mails of a known one
		kind += " from " + by.Key
	}
	return i.AllowMail(ctx, kind, to, i.Rules.Mails)
}

func putPending(ctx context.Context, st *tx, c challenge.Ceremony, p pendingIdentity) error {
	state, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if len(state) > challenge.MaxState {
		return fmt.Errorf("%w: the provider's claims have %d bytes", identity.ErrAnswerInvalid, len(state))
	}
	c.State = state
	return st.PutCeremony(ctx, c)
}

// ConfirmCode finishes an external sign-in with the code that Finish has mailed. A wrong
// code is challenge.ErrCodeInvalid. After five wrong codes or ten minutes, from another
// browser and after a success, the error is challenge.ErrCeremonyInvalid.
func (i *Identities) ConfirmCode(ctx context.Context, id, code string, from user.ClientInfo) (CallbackResult, error) {
	if !challenge.IsLink(id) {
		return CallbackResult{}, challenge.ErrCeremonyInvalid
	}
	if err := i.AllowRequests(ctx, auth.RequestFrom("codes", i.Rules.Codes, from)); err != nil {
		return CallbackResult{}, err
	}
	waiting, right, err := i.tryCode(ctx, id, code, from)
	if err != nil {
		return CallbackResult{}, err
	}
	if !right {
		return CallbackResult{}, challenge.ErrCodeInvalid
	}
	p, err := i.provider(waiting.Provider)
	if err != nil {
		return CallbackResult{}, err
	}
	u, err := i.join(ctx, p, waiting.Claims, waiting.Address, waiting.Lang, from)
	if err != nil {
		return CallbackResult{}, err
	}
	return i.complete(ctx, u, waiting, from)
}

// tryCode counts a wrong code, and uses up the ceremony with the right one or the last
// wrong one.
func (i *Identities) tryCode(ctx context.Context, id, code string, from user.ClientInfo) (waiting pendingIdentity, right bool, err error) {
	digest := i.CodeKey.CeremonyDigest(challenge.IdentityCode, id)
	code, malformed := challenge.ParseCode(code)
	err = i.Atomically(ctx, func(ctx context.Context, st *tx) error {
		waiting, right = pendingIdentity{}, false
		c, err := st.LockCeremony(ctx, challenge.IdentityCode, digest, i.Now())
		if err != nil {
			return err
		}
		if c.Browser != from.UserAgent {
			return challenge.ErrCeremonyInvalid
		}
		if err := json.Unmarshal(c.State, &waiting); err != nil {
			return fmt.Errorf("an external sign-in: %w", err)
		}
		if malformed != nil {
			return malformed // a typing error, not an attempt
		}
		if right = i.CodeKey.Matches(waiting.challenge(), code) && waiting.Mailed; right {
			return st.DeleteCeremony(ctx, digest)
		}
		if c.Attempts++; c.Attempts < challenge.MaxAttempts {
			return st.PutCeremony(ctx, c)
		}
		return errors.Join(st.DeleteCeremony(ctx, digest), i.recordGuess(ctx, st, waiting.Address, from))
	})
	return waiting, right, err
}

// recordGuess writes an audit entry for the account of an address, if there is one.
func (i *Identities) recordGuess(ctx context.Context, st *tx, address user.Email, from user.ClientInfo) error {
	u, exists, err := auth.Optional(st.LockUserByEmail(ctx, address))
	if err != nil {
		return err
	}
	effects := auth.SideEffects{
		AuditEntries: []audit.Entry{i.AuditEntry(user.Caller{From: from}, "code.guessed", u.ID, string(challenge.IdentityCode))},
	}
	if !exists {
		return st.RecordDecoy(ctx, effects)
	}
	return st.RecordSideEffects(ctx, effects)
}
