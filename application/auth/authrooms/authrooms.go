// Package authrooms lists the rooms of accounts, once for everybody who opens them: the auth service, the
// pages, the JSON API, the commands and the tests.
package authrooms

import (
	"context"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/external"
	"github.com/octavo-books/octavo/application/auth/factors"
	"github.com/octavo-books/octavo/application/auth/machines"
	"github.com/octavo-books/octavo/application/auth/provider"
	"github.com/octavo-books/octavo/application/auth/sessions"
	"github.com/octavo-books/octavo/application/auth/signin"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/user"
)

// External is the room of sign-ins at other services.
type External = external.Room

// Account is the room of accounts.
type Account = account.Room

// Factors is the room of second factors and passkeys.
type Factors = factors.Room

// SessionRoom is the room of sessions.
type SessionRoom = sessions.Room

// SignIn is the room in which people prove who they are.
type SignIn = signin.Room

// Provider is the room of Octavo as an OpenID provider.
type Provider = provider.Room

// MachineRoom is the room of programs that call other programs.
type MachineRoom = machines.Room

// Auth has all use cases of accounts.
type Auth struct {
	*Account
	*SignIn
	*SessionRoom
	*Factors
	*External
	*Provider
	*MachineRoom
}

// Storage is what one adapter implements for all rooms.
type Storage interface {
	auth.Storage
	account.Reader
	factors.Reader
	provider.Reader
	sessions.Reader
	machines.Reader

	ListIdentities(ctx context.Context, of user.ID) ([]identity.Identity, error)

	// The stores of each room in a transaction.

	AccountStore(in auth.Stores) account.Store
	FactorsStore(in auth.Stores) factors.Store
	ExternalStore(in auth.Stores) external.Store
	ProviderStore(in auth.Stores) provider.Store
	SessionRoomStore(in auth.Stores) sessions.Store
	MachineStore(in auth.Stores) machines.Store
}

// Ports are the dependencies of the rooms. Those that auth.Ports do not have are for one room.
type Ports struct {
	auth.Ports
	Storage         Storage
	IDTokens        provider.IDTokens
	LogoutSender    provider.LogoutSender // nil where no background work is done
	MachineTokens   machines.Tokens
	Assertions      machines.Assertions
	Providers       external.ProviderClient // nil without external sign-in
	LogoutVerifier  external.LogoutVerifier // nil without external sign-in
	PasskeyVerifier factors.PasskeyVerifier
	// DrawQRCode returns a QR code as an SVG image that needs no other file.
	DrawQRCode func(text string) (string, error)
	Exporters  map[string]account.DataExporter // of the other components, by name; may be nil
	Sweepers   []account.Sweep                 // of the stores with rows that expire
}

// New returns the use cases, or an error that names an invalid setting.
func New(p Ports, c auth.Config) (*Auth, error) {
	p.Ports.Storage = p.Storage
	d, err := auth.NewDeps(p.Ports, c)
	if err != nil {
		return nil, err
	}
	s := p.Storage
	return &Auth{
		Account: account.New(d, s, s.AccountStore, p.Exporters, p.Sweepers),
		SignIn:  signin.New(d), SessionRoom: sessions.New(d, s, s.SessionRoomStore),
		Factors:     factors.New(d, s, s.FactorsStore, p.PasskeyVerifier, p.DrawQRCode),
		External:    external.New(d, s.ListIdentities, s.ExternalStore, p.Providers, p.LogoutVerifier),
		Provider:    provider.New(d, s, s.ProviderStore, p.IDTokens, p.LogoutSender),
		MachineRoom: machines.New(d, s, s.MachineStore, p.MachineTokens, p.Assertions),
	}, nil
}
