package user

import (
	"slices"

	"github.com/octavo-books/octavo/domain/fault"
)

// ErrOwnAffair refuses an admin who decides about something in which they are a party.
var ErrOwnAffair = fault.New(fault.Forbidden, "own_affair", "You are a party to this. Another admin must decide.")

// Affair is what an admin decides about: a sale, a listing or a report.
type Affair struct {
	University string // whose admins decide
	Parties    []ID   // buyer and seller, or reporter and reported; 0 is nobody
}

// With returns the affair with further parties.
func (a Affair) With(more ...ID) Affair {
	a.Parties = slices.Concat(a.Parties, more)
	return a
}

// Involves reports whether a user is a party.
func (a Affair) Involves(id ID) bool { return id != 0 && slices.Contains(a.Parties, id) }

// Staff is an admin or owner whose account is neither suspended nor about to be deleted.
type Staff struct {
	ID         ID
	Role       Role
	University string
}

// CheckDecision refuses a caller who is a party. An owner may decide nevertheless if nobody else
// of the staff may, and alone says so: there is no other owner and no other admin at all, or
// none of this university where admins are bounded to theirs.
func (a Affair) CheckDecision(by Caller, staff []Staff) (alone bool, err error) {
	if !a.Involves(by.ID) {
		return false, nil
	}
	if by.Role < Owner || slices.ContainsFunc(staff, func(s Staff) bool { return s.ID != by.ID && a.isFor(s, by.CampusOnly) }) {
		return false, ErrOwnAffair
	}
	return true, nil
}

// isFor reports whether somebody of the staff decides about such affairs.
func (a Affair) isFor(s Staff, campusOnly bool) bool {
	return s.Role == Owner || s.Role == Admin && (!campusOnly || SameUniversity(s.University, a.University))
}
