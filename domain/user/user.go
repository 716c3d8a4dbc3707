// Package user holds who people are: accounts, roles, addresses, passwords and
// the student profile that the marketplace asks for.
package user

import (
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/id"
)

// ID identifies an account.
type ID int64

// String is the form on the wire.
func (i ID) String() string { return id.Format(int64(i)) }

// SessionID identifies a session. It is no secret: knowing it gives nothing.
type SessionID int64

// String is the form on the wire.
func (i SessionID) String() string { return id.Format(int64(i)) }

// Role is the permissionType of the marketplace; a higher one may do all that a
// lower one may. The numbers are stored and sent over the wire.
type Role int

// The roles.
const (
	Regular Role = 0
	Admin   Role = 1
	Owner   Role = 2
)

// Lang is the language of the mails sent to a person, as ISO 639-1.
type Lang string

// The languages there are templates for.
const (
	EN Lang = "en"
	FR Lang = "fr"
)

// Or is the language, or the other one where it is none that there is.
func (l Lang) Or(other Lang) Lang {
	if l == EN || l == FR {
		return l
	}
	return other
}

// User is an account. It exists once its address is confirmed or invited.
type User struct {
	ID           ID
	Email        Email
	PasswordHash string // empty: no password yet
	Role         Role
	Lang         Lang
	Verified     bool
	Profile      *Profile // nil: no student profile
	Epoch        int64    // sessions begun under an older epoch are dead
	CreatedAt    time.Time
}

// Student reports whether the user may trade: a confirmed address and a complete profile.
func (u User) Student() bool { return u.Verified && u.Profile != nil && u.Profile.Complete() }

// AdvanceEpoch moves the user to a new epoch, which ends every session of an older
// one wherever it is kept. The mark must be greater than any before it.
func (u *User) AdvanceEpoch(mark int64) { u.Epoch = max(mark, u.Epoch+1) }

// ClientInfo says where a request came from.
type ClientInfo struct {
	IP        string // in canonical form, without a port
	UserAgent string // cut to 512 bytes, valid UTF-8, no controls
}

// Caller is a signed-in person making a request. The zero Caller is nobody.
type Caller struct {
	ID      ID
	Session SessionID
	Role    Role
	Student bool // confirmed address and a student profile
	From    ClientInfo
}

// The refusals of callers.
var (
	ErrUnauthenticated = fault.New(fault.Unauthenticated, "unauthenticated", "Please sign in.")
	ErrForbidden       = fault.New(fault.Forbidden, "forbidden", "Your account is not allowed to do this.")
	ErrProfileNeeded   = fault.New(fault.Forbidden, "profile_needed", "Please complete your student profile first.")
)

// SignedIn reports whether somebody is signed in.
func (c Caller) SignedIn() bool { return c.ID != 0 }

// MustBe refuses a caller below the role, and nobody at all.
func (c Caller) MustBe(r Role) error {
	switch {
	case !c.SignedIn():
		return ErrUnauthenticated
	case c.Role < r:
		return ErrForbidden
	}
	return nil
}

// MustOutrank refuses a caller who may not act on the person: an admin may act
// on regular users only, an owner on everybody.
func (c Caller) MustOutrank(u User) error {
	if err := c.MustBe(Admin); err != nil {
		return err
	}
	if c.Role < Owner && u.Role >= Admin {
		return ErrForbidden
	}
	return nil
}

// MustBeStudent refuses a caller without a student profile, and nobody at all.
func (c Caller) MustBeStudent() error {
	switch {
	case !c.SignedIn():
		return ErrUnauthenticated
	case !c.Student:
		return ErrProfileNeeded
	}
	return nil
}
