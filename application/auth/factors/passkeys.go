package factors

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/passkey"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// Passkeys registers passkeys and signs in with them.
type Passkeys struct{ *unit }

// List returns the caller's passkeys, oldest first.
func (p *Passkeys) List(ctx context.Context, by user.Caller) ([]passkey.Passkey, error) {
	if err := by.MustBe(user.Regular); err != nil {
		return nil, err
	}
	return p.reader.ListPasskeys(ctx, by.ID)
}

// passkeyRegistration is the state of a ceremony that registers a passkey.
type passkeyRegistration struct {
	Name     string
	Session  user.SessionID
	Verifier []byte
}

// BeginRegistration starts to register a passkey under a name. It needs a recent proof. Where nobody signs in with
// passkeys, nobody registers any.
func (p *Passkeys) BeginRegistration(ctx context.Context, by user.Caller, name string) (PasskeyCeremony, error) {
	if p.ExternalOnly && by.SignedIn() {
		return PasskeyCeremony{}, auth.ErrExternalOnly
	}
	if err := p.MustHaveProved(ctx, by); err != nil {
		return PasskeyCeremony{}, err
	}
	name, err := passkey.CleanName(name)
	if err != nil {
		return PasskeyCeremony{}, err
	}
	u, err := p.Storage.FindUser(ctx, by.ID)
	if err != nil {
		return PasskeyCeremony{}, err
	}
	has, err := p.reader.ListPasskeys(ctx, by.ID)
	if err == nil && len(has) >= passkey.MaxPerUser {
		err = passkey.ErrTooMany
	}
	if err != nil {
		return PasskeyCeremony{}, err
	}
	options, state, err := p.verifier.BeginRegistration(u, has)
	if err != nil {
		return PasskeyCeremony{}, err
	}
	text, err := json.Marshal(passkeyRegistration{name, by.Session, state})
	if err != nil {
		return PasskeyCeremony{}, err
	}
	return p.begin(
		ctx, challenge.Ceremony{Purpose: challenge.PasskeyRegistration, User: by.ID, Browser: by.From.UserAgent, State: text}, options,
	)
}

// begin stores a ceremony that is valid for passkey.Lifetime.
func (p *Passkeys) begin(ctx context.Context, c challenge.Ceremony, options json.RawMessage) (PasskeyCeremony, error) {
	id, err := challenge.NewLink(p.Random)
	if err != nil {
		return PasskeyCeremony{}, err
	}
	c.Digest, c.CreatedAt = p.CodeKey.CeremonyDigest(c.Purpose, id), p.Now()
	c.ExpiresAt = c.CreatedAt.Add(passkey.Lifetime)
	err = p.Atomically(ctx, func(ctx context.Context, st *tx) error { return st.PutCeremony(ctx, c) })
	return PasskeyCeremony{ID: id, Options: options, ExpiresAt: c.ExpiresAt}, err
}

// finish ends a ceremony and returns it. A ceremony ends once, even with a bad response. The
// error for an unknown or ended one, and for another browser's, is challenge.ErrCeremonyInvalid.
func (p *Passkeys) finish(ctx context.Context, purpose challenge.Purpose, id string, from user.ClientInfo) (challenge.Ceremony, error) {
	if !challenge.IsLink(id) {
		return challenge.Ceremony{}, challenge.ErrCeremonyInvalid
	}
	var found challenge.Ceremony
	err := p.Atomically(ctx, func(ctx context.Context, st *tx) (err error) {
		if found, err = st.LockCeremony(ctx, purpose, p.CodeKey.CeremonyDigest(purpose, id), p.Now()); err != nil {
			return err
		}
		return st.DeleteCeremony(ctx, found.Digest)
	})
	if err == nil && found.Browser != from.UserAgent {
		err = challenge.ErrCeremonyInvalid
	}
	return found, err
}

// FinishRegistration stores the passkey that the browser made and notifies the user. It
// needs a recent proof and the session that began.
func (p *Passkeys) FinishRegistration(ctx context.Context, by user.Caller, id string, response json.RawMessage) (passkey.Passkey, error) {
	if p.ExternalOnly && by.SignedIn() {
		return passkey.Passkey{}, auth.ErrExternalOnly
	}
	own, err := p.ProvedSession(ctx, by)
	if err != nil {
		return passkey.Passkey{}, err
	}
	c, err := p.finish(ctx, challenge.PasskeyRegistration, id, by.From)
	if err != nil {
		return passkey.Passkey{}, err
	}
	var begun passkeyRegistration
	if err := json.Unmarshal(c.State, &begun); err != nil {
		return passkey.Passkey{}, err
	}
	if c.User != by.ID || begun.Session != by.Session {
		return passkey.Passkey{}, challenge.ErrCeremonyInvalid
	}
	u, err := p.Storage.FindUser(ctx, by.ID)
	if err != nil {
		return passkey.Passkey{}, err
	}
	made, err := p.verifier.FinishRegistration(u, begun.Verifier, response)
	if err != nil {
		return passkey.Passkey{}, err
	}
	return p.add(
		ctx, by, own, passkey.Passkey{ID: passkey.ID(p.NextID()), User: by.ID, Name: begun.Name, CreatedAt: p.Now(), Credential: made},
	)
}

