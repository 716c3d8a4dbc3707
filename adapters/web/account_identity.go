package web

import (
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/provider"
)

// Identity holds the use cases behind the pages about accounts, which do not need the
// marketplace. All are required.
type Identity struct {
	Gate      httpx.Authenticator
	Accounts  *auth.Accounts
	Sessions  *auth.Sessions
	Passwords *auth.Passwords
	Passkeys  *auth.Passkeys
	People    *auth.Users

	SecondFactors *auth.SecondFactors
	Invitations   *auth.Invitations
	Exports       *auth.Exports
	EmailChanges  *auth.EmailChanges

	Clients        *provider.Clients
	Authorizations *provider.Authorizations
}
