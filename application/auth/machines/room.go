// Package machines is the room of programs that call other programs: machine clients, the resources that
// they call, and their tokens.
package machines

import (
	"github.com/octavo-books/octavo/application/auth"
)

// Room has the use cases of the room.
type Room struct {
	Machines      *Machines
	Resources     *Resources
	MachineTokens *MachineTokens
}

// New returns the use cases over the storage of an adapter.
func New(d *auth.Deps, r Reader, open Open, t Tokens, a Assertions) *Room {
	u := &unit{auth.Unit[*tx]{Deps: d, In: in(open)}, r, t, a}
	return &Room{Machines: &Machines{u}, Resources: &Resources{u}, MachineTokens: &MachineTokens{u}}
}

// unit is what the use cases of the room share.
type unit struct {
	auth.Unit[*tx]
	reader     Reader
	tokens     Tokens
	assertions Assertions
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
