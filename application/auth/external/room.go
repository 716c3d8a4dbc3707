// Package external is the room of sign-ins at other services, and of the identities there that are linked
// to accounts.
package external

import (
	"context"
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// Room has the use cases of the room.
type Room struct {
	Identities     *Identities
	ServiceLogouts *ServiceLogouts
}

// New returns the use cases over the storage of an adapter. c and v are nil without external sign-in.
func New(d *auth.Deps, list ListIdentities, open Open, c ProviderClient, v LogoutVerifier) *Room {
	u := &unit{auth.Unit[*tx]{Deps: d, In: in(open)}, list, c}
	d.Hooks.SignsIn = append(d.Hooks.SignsIn, func(ctx context.Context, st auth.Stores, of user.ID) (bool, error) {
		return u.signsIn(ctx, u.In(st), of)
	})
	d.Hooks.Reaches = append(d.Hooks.Reaches, func(ctx context.Context, own session.Session) (session.Level, error) {
		if own.Methods.Has(string(session.External)) {
			return 0, nil // that is how they have signed in
		}
		all, err := list(ctx, own.User)
		if slices.ContainsFunc(all, func(i identity.Identity) bool { return u.hasProvider(i.Provider) }) {
			return session.TwoFactors, err // if the service asks for them
		}
		return 0, err
	})
	d.Hooks.AddressRestored = append(d.Hooks.AddressRestored, func(ctx context.Context, st auth.Stores, of user.ID, since time.Time) error {
		_, err := open(st).DeleteIdentitiesSince(ctx, of, since)
		return err
	})
	d.Hooks.Exports = append(d.Hooks.Exports, u.export)
	return &Room{Identities: &Identities{u}, ServiceLogouts: &ServiceLogouts{u, v}}
}

// unit is what the use cases of the room share.
type unit struct {
	auth.Unit[*tx]
	listIdentities ListIdentities
	client         ProviderClient
}

// tx is a transaction in progress: what all rooms share, and the store of this one.
type tx struct {
	auth.Stores
	Store
}

// Open opens the room's store in a transaction.
type Open = func(auth.Stores) Store

func in(open Open) func(auth.Stores) *tx {
	return func(st auth.Stores) *tx { return &tx{st, open(st)} }
}

// signsIn reports whether a user has an identity at a service of the settings.
func (u *unit) signsIn(ctx context.Context, st *tx, of user.ID) (bool, error) {
	all, err := st.ListIdentities(ctx, of)
	return slices.ContainsFunc(all, func(i identity.Identity) bool { return u.hasProvider(i.Provider) }), err
}

// export adds the identities of a user.
func (u *unit) export(ctx context.Context, of user.ID, out *auth.ExportedAccount) error {
	all, err := u.listIdentities(ctx, of)
	for _, i := range all {
		out.Identities = append(out.Identities, auth.ExportedIdentity{
			Provider: i.Provider, Subject: i.Subject, Email: i.Email, CreatedAt: i.CreatedAt, LastUsedAt: auth.Moment(i.LastUsedAt),
		})
	}
	return err
}
