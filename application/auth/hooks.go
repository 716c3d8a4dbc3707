package auth

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// ClientRefresh is a refresh of the session of an OpenID client.
type ClientRefresh struct {
	Token, Client string
	// Choose returns what the new tokens of the client's session are. An error leaves the refresh token as it
	// is. nil means all scopes, the usual lifetime and Octavo itself.
	Choose func(context.Context, session.Session) (TokenChoice, error)
	From   user.ClientInfo
}

// TokenChoice is what a client gets of what its session could give it.
type TokenChoice struct {
	Scopes   string
	Target   Target        // of the access token
	Lifetime time.Duration // of the access token; 0: the usual one
}

// Hooks are where rooms that do not know each other meet. Each sets its own when it is made. What gets
// Stores runs within the transaction of the room that calls.
type Hooks struct {
	// SignIn is the last step of every way to sign in: it starts a session, unless the account has a second
	// factor to prove (ErrSecondFactorRequired) or must not be signed in to. The caller has verified the
	// proof, so an error may reveal the state of the account.
	SignIn func(context.Context, Authentication) (TokenPair, error)
	// Admit starts a session for a user who has proved every factor, unless the account must not be signed
	// in to. It cancels a planned deletion of the account.
	Admit func(context.Context, Authentication) (TokenPair, error)
	// RequireSecondFactor returns ErrSecondFactorRequired if the user must still prove a second factor.
	RequireSecondFactor func(context.Context, *Authentication) error
	// ProveSecondFactor uses up a code of the user's second factor and reports whether it is on; a wrong
	// code is challenge.ErrCodeInvalid.
	ProveSecondFactor func(ctx context.Context, of user.User, code string, from user.ClientInfo) (bool, error)
	// StartSession starts a session for a user who was authenticated.
	StartSession func(context.Context, Authentication) (TokenPair, error)
	// RefreshSession refreshes the session of an OpenID client.
	RefreshSession func(context.Context, ClientRefresh) (TokenPair, error)
	// EndSessions ends sessions of the caller and of the applications that were signed in to from them, at the
	// demand of another service.
	EndSessions func(ctx context.Context, by user.Caller, ids []user.SessionID) error
	// SignOut ends the session of the caller; everywhere also those of the applications that were signed in
	// to from it.
	SignOut func(ctx context.Context, by user.Caller, everywhere bool) error
	// OpenAccount makes or confirms the account of an address.
	OpenAccount func(context.Context, Stores, ProvedAddress) (user.User, error)

	// SignsIn reports whether a locked user has a way to sign in.
	SignsIn []func(context.Context, Stores, user.ID) (bool, error)
	// Reaches returns the highest level that the user of a session could reach by signing in again; 0 if
	// the room knows of none.
	Reaches []func(context.Context, session.Session) (session.Level, error)
	// AddressRestored deletes what was added to a locked user's account since a time, at which it may
	// have been stolen.
	AddressRestored []func(ctx context.Context, st Stores, of user.ID, since time.Time) error
	// Exports adds what a room stores about a user.
	Exports []func(context.Context, user.ID, *ExportedAccount) error
}

// ProvedAddress is an address that was proved to be a person's.
type ProvedAddress struct {
	Account user.User // with this address, locked; zero if there is none
	Address user.Email
	Name    string
	Lang    user.Lang
	From    user.ClientInfo
}
