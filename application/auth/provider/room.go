// Package provider is the room of Octavo as an OpenID provider: the applications that sign people in here,
// their codes and tokens, and what users allow them.
package provider

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/user"
)

// Room has the use cases of the room.
type Room struct {
	Clients        *Clients
	Authorizations *Authorizations
	Logouts        *Logouts
}

// New returns the use cases over the storage of an adapter. s is nil where nothing is sent.
func New(d *auth.Deps, r Reader, open Open, t IDTokens, s LogoutSender) *Room {
	u := &unit{auth.Unit[*tx]{Deps: d, In: in(open)}, r, t}
	d.Hooks.AddressRestored = append(d.Hooks.AddressRestored, func(ctx context.Context, st auth.Stores, of user.ID, since time.Time) error {
		return open(st).DeleteGrantsSince(ctx, of, since)
	})
	d.Hooks.Exports = append(d.Hooks.Exports, u.export)
	return &Room{Clients: &Clients{u}, Authorizations: &Authorizations{u}, Logouts: &Logouts{u, s}}
}

// unit is what the use cases of the room share.
type unit struct {
	auth.Unit[*tx]
	reader   Reader
	idTokens IDTokens
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

// export adds what a user has allowed applications.
func (u *unit) export(ctx context.Context, of user.ID, out *auth.ExportedAccount) error {
	grants, err := u.reader.ListGrants(ctx, of)
	for _, g := range grants {
		out.Consents = append(out.Consents, auth.ExportedConsent{Application: g.Client, Scopes: g.Scopes, CreatedAt: g.CreatedAt})
	}
	return err
}
