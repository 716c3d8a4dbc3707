// Package user holds accounts: ids, roles, addresses, passwords and the student profile
// of the marketplace.
package user

import (
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/text"
)

// ID identifies an account.
type ID int64

// String returns the form on the wire.
func (i ID) String() string { return id.Format(int64(i)) }

// SessionID identifies a session. It is not a secret.
type SessionID int64

// String returns the form on the wire.
func (i SessionID) String() string { return id.Format(int64(i)) }

// Role is the permissionType of the marketplace. A higher role may do everything that a
// lower one may. The numbers are stored and sent over the wire.
type Role int

// The roles.
const (
	Regular Role = 0
	Admin   Role = 1
	Owner   Role = 2
)

// Lang is the language of a user's mails, as an ISO 639-1 code.
type Lang string

// The supported languages.
const (
	EN Lang = "en"
	FR Lang = "fr"
)

// Or returns the language if it is supported, or else the other one.
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
	PasswordHash string // empty until a password is set
	Role         Role
	Lang         Lang
	Verified     bool
	Profile      *Profile // nil without a student profile
	Name         string   // as the user wants to be called; may be empty
	Metadata     string   // a JSON object that admins have set; empty: none
	Epoch        int64    // sessions of an older epoch are invalid
	CreatedAt    time.Time
	SuspendedAt  time.Time // zero unless an admin has suspended the account
	DeleteAt     time.Time // when the account will be deleted; zero unless its owner has asked for it
	AdminBy      string    // the service whose claims made the user an admin; empty: people did
	AdminCampus  string    // the campus of which AdminBy made them admin; empty: as other admins
	Store        bool      // a campus store, which may list far more than a person
	Directory    Directory // what the directory of an institution says
	BreakGlass   bool      // the password of this owner works even if everybody else signs in at external services
}

// DeletionDelay is how long after its owner's request an account is deleted.
const DeletionDelay = 14 * 24 * time.Hour

// Leaving reports whether the account will be deleted at its owner's request.
func (u User) Leaving() bool { return !u.DeleteAt.IsZero() }

// Suspended reports whether an admin has suspended the account.
func (u User) Suspended() bool { return !u.SuspendedAt.IsZero() }

// BreaksGlass reports whether the password opens the account where everybody else signs in at external
// services. An owner who is demoted loses that with the role.
func (u User) BreaksGlass() bool { return u.BreakGlass && u.Role == Owner }

// SuspendedByPeople reports whether an admin or the operator has suspended the account, not a directory alone.
func (u User) SuspendedByPeople() bool { return u.Suspended() && !u.Directory.Inactive }

// Withdrawal says why a user may not trade any more.
type Withdrawal struct {
	User        ID
	SuspendedBy ID   // the admin who suspends the account; 0: its owner is about to leave, or the operator does it
	ByOperator  bool // the operator or a directory suspends the account
}

// Suspends reports whether the account is suspended: else its owner is about to leave.
func (w Withdrawal) Suspends() bool { return w.SuspendedBy != 0 || w.ByOperator }

// Student reports whether the user takes part in the marketplace: the address is confirmed, and there is a
// profile. Buying and selling need more of it, see Profile.CheckTrade.
func (u User) Student() bool { return u.Verified && u.Profile != nil }

// AdvanceEpoch starts a new epoch, which invalidates every session of an older one,
// wherever it is stored. A mark from a source of increasing ids makes epochs of
// concurrent calls differ.
func (u *User) AdvanceEpoch(mark int64) { u.Epoch = max(mark, u.Epoch+1) }

// ClientInfo describes the client that sent a request.
type ClientInfo struct {
	IP        string // in canonical form, without a port
	UserAgent string // at most 512 bytes of valid UTF-8 without control characters
	// Device is the value of the cookie that Octavo set to recognise the browser; empty
	// without one. It is a secret.
	Device string
}

// OperatorID is that of who uses the command line. No account has it.
const OperatorID ID = -1

