// Package auth is the identity core: how an account comes to be, how somebody
// signs in and stays signed in, and what admins may do about it.
package auth

import (
	"time"

	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// TokenPair is what a sign-in or a refresh gives.
type TokenPair struct {
	AccessToken  string
	ExpiresIn    time.Duration
	RefreshToken string
	Session      session.Session
	User         user.User
}

// SignUpRequest is a stranger's wish for an account.
type SignUpRequest struct {
	Email, Password string
	Lang            user.Lang
	Profile         *user.Profile // the marketplace's; it demands a .edu address
	ByLink          bool          // confirm by a link that lives 24 hours, not by a code
	From            user.ClientInfo
}

// ResendRequest asks for the verification mail once more.
type ResendRequest struct {
	Email  string
	Lang   user.Lang
	ByLink bool
	From   user.ClientInfo
}

// SignInRequest is an attempt to sign in.
type SignInRequest struct {
	Email, Password string
	Remember        bool
	From            user.ClientInfo
}

// TokenInfo says what a token is. Unless Active the rest is zero.
type TokenInfo struct {
	Active    bool
	User      user.ID
	Session   user.SessionID
	Role      user.Role
	ExpiresAt time.Time
}

// InvitationID identifies an invitation.
type InvitationID int64

// Invitation lets somebody in whose account an admin has made.
type Invitation struct {
	ID         InvitationID
	Email      user.Email
	User       user.ID
	InvitedBy  user.ID
	CreatedAt  time.Time
	ExpiresAt  time.Time
	AcceptedAt time.Time // zero while it is open
}

// ProfileChange changes the fields of a student profile that are not nil.
type ProfileChange struct {
	FirstName, LastName, University, CampusMailbox, PaymentUsername *string
}

// UserQuery asks for people, newest first.
type UserQuery struct {
	Search  string // a part of the email; "" for all
	InNames bool   // or of the first or last name
	First   int    // 1 to MaxPage
	After   string // the EndCursor of the page before; "" for the first
}

// UserPage is one page of people.
type UserPage struct {
	Users     []user.User
	Cursors   []string // one for each user
	HasNext   bool
	EndCursor string // "" on an empty page
}

// AuditQuery asks for audit entries, newest first.
type AuditQuery struct {
	User  user.ID // as actor or target; 0 for all
	First int     // 1 to MaxPage
	After string
}

// MaxPage bounds the pages of people and audit entries.
const MaxPage = 200

// AuditPage is one page of audit entries.
type AuditPage struct {
	Entries   []audit.Entry
	Cursors   []string // one for each entry
	HasNext   bool
	EndCursor string // "" on an empty page
}
