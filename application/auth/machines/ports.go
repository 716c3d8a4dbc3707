package machines

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/octavo-books/octavo/domain/machine"
	"github.com/octavo-books/octavo/domain/user"
)

// Reader is what the room reads. authcontract.Machines tests it and Store.
type Reader interface {
	// FindMachine returns machine.ErrClientNotFound for an unknown id.
	FindMachine(ctx context.Context, id string) (machine.Client, error)
	// ListMachines returns all machine clients, oldest first.
	ListMachines(ctx context.Context) ([]machine.Client, error)
	// FindResource returns machine.ErrResourceNotFound for an unknown id.
	FindResource(ctx context.Context, id string) (machine.Resource, error)
	// ListResources returns all resources, oldest first.
	ListResources(ctx context.Context) ([]machine.Resource, error)
	// FindMachineSession returns a session and its client as both are now; machine.ErrSessionNotFound
	// if the session was ended or the client deleted.
	FindMachineSession(ctx context.Context, id user.SessionID) (machine.Session, machine.Client, error)
	// ListMachineSessions returns the sessions of a client, newest first. They may have expired.
	ListMachineSessions(ctx context.Context, client string) ([]machine.Session, error)
}

// Store stores machine clients, resources and sessions.
type Store interface {
	// LockMachine returns machine.ErrClientNotFound for an unknown id.
	LockMachine(ctx context.Context, id string) (machine.Client, error)
	// CountMachines and CountResources return the numbers of clients and resources. Other transactions that call
	// the same one wait for the end of this one.
	CountMachines(ctx context.Context) (int, error)
	CountResources(ctx context.Context) (int, error)
	// SaveMachine inserts or updates a client.
	SaveMachine(ctx context.Context, c machine.Client) error
	// DeleteMachine deletes a client with its sessions. It returns their number, and machine.ErrClientNotFound
	// for an unknown id.
	DeleteMachine(ctx context.Context, id string) (ended int, err error)
	// LockResource returns machine.ErrResourceNotFound for an unknown id.
	LockResource(ctx context.Context, id string) (machine.Resource, error)
	// SaveResource inserts or updates a resource; machine.ErrIdentifierTaken if another one has its identifier.
	SaveResource(ctx context.Context, r machine.Resource) error
	// DeleteResource deletes a resource with the sessions for it. It returns their number, and
	// machine.ErrResourceNotFound for an unknown id.
	DeleteResource(ctx context.Context, id string) (ended int, err error)
	// AddMachineSession stores a session, and deletes the oldest ones of its client so that at most n remain.
	// It requires a lock on the client.
	AddMachineSession(ctx context.Context, s machine.Session, n int) error
	// DeleteMachineSession returns machine.ErrSessionNotFound unless the client has the session.
	DeleteMachineSession(ctx context.Context, client string, id user.SessionID) error
	// UseAssertion stores that an assertion was used, until it expires. Of many concurrent callers, in
	// whichever process, exactly one gets true.
	UseAssertion(ctx context.Context, digest [sha256.Size]byte, expiresAt time.Time) (bool, error)
}

// Claims are the content of a machine's access token.
type Claims struct {
	Session             user.SessionID
	Client              string // id, also the subject
	Audience            string // the identifier of the resource
	Scopes              string // separated by spaces
	IssuedAt, ExpiresAt time.Time
}

// Tokens signs and verifies the access tokens of machines.
type Tokens interface {
	SignMachineToken(c Claims) (string, error)
	// VerifyMachineToken returns user.ErrUnauthenticated for a token that SignMachineToken did not make or
	// that has expired at now.
	VerifyMachineToken(token string, now time.Time) (Claims, error)
	// Reserves reports whether the tokens of people have this audience.
	Reserves(audience string) bool
}

// Assertion is what a client says of itself in a signed assertion (RFC 7523, section 3).
type Assertion struct {
	Issuer, Subject string
	Audience        []string
	ID              string // empty without one
	ExpiresAt       time.Time
	IssuedAt        time.Time // zero: not said, as NotBefore
	NotBefore       time.Time
}

// Assertions verifies the signatures of assertions.
type Assertions interface {
	// CheckKeys returns machine.ErrKeysInvalid unless a text is a JWKS that VerifyAssertion accepts.
	CheckKeys(jwks string) error
	// CheckKeysURL returns an error for an address that VerifyAssertion would not connect to.
	CheckKeysURL(url string) error
	// Subject returns what an assertion says about its client, unverified; "" for anything else.
	Subject(assertion string) string
	// VerifyAssertion returns the claims of an assertion that one of the client's keys has signed with an
	// algorithm for signatures, never with a shared secret; else machine.ErrUnknown. It does not check the claims. The
	// error is machine.ErrKeysUnknown if the keys cannot be fetched.
	VerifyAssertion(ctx context.Context, c machine.Client, assertion string) (Assertion, error)
}
