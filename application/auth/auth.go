// Package auth holds the use cases of accounts and sessions: sign-up, sign-in, refresh,
// passwords, invitations and administration. The auth service and the marketplace share
// it. Most types embed Deps, the ports that they use.
package auth

import (
	"time"

	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// TokenPair is the result of a sign-in or a refresh.
type TokenPair struct {
	AccessToken  string
	ExpiresIn    time.Duration
	RefreshToken string
	Session      session.Session
	User         user.User
	// Device is the value of the cookie that makes the second factor unnecessary on this
	// browser for session.DeviceLifetime; empty: leave the cookie as it is.
	Device string
}

// SignUpRequest is the input of Accounts.SignUp.
type SignUpRequest struct {
	Email, Password string
	Lang            user.Lang
	Profile         *user.Profile // of a student, for the marketplace; requires an address that Config.Campus admits
	ByLink          bool          // confirm with a link that is valid for 24 hours, not with a code
	From            user.ClientInfo
}

// ResendRequest is the input of Accounts.ResendVerification.
type ResendRequest struct {
	Email  string
	Lang   user.Lang
	ByLink bool
	From   user.ClientInfo
}

// InvitationID identifies an invitation.
type InvitationID int64

// String returns the form on the wire.
func (i InvitationID) String() string { return id.Format(int64(i)) }

// Invitation lets somebody activate an account that an admin has created.
type Invitation struct {
	ID         InvitationID
	Email      user.Email
	User       user.ID
	InvitedBy  user.ID
	CreatedAt  time.Time
	ExpiresAt  time.Time
	AcceptedAt time.Time // zero while it is open
}

// ProfileChange changes those fields of a student profile that are not nil.
type ProfileChange struct {
	FirstName, LastName, University, CampusMailbox, PaymentUsername *string
}

// UserQuery selects users, newest first.
type UserQuery struct {
	Search  string // part of the email address; "" selects all
	InNames bool   // search first and last names as well
	First   int    // 1 to MaxPage
	After   string // EndCursor of the previous page; "" for the first page
}

// UserFilter selects accounts. The zero value selects all.
type UserFilter struct {
	Search     string // part of the address; ASCII letters match in either case
	InNames    bool   // or part of the name
	University string // user.SameUniversity
}

// UserPage is one page of users.
type UserPage struct {
	Users     []user.User
	Cursors   []string // one for each user
	HasNext   bool
	EndCursor string // "" on an empty page
}

// AuditQuery selects audit entries, newest first.
type AuditQuery struct {
	AuditFilter
	First int // 1 to MaxPage
	After string
}

// AuditFilter selects audit entries to which all of its fields apply. A zero field
// selects all.
type AuditFilter struct {
	User         user.ID // as actor or target
	Action       string
	Since, Until time.Time // the entry is not before Since, and before Until
}

// MaxPage is the largest page of users or audit entries.
const MaxPage = 200

// AuditPage is one page of audit entries.
type AuditPage struct {
	Entries   []audit.Entry
	Cursors   []string // one for each entry
	HasNext   bool
	EndCursor string // "" on an empty page
}
