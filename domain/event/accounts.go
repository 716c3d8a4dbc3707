package event

import "github.com/octavo-books/octavo/domain/user"

// The types of events about accounts.
const (
	UserCreated    Type = "user.created"
	UserVerified   Type = "user.verified"
	UserDeleted    Type = "user.deleted"
	UserSuspended  Type = "user.suspended"
	SessionStarted Type = "session.started"
	SessionEnded   Type = "session.ended"
)

var accountTypes = []Type{UserCreated, UserVerified, UserDeleted, UserSuspended, SessionStarted, SessionEnded}

// OfUser makes the event of this type about an account.
func OfUser(t Type, of user.ID) Event { return Event{Type: t, Data: Data{"userId": of.String()}} }

// StartSession reports a sign-in. newDevice says that the user has never signed in with this
// browser and system before.
func StartSession(of user.ID, s user.SessionID, newDevice bool) Event {
	return Event{Type: SessionStarted, Data: Data{"userId": of.String(), "sessionId": s.String(), "newDevice": newDevice}}
}

// SessionEnd says why a session ended. The texts are sent over the wire.
type SessionEnd string

// The reasons for which a session ends before it expires.
const (
	SignedOut       SessionEnd = "signed_out"
	Revoked         SessionEnd = "revoked"          // by its user, from another session
	Superseded      SessionEnd = "superseded"       // by a newer one: the user had too many
	TokenReused     SessionEnd = "token_reused"     // a refresh token was used twice, so it may be stolen
	PasswordChanged SessionEnd = "password_changed" // or reset, or set by an admin
	EndedByAdmin    SessionEnd = "admin"            // or by suspending the account
	Leaving         SessionEnd = "account_deletion" // the user has asked to delete the account
	AddressRestored SessionEnd = "address_restored" // a change of the address was undone
)

// EndSession reports that a session ended before it expired.
func EndSession(of user.ID, s user.SessionID, why SessionEnd) Event {
	return Event{Type: SessionEnded, Data: Data{"userId": of.String(), "sessionId": s.String(), "reason": string(why)}}
}
