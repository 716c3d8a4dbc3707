package provider

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/machine"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// Reader is what the room of the OpenID provider reads: its clients, and what users have allowed
// them. authcontract.Clients tests it and Store.
type Reader interface {
	// FindClient returns openid.ErrClientNotFound for an unknown id.
	FindClient(ctx context.Context, id string) (openid.Client, error)
	// FindResource and FindResourceByIdentifier return machine.ErrResourceNotFound for an unknown resource.
	FindResource(ctx context.Context, id string) (machine.Resource, error)
	FindResourceByIdentifier(ctx context.Context, identifier string) (machine.Resource, error)
	// ListClients returns all clients, oldest first.
	ListClients(ctx context.Context) ([]openid.Client, error)
	// ListGrants returns the grants of a user, oldest first.
	ListGrants(ctx context.Context, of user.ID) ([]openid.Grant, error)
	// ListSignIns returns the sign-ins at applications in a session of Octavo, oldest first.
	ListSignIns(ctx context.Context, of user.ID, parent user.SessionID) ([]SignIn, error)
	// ListGrantees returns the users with a grant for a client whose ids are above after, in
	// ascending order and at most n.
	ListGrantees(ctx context.Context, client string, after user.ID, n int) ([]user.ID, error)
}

// Store stores clients and grants.
type Store interface {
	// LockClient returns openid.ErrClientNotFound for an unknown id.
	LockClient(ctx context.Context, id string) (openid.Client, error)
	// CountClients returns the number of clients. Other transactions that call it wait for the end of this one.
	CountClients(ctx context.Context) (int, error)
	// SaveClient inserts or updates a client.
	SaveClient(ctx context.Context, c openid.Client) error
	// DeleteClient deletes a client and leaves its grants. It reports whether there was one.
	DeleteClient(ctx context.Context, id string) (bool, error)
	// AddSignIn stores a sign-in, and forgets the oldest ones of the same user, client and session of
	// Octavo, so that at most MaxSignIns remain. SideEffects end them.
	AddSignIn(ctx context.Context, s SignIn) error
	// LockGrant returns openid.ErrGrantNotFound if the user has allowed the client nothing.
	LockGrant(ctx context.Context, of user.ID, client string) (openid.Grant, error)
	// SaveGrant inserts or updates the grant of a user for a client.
	SaveGrant(ctx context.Context, g openid.Grant) error
	// DeleteGrant reports whether there was a grant.
	DeleteGrant(ctx context.Context, of user.ID, client string) (bool, error)
	// DeleteGrantsSince deletes the grants that a user has given or extended at a time or later.
	DeleteGrantsSince(ctx context.Context, of user.ID, since time.Time) error
}

// IDClaims are the content of an ID token.
type IDClaims struct {
	User                user.ID
	Session             user.SessionID // of the client
	Client              string
	Nonce               string
	AuthenticatedAt     time.Time // zero: not said
	ACR                 string
	Methods             session.Methods // empty: not said
	IssuedAt, ExpiresAt time.Time
	AccessToken         string // issued with it
	About               auth.UserInfo
}

// IDTokens signs and verifies ID tokens.
type IDTokens interface {
	// Algorithms returns those that SignIDToken can sign with, the default first.
	Algorithms() ([]string, error)
	// SignIDToken signs with openid.RS256 or openid.ES512.
	SignIDToken(c IDClaims, algorithm string) (string, error)
	// SignLogoutToken signs in the same way a token that is nothing else.
	SignLogoutToken(c LogoutClaims, algorithm string) (string, error)
	// VerifyIDToken returns user.ErrUnauthenticated for a token that SignIDToken did not make. It
	// accepts an expired one, because a client may present it long after the sign-in. Only
	// User, Session and Client are set.
	VerifyIDToken(token string) (IDClaims, error)
}
