package pairs_test

import (
	"slices"

	"github.com/octavo-books/octavo/domain/user"
)

// party is what somebody is in the sales, listings and reports of a world.
type party int

const (
	outsider party = iota
	seller
	buyer
	reporter
)

// role is who acts.
type role struct {
	name        string
	as          party
	rank        user.Role
	elsewhere   bool // of another university
	nobody      bool // not signed in
	suspended   bool
	application bool // acts with the token of an application
}

var roles = []role{
	{name: "nobody", nobody: true},
	{name: "a suspended seller", as: seller, suspended: true},
	{name: "a suspended buyer", as: buyer, suspended: true},
	{name: "an application of the seller", as: seller, application: true},
	{name: "an application of an admin", rank: user.Admin, application: true},
	{name: "a stranger"},
	{name: "the seller", as: seller},
	{name: "the buyer", as: buyer},
	{name: "the reporter", as: reporter},
	{name: "an admin elsewhere", rank: user.Admin, elsewhere: true},
	{name: "an admin", rank: user.Admin},
	{name: "an admin who sells", as: seller, rank: user.Admin},
	{name: "an admin who buys", as: buyer, rank: user.Admin},
	{name: "an admin who reports", as: reporter, rank: user.Admin},
	{name: "an owner", rank: user.Owner},
	{name: "an owner who sells", as: seller, rank: user.Owner},
	{name: "an owner who buys", as: buyer, rank: user.Owner},
}

// may reports whether somebody in a role may do something, unless what it is about has changed.
func (a action) may(r role) bool {
	switch {
	case r.nobody, r.suspended, r.application, r.rank < a.rank():
		return false
	case a.who == admin && r.elsewhere && r.rank < user.Owner:
		return false
	case a.parties != nil && !slices.Contains(a.parties, r.as):
		return false
	}
	return !slices.Contains(a.never, r.as)
}

func (a action) rank() user.Role {
	switch a.who {
	case admin:
		return user.Admin
	case owner:
		return user.Owner
	}
	return user.Regular
}
