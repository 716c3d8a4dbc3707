// Package account is the room of accounts: sign-up, profile, addresses, passwords, invitations, deletion and
// export, and what admins do about the accounts of others.
package account

import (
	"context"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/user"
)

// Room has the use cases of the room.
type Room struct {
	Accounts     *Accounts
	Passwords    *Passwords
	Invitations  *Invitations
	Users        *Users
	Provisioning *Provisioning
	Deletions    *Deletions
	EmailChanges *EmailChanges
	Exports      *Exports
	Housekeeping *Housekeeping
}

// New returns the use cases over the storage of an adapter. others are the other components, by name, and
// sweepers the stores with rows that expire.
func New(d *auth.Deps, r Reader, open Open, others map[string]DataExporter, sweepers []Sweep) *Room {
	u := &unit{auth.Unit[*tx]{Deps: d, In: in(open)}, r}
	a := &Accounts{u}
	d.Hooks.OpenAccount = func(ctx context.Context, st auth.Stores, in auth.ProvedAddress) (user.User, error) {
		return a.openProved(ctx, u.In(st), in)
	}
	users := &Users{u}
	return &Room{
		Accounts: a, Passwords: &Passwords{u}, Invitations: &Invitations{u},
		Users: users, Provisioning: &Provisioning{u, users}, Deletions: &Deletions{u},
		EmailChanges: &EmailChanges{u}, Exports: &Exports{u, others}, Housekeeping: &Housekeeping{u, sweepers},
	}
}

// unit is what the use cases of the room share.
type unit struct {
	auth.Unit[*tx]
	reader Reader
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
