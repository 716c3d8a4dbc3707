package memstore

import (
	"crypto/sha256"
	"maps"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/passkey"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// authTables are the tables of auth.
type authTables struct {
	users         map[user.ID]user.User
	registrations map[int64]user.Registration
	challenges    map[challengeKey]challenge.Challenge
	ceremonies    map[[sha256.Size]byte]challenge.Ceremony
	passkeys      map[passkey.ID]passkey.Passkey
	secondFactors map[user.ID]auth.SecondFactor
	remembered    map[[sha256.Size]byte]auth.RememberedDevice
	invitations   map[auth.InvitationID]invitation
	sessions      map[user.SessionID]session.Session
	devices       map[device]time.Time
	knownClients  map[knownClient]time.Time // with the time until which each is known
	limits        map[string]limit.State
	entries       map[int64]audit.Entry
	identities    map[identity.ID]identity.Identity
	emailChanges  map[int64]user.EmailChange
	clients       map[string]openid.Client
	grants        map[grantKey]openid.Grant
}

type challengeKey struct {
	purpose challenge.Purpose
	email   user.Email
	subject int64
}

type invitation struct {
	auth.Invitation
	revoked bool
}

// device is a browser and system with which a user has signed in.
type device struct {
	of          user.ID
	browser, os string
}

// knownClient is a client from which a user has signed in.
type knownClient struct {
	of   user.ID
	name string
}

func newAuthTables() authTables {
	return authTables{
		users:         map[user.ID]user.User{},
		registrations: map[int64]user.Registration{},
		challenges:    map[challengeKey]challenge.Challenge{},
		ceremonies:    map[[sha256.Size]byte]challenge.Ceremony{},
		passkeys:      map[passkey.ID]passkey.Passkey{},
		secondFactors: map[user.ID]auth.SecondFactor{},
		remembered:    map[[sha256.Size]byte]auth.RememberedDevice{},
		invitations:   map[auth.InvitationID]invitation{},
		sessions:      map[user.SessionID]session.Session{},
		devices:       map[device]time.Time{},
		knownClients:  map[knownClient]time.Time{},
		limits:        map[string]limit.State{},
		entries:       map[int64]audit.Entry{},
		identities:    map[identity.ID]identity.Identity{},
		emailChanges:  map[int64]user.EmailChange{},
		clients:       map[string]openid.Client{},
		grants:        map[grantKey]openid.Grant{},
	}
}

func (t authTables) clone() authTables {
	return authTables{
		maps.Clone(t.users), maps.Clone(t.registrations), maps.Clone(t.challenges), maps.Clone(t.ceremonies), maps.Clone(t.passkeys),
		maps.Clone(t.secondFactors), maps.Clone(t.remembered), maps.Clone(t.invitations),
		maps.Clone(t.sessions), maps.Clone(t.devices), maps.Clone(t.knownClients), maps.Clone(t.limits), maps.Clone(t.entries),
		maps.Clone(t.identities), maps.Clone(t.emailChanges),
		maps.Clone(t.clients), maps.Clone(t.grants),
	}
}