// add stores a passkey and notifies the user.
func (p *Passkeys) add(ctx context.Context, by user.Caller, own session.Session, added passkey.Passkey) (passkey.Passkey, error) {
	err := p.Atomically(ctx, func(ctx context.Context, st *tx) error {
		u, err := p.LockProved(ctx, st.Stores, own) // which also keeps concurrent registrations from exceeding the limit together
		if err != nil {
			return err
		}
		has, err := st.LockPasskeys(ctx, by.ID)
		if err == nil && len(has) >= passkey.MaxPerUser {
			err = passkey.ErrTooMany
		}
		if err != nil {
			return err
		}
		if err := st.AddPasskey(ctx, added); err != nil {
			return err
		}
		return st.RecordSideEffects(ctx, auth.SideEffects{
			AuditEntries: []audit.Entry{p.AuditEntry(by, "passkey.added", by.ID, "passkey "+added.ID.String())},
			Messages:     []message.Message{p.SecurityNotice(message.PasskeyAdded, u, by.From)},
		})
	})
	return added, err
}

// Remove deletes one of the caller's passkeys; ErrLastSignIn if it is the only way to sign in.
// It needs a recent proof. Sessions that were started with it remain.
func (p *Passkeys) Remove(ctx context.Context, by user.Caller, id passkey.ID) error {
	own, err := p.ProvedSession(ctx, by)
	if err != nil {
		return err
	}
	return p.Atomically(ctx, func(ctx context.Context, st *tx) error {
		u, err := p.LockProved(ctx, st.Stores, own) // two requests must not remove the last two ways to sign in
		if err != nil {
			return err
		}
		n, err := st.DeletePasskeys(ctx, by.ID, id)
		if err == nil && n == 0 {
			err = passkey.ErrNotFound
		}
		if err == nil {
			err = p.MustKeepSignIn(ctx, st.Stores, u)
		}
		if err != nil {
			return err
		}
		return st.RecordSideEffects(ctx, auth.SideEffects{
			AuditEntries: []audit.Entry{p.AuditEntry(by, "passkey.removed", by.ID, "passkey "+id.String())},
		})
	})
}

// BeginSignIn starts a sign-in with any account's passkey.
func (p *Passkeys) BeginSignIn(ctx context.Context, from user.ClientInfo) (PasskeyCeremony, error) {
	if p.ExternalOnly {
		return PasskeyCeremony{}, auth.ErrExternalOnly
	}
	if err := p.AllowRequests(ctx, auth.RequestFrom("passkey sign-ins", p.Rules.SignIns, from)); err != nil {
		return PasskeyCeremony{}, err
	}
	options, state, err := p.verifier.BeginSignIn()
	if err != nil {
		return PasskeyCeremony{}, err
	}
	return p.begin(ctx, challenge.Ceremony{Purpose: challenge.PasskeySignIn, Browser: from.UserAgent, State: state}, options)
}

// FinishSignIn starts a session for the owner of the passkey. It counts as both factors
// and as a recent proof. Any response that is not accepted is a passkey.ErrInvalid.
func (p *Passkeys) FinishSignIn(
	ctx context.Context, id string, response json.RawMessage, remember bool, from user.ClientInfo,
) (auth.TokenPair, error) {
	if p.ExternalOnly {
		return auth.TokenPair{}, auth.ErrExternalOnly
	}
	c, err := p.finish(ctx, challenge.PasskeySignIn, id, from)
	if err != nil {
		return auth.TokenPair{}, err
	}
	of, err := p.verifier.ResponseOwner(response)
	if err != nil {
		return auth.TokenPair{}, err
	}
	// The account is read first: an epoch that begins while the passkey is verified, for instance
	// because its owner removes what a thief has added, must end this session, too.
	u, exists, err := auth.Optional(p.Storage.FindUser(ctx, of))
	if err != nil {
		return auth.TokenPair{}, err
	}
	methods, err := p.verify(ctx, of, c.State, response, from)
	if err != nil {
		return auth.TokenPair{}, err
	}
	if !exists || !u.Verified {
		return auth.TokenPair{}, passkey.ErrInvalid
	}
	return p.Hooks.SignIn(ctx, auth.Authentication{User: u, Factors: 2, Fresh: true, Methods: methods, Remember: remember, From: from})
}

// verify checks a response, records the use of the passkey and returns what that proves. A counter that did not grow
// is refused and recorded, but not counted.
func (p *Passkeys) verify(
	ctx context.Context, of user.ID, state []byte, response json.RawMessage, from user.ClientInfo,
) (m session.Methods, err error) {
	accepted := false
	err = p.Atomically(ctx, func(ctx context.Context, st *tx) error {
		accepted = false
		has, err := st.LockPasskeys(ctx, of)
		if err != nil {
			return err
		}
		id, counter, err := p.verifier.FinishSignIn(of, has, state, response)
		if err != nil {
			return err
		}
		used := &has[slices.IndexFunc(has, func(one passkey.Passkey) bool { return one.ID == id })]
		if m = session.HardwareKey; used.Synced {
			m = session.SoftwareKey
		}
		if accepted = used.Use(counter, p.Now()); accepted {
			return st.SavePasskeyUse(ctx, *used)
		}
		return st.RecordSideEffects(ctx, auth.SideEffects{
			AuditEntries: []audit.Entry{p.AuditEntry(
				user.Caller{From: from}, "passkey.refused", of, "the counter of passkey "+id.String()+" did not grow",
			)},
		})
	})
	if err == nil && !accepted {
		err = passkey.ErrInvalid
	}
	return m, err
}