// Caller is the signed-in user who makes a request. The zero Caller is nobody.
type Caller struct {
	ID      ID
	Session SessionID
	Role    Role
	Student bool // see User.Student
	From    ClientInfo
	// Expires is when the access token of the request does; zero without a token.
	Expires time.Time
	// RoleWithheld says that the account has a higher role than Role, which is withheld
	// because the session was not proved with two factors.
	RoleWithheld bool
	// CampusOnly bounds what an admin may do to University: its people, books and sales.
	CampusOnly bool
	University string // of the caller's profile
	// Client is the id of the application that makes the request with a token that it got
	// as an OpenID client; empty for Octavo's own sessions and for first-party clients. Such
	// a caller may do nothing but read what Scopes allow.
	Client string
	Scopes string // separated by spaces, RFC 6749, section 3.3
	// FirstParty says that a first-party client makes the request: it may do what the user
	// may, but is not the user in person.
	FirstParty bool
	// Token says that a script of the user makes the request with a personal access token, whose id
	// Session is. Client is PersonalToken then, but see InMarket.
	Token bool
	// Unknown says that the request has a credential by which nobody could be identified.
	Unknown bool
}

// PersonalToken is the Client of a caller with a personal access token. No client has this id.
const PersonalToken = "personal access token"

// ScopeMarket is the scope in which a personal access token does in the marketplace what its user may.
const ScopeMarket = "market"

// The errors of a caller who lacks a permission.
var (
	ErrUnauthenticated = fault.New(fault.Unauthenticated, "unauthenticated", "Please sign in.")
	ErrForbidden       = fault.New(fault.Forbidden, "forbidden", "You do not have permission to do this.")
	// ErrSecondFactorNeeded rejects an admin or owner whose role is withheld.
	ErrSecondFactorNeeded = fault.New(fault.Forbidden, "forbidden",
		"Your role requires a second factor. Set one up in your account, then sign in again with it.").WithDetail("reason", "SECOND_FACTOR")
	// ErrProofNeeded rejects a change of sign-in methods without a recent proof of identity.
	ErrProofNeeded = fault.New(fault.Unauthenticated, "proof_needed", "Please confirm that it is you: enter your password again.").
			WithDetail("reason", "REAUTHENTICATE")
	ErrProfileNeeded = fault.New(fault.Forbidden, "profile_needed", "Please complete your student profile first.")
)

// SignedIn reports whether there is a signed-in user who acts in person or through a
// first-party client.
func (c Caller) SignedIn() bool { return c.ID != 0 && !c.Limited() }

// Limited reports whether the caller is a third-party application.
func (c Caller) Limited() bool { return c.Client != "" }

// MayRead reports whether the caller is the user, or an application with this scope.
func (c Caller) MayRead(scope string) bool {
	return c.SignedIn() || c.ID != 0 && slices.Contains(strings.Fields(c.Scopes), scope)
}

// InMarket returns the caller as the marketplace sees them: there a personal access token with
// ScopeMarket acts as its user, although not in person.
func (c Caller) InMarket() Caller {
	if c.Token && c.MayRead(ScopeMarket) {
		c.Client, c.FirstParty = "", true
	}
	return c
}

// MustBe returns an error if nobody is signed in or the caller's role is lower than r.
func (c Caller) MustBe(r Role) error {
	switch {
	case c.Limited():
		return ErrForbidden
	case !c.SignedIn():
		return ErrUnauthenticated
	case c.Role < r && c.RoleWithheld:
		return ErrSecondFactorNeeded
	case c.Role < r:
		return ErrForbidden
	case r == Admin && c.CampusOnly && c.Role == Admin && text.Key(c.University) == "":
		return ErrNoCampus
	}
	return nil
}

// MustBeInPerson returns an error unless a signed-in user acts in person. An application, even a
// first-party one, neither gets to know a password nor proves who its user is.
func (c Caller) MustBeInPerson() error {
	if c.FirstParty {
		return ErrForbidden
	}
	return c.MustBe(Regular)
}

// MustNotBeToken returns ErrForbidden for a personal access token, which must not decide who else may
// do something, nor for how long.
func (c Caller) MustNotBeToken() error {
	if c.Token {
		return ErrForbidden
	}
	return nil
}

// MustOutrank returns an error if the caller may not administrate the user: an admin
// may administrate the regular users whom they oversee, and an owner everybody.
func (c Caller) MustOutrank(u User) error {
	if err := c.MustOversee(u.University()); err != nil {
		return err
	}
	if c.Role < Owner && u.Role >= Admin {
		return ErrForbidden
	}
	return nil
}

// MustBeStudent returns an error if nobody is signed in or the caller has no student
// profile.
func (c Caller) MustBeStudent() error {
	switch {
	case c.Limited():
		return ErrForbidden
	case !c.SignedIn():
		return ErrUnauthenticated
	case !c.Student:
		return ErrProfileNeeded
	}
	return nil
}
