package user

import (
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/text"
)

// The errors of admins of one university.
var (
	// ErrOtherCampus rejects an admin of one university who asks for what belongs to another
	// one, or to none.
	ErrOtherCampus = fault.New(
		fault.Forbidden, "forbidden", "This does not belong to your university. Ask an owner.",
	).WithDetail("reason", "OTHER_CAMPUS")
	// ErrNoCampus rejects an admin of one university whose profile does not name it.
	ErrNoCampus = fault.New(fault.Forbidden, "forbidden",
		"As an admin you look after one university, and your profile has none. Ask an owner to take the role back until you have completed your profile.").WithDetail("reason", "NO_CAMPUS")
	// ErrCampusFixed rejects an admin of one university who would move to another.
	ErrCampusFixed = fault.New(fault.Forbidden, "forbidden", "Admins cannot change their own university. Ask an owner to take the role back first.").WithDetail("reason", "CAMPUS_FIXED")
)

// University returns the university of the user's profile, "" without one.
func (u User) University() string {
	if u.Profile == nil {
		return ""
	}
	return u.Profile.University
}

// SameUniversity reports whether two names are of one university: case, accents, spaces and
// punctuation do not matter.
func SameUniversity(a, b string) bool { return text.Key(a) == text.Key(b) }

// Campus returns the university to which an admin's lists are narrowed; "" for all.
func (c Caller) Campus() string {
	if c.CampusOnly && c.Role < Owner {
		return c.University
	}
	return ""
}

// Oversees reports whether the caller is an admin of a university: an owner, an admin of all
// universities, or one of this. What belongs to no university is for the first two.
func (c Caller) Oversees(university string) bool {
	return c.MustBe(Admin) == nil && (c.Campus() == "" || SameUniversity(c.Campus(), university))
}

// MustOversee returns an error unless the caller Oversees a university.
func (c Caller) MustOversee(university string) error {
	if err := c.MustBe(Admin); err != nil {
		return err
	}
	if !c.Oversees(university) {
		return ErrOtherCampus
	}
	return nil
}
