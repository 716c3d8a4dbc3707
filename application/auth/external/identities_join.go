package external

import (
	"context"
	"errors"
	"slices"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// findOwner returns the account to which an identity belongs.
func (i *Identities) findOwner(ctx context.Context, p identity.Provider, c identity.Claims) (u user.User, known bool, err error) {
	err = i.Atomically(ctx, func(ctx context.Context, st *tx) error {
		u, known, err = i.lockOwner(ctx, st, p, c)
		return err
	})
	return u, known, err
}

// lockOwner records that the identity was used. Its owner may have removed it before their account was locked: then it
// belongs to nobody.
func (i *Identities) lockOwner(ctx context.Context, st *tx, p identity.Provider, c identity.Claims) (user.User, bool, error) {
	found, err := st.FindIdentity(ctx, p.Name, c.Subject)
	if errors.Is(err, identity.ErrNotFound) {
		return user.User{}, false, nil
	}
	if err != nil {
		return user.User{}, false, err
	}
	u, known, err := auth.Optional(st.LockUser(ctx, found.User))
	if err == nil && known {
		err = st.MarkIdentityUsed(ctx, found.ID, i.Now())
	}
	if errors.Is(err, identity.ErrNotFound) {
		return user.User{}, false, nil
	}
	return u, known, err
}

// join links an identity to the account of an address that was proved to be the person's,
// or makes that account. It deletes unconfirmed sign-ups of the address with their passwords:
// a stranger may have signed up in order to get into the account later.
func (i *Identities) join(
	ctx context.Context, p identity.Provider, c identity.Claims, address user.Email, lang user.Lang, from user.ClientInfo,
) (user.User, error) {
	var u user.User
	var other bool // the account has another subject of the provider
	err := i.WithAddressLock(ctx, []user.Email{address}, func(ctx context.Context, st *tx) error {
		var known, exists bool
		var err error
		other = false
		if u, known, err = i.lockOwner(ctx, st, p, c); err != nil || known {
			return err // somebody else's request was faster
		}
		if u, exists, err = auth.Optional(st.LockUserByEmail(ctx, address)); err != nil {
			return err
		}
		switch {
		case u.Suspended():
			return user.ErrSuspended
		case u.Verified:
			if other, err = i.hasOther(ctx, st, p, u); err != nil || other {
				return errors.Join(err, i.recordOther(ctx, st, p, c, u, from))
			}
			return i.addIdentity(ctx, st, p, c, u, from, i.linkedNotice(u, p, from))
		case !exists && !i.AllowRegistration && !i.ExternalRegistration:
			return auth.ErrRegistrationDisabled
		}
		u, err = i.Hooks.OpenAccount(
			ctx, st.Stores, auth.ProvedAddress{Account: u, Address: address, Name: cleanName(c.Name), Lang: lang, From: from},
		)
		if err != nil {
			return err
		}
		return i.addIdentity(ctx, st, p, c, u, from)
	})
	if err == nil && other {
		return user.User{}, identity.ErrOtherSubject
	}
	if errors.Is(err, identity.ErrTaken) || errors.Is(err, user.ErrEmailTaken) { // by a concurrent request
		owner, known, again := i.findOwner(ctx, p, c)
		if again != nil || known {
			return owner, again
		}
	}
	return u, err
}

// hasOther reports whether an account has an identity at a provider. A new one there is then another
// person's until they prove otherwise: universities give addresses of people who left to others.
func (i *Identities) hasOther(ctx context.Context, st *tx, p identity.Provider, u user.User) (bool, error) {
	all, err := st.ListIdentities(ctx, u.ID)
	return slices.ContainsFunc(all, func(one identity.Identity) bool { return one.Provider == p.Name }), err
}

// recordOther leaves a trace from which an admin can link the identity.
func (i *Identities) recordOther(
	ctx context.Context, st *tx, p identity.Provider, c identity.Claims, u user.User, from user.ClientInfo,
) error {
	return st.RecordSideEffects(ctx, auth.SideEffects{
		AuditEntries: []audit.Entry{i.AuditEntry(
			user.Caller{From: from}, "identity.refused", u.ID, p.Name+" "+text.Line(c.Subject, identity.MaxSubject),
		)},
	})
}

// LinkFor links the identity with a subject at a provider to somebody's account, for an admin who
// knows that it is theirs; not to the admin's own. An identity that belongs to another account is identity.ErrTaken.
func (i *Identities) LinkFor(ctx context.Context, by user.Caller, of user.ID, provider, subject string) error {
	if err := by.MustBe(user.Admin); err != nil {
		return err
	}
	known, err := i.Storage.FindUser(ctx, of)
	if err == nil {
		err = by.MustOutrank(known)
	}
	if err == nil && of == by.ID {
		err = user.ErrForbidden // with BeginLink, after a proof
	}
	if err != nil {
		return err
	}
	p, err := i.provider(provider)
	if err != nil {
		return err
	}
	if subject == "" || len(subject) > identity.MaxSubject || !text.Storable(subject) {
		return identity.ErrSubjectInvalid
	}
	return i.Atomically(ctx, func(ctx context.Context, st *tx) error {
		u, err := st.LockUser(ctx, of)
		if err == nil {
			err = by.MustOutrank(u)
		}
		if err != nil {
			return err
		}
		found, err := st.FindIdentity(ctx, p.Name, subject)
		switch {
		case err == nil && found.User == u.ID:
			return nil
		case err == nil:
			return identity.ErrTaken
		case !errors.Is(err, identity.ErrNotFound):
			return err
		}
		return i.addIdentityBy(ctx, st, by, p, identity.Claims{Subject: subject}, u, i.linkedNotice(u, p, by.From))
	})
}

const maxName = 100

// cleanName returns a provider's name for a person on one line without hidden characters,
// "" if nothing is left.
func cleanName(name string) string { return text.Line(text.StripHidden(name), maxName) }

// addIdentity links an identity to an account.
func (i *Identities) addIdentity(
	ctx context.Context, st *tx, p identity.Provider, c identity.Claims, u user.User, from user.ClientInfo, mails ...message.Message,
) error {
	return i.addIdentityBy(ctx, st, user.Caller{ID: u.ID, From: from}, p, c, u, mails...)
}

func (i *Identities) addIdentityBy(
	ctx context.Context, st *tx, by user.Caller, p identity.Provider, c identity.Claims, u user.User, mails ...message.Message,
) error {
	address, err := user.ParseEmail(c.Email)
	if err != nil {
		address = "" // it is only shown
	}
	err = st.AddIdentity(ctx, identity.Identity{
		ID: identity.ID(i.NextID()), User: u.ID, Provider: p.Name, Subject: c.Subject,
		Email: string(address), CreatedAt: i.Now(), LastUsedAt: i.Now(),
	})
	if err != nil {
		return err
	}
	return st.RecordSideEffects(ctx, auth.SideEffects{
		AuditEntries: []audit.Entry{i.AuditEntry(by, "identity.linked", u.ID, p.Name)},
		Messages:     mails,
	})
}

// linkedNotice tells the owner of an account that a provider can now sign them in.
func (i *Identities) linkedNotice(u user.User, p identity.Provider, from user.ClientInfo) message.Message {
	m := i.SecurityNotice(message.IdentityLinked, u, from)
	m.Params[message.ParamProvider] = p.Label
	return m
}

// link adds an identity to the account for which the ticket was made, if its session is
// still active. An identity that belongs to another account is identity.ErrTaken.
func (i *Identities) link(ctx context.Context, p identity.Provider, c identity.Claims, t Ticket, from user.ClientInfo) error {
	if address, err := user.ParseEmail(c.Email); len(p.Domains) > 0 && (err != nil || !p.Admits(address)) {
		return identity.ErrDomainRefused
	}
	own, err := i.Sessions.FindSession(ctx, t.User, t.Session)
	if errors.Is(err, session.ErrNotFound) {
		return user.ErrUnauthenticated
	}
	if err != nil {
		return err
	}
	return i.Atomically(ctx, func(ctx context.Context, st *tx) error {
		u, err := st.LockUser(ctx, t.User)
		switch {
		case errors.Is(err, user.ErrNotFound), err == nil && (u.Suspended() || !own.Active(u.Epoch, i.Now())):
			return user.ErrUnauthenticated
		case err != nil:
			return err
		}
		found, err := st.FindIdentity(ctx, p.Name, c.Subject)
		switch {
		case err == nil && found.User == u.ID:
			return nil
		case err == nil:
			return identity.ErrTaken
		case !errors.Is(err, identity.ErrNotFound):
			return err
		}
		return i.addIdentity(ctx, st, p, c, u, from, i.linkedNotice(u, p, from))
	})
}

// List returns the caller's identities, oldest first.
func (i *Identities) List(ctx context.Context, by user.Caller) ([]identity.Identity, error) {
	if err := by.MustBe(user.Regular); err != nil {
		return nil, err
	}
	return i.listIdentities(ctx, by.ID)
}

// Unlink removes one of the caller's identities; ErrLastSignIn if it is the only way to
// sign in. It needs a recent proof.
func (i *Identities) Unlink(ctx context.Context, by user.Caller, id identity.ID) error {
	own, err := i.ProvedSession(ctx, by)
	if err != nil {
		return err
	}
	return i.Atomically(ctx, func(ctx context.Context, st *tx) error {
		u, err := i.LockProved(ctx, st.Stores, own) // two requests must not remove the last two
		if err != nil {
			return err
		}
		all, err := st.ListIdentities(ctx, by.ID)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(all, func(one identity.Identity) bool { return one.ID == id })
		if at < 0 {
			return identity.ErrNotFound
		}
		provider := all[at].Provider
		if err := st.DeleteIdentity(ctx, by.ID, id); err != nil {
			return err
		}
		if i.hasProvider(provider) { // nobody can sign in at a service that was removed from the settings
			if err := i.MustKeepSignIn(ctx, st.Stores, u); err != nil {
				return err
			}
		}
		return st.RecordSideEffects(ctx, auth.SideEffects{
			AuditEntries: []audit.Entry{i.AuditEntry(by, "identity.unlinked", by.ID, provider)},
		})
	})
}
