package sessions

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// PersonalTokenState is a personal access token with what Authenticator needs of its user.
type PersonalTokenState struct {
	session.PersonalToken
	auth.SessionState
}

// Reader is what the room reads. Sessions are behind auth.SessionStore. authcontract.PersonalTokens
// and authcontract.UseCases test it and Store.
type Reader interface {
	// FindPersonalToken returns session.ErrPersonalTokenNotFound for an unknown or revoked token, and
	// for that of a deleted user. The token may have expired or belong to an older epoch.
	FindPersonalToken(ctx context.Context, digest [sha256.Size]byte) (PersonalTokenState, error)
	// ListPersonalTokens returns the tokens of a user that were not revoked, oldest first. They may
	// have expired or belong to an older epoch.
	ListPersonalTokens(ctx context.Context, of user.ID) ([]session.PersonalToken, error)
	// FindPersonalTokenLifetimes returns the lifetimes of any number of tokens. Those that
	// FindPersonalToken would not find are missing.
	FindPersonalTokenLifetimes(ctx context.Context, ids []user.SessionID) (map[user.SessionID]auth.SessionLifetime, error)
	// HasSignIns reports whether a session of the user is one of an application, or whether they have signed in to one
	// from it. It may be true after the session of the application has ended, and is not false before.
	HasSignIns(ctx context.Context, of user.ID, id user.SessionID) (bool, error)
}

// Store stores personal access tokens, and where sign-ins at applications began.
type Store interface {
	// MoveSignIns makes the sign-ins at applications that began in one session ones of another of the same user.
	MoveSignIns(ctx context.Context, of user.ID, from, to user.SessionID) error
	// AddPersonalToken stores a token with a new id. It requires a lock on its user.
	AddPersonalToken(ctx context.Context, t session.PersonalToken) error
	// CountPersonalTokens counts the tokens of a user that are active at a time, if the user has this epoch.
	CountPersonalTokens(ctx context.Context, of user.ID, epoch int64, at time.Time) (int, error)
	// TouchPersonalToken records a use. It never moves the last use back.
	TouchPersonalToken(ctx context.Context, id user.SessionID, at time.Time) error
	// DeletePersonalToken returns session.ErrPersonalTokenNotFound unless the user has it.
	DeletePersonalToken(ctx context.Context, of user.ID, id user.SessionID) error
	// DeletePersonalTokensSince deletes the tokens that a user has made at this time or later.
	DeletePersonalTokensSince(ctx context.Context, of user.ID, since time.Time) error
}
