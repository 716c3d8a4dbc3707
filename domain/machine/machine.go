// Package machine holds the rules of programs that call other programs in their own name: machine
// clients, and the resources (APIs) that they call.
package machine

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// The limits of machine clients and resources.
const (
	Max         = 1000     // machine clients, and resources
	MaxSessions = 1000     // live tokens of one client; the oldest goes
	MaxKeys     = 32 << 10 // bytes of a JWKS
	maxName     = 100      // characters
	maxScopes   = 50
	maxScope    = 100
	maxURI      = 2000
	// MaxOverlap is how long a replaced secret may go on working.
	MaxOverlap = 7 * 24 * time.Hour
)

// The ids begin with a letter, so that the subject of a machine's token is never that of a person.
const (
	clientPrefix   = "m"
	resourcePrefix = "r"
)

// ClientID returns the id of a new machine client.
func ClientID(number string) string { return clientPrefix + number }

// ResourceID returns the id of a new resource.
func ResourceID(number string) string { return resourcePrefix + number }

// IsClientID reports whether an id is that of a machine client.
func IsClientID(id string) bool { return strings.HasPrefix(id, clientPrefix) }

// IsResourceID reports whether an id is that of a resource.
func IsResourceID(id string) bool { return strings.HasPrefix(id, resourcePrefix) }

// Hash is what a store keeps of a secret. A secret has 256 random bits, so that a fast hash suffices.
type Hash [sha256.Size]byte

// HashSecret returns the hash of a secret.
func HashSecret(secret string) Hash {
	return sha256.Sum256([]byte("octavo machine secret\x00" + secret))
}

// Secret is the secret of a client or resource, and the one before it.
type Secret struct {
	Hash, Previous Hash
	PreviousUntil  time.Time // zero without a previous one
}

// Is reports in constant time whether a text is the secret at now.
func (s Secret) Is(secret string, now time.Time) bool {
	hash := HashSecret(secret)
	right := subtle.ConstantTimeCompare(hash[:], s.Hash[:])
	if now.Before(s.PreviousUntil) {
		right |= subtle.ConstantTimeCompare(hash[:], s.Previous[:])
	}
	return right == 1
}

// Renew replaces the secret at now; the one before works for the overlap.
func (s *Secret) Renew(hash Hash, now time.Time, overlap time.Duration) error {
	if overlap < 0 || overlap > MaxOverlap {
		return ErrOverlap
	}
	next := Secret{Hash: hash}
	if overlap > 0 {
		next.Previous, next.PreviousUntil = s.Hash, now.Add(overlap)
	}
	*s = next
	return nil
}

// Resource is an API that accepts access tokens of its own audience.
type Resource struct {
	ID         string
	Name       string
	Identifier string // the audience of its tokens: an absolute URI (RFC 8707)
	Scopes     []string
	Secret     Secret // with which it introspects tokens
	CreatedAt  time.Time
}

// Validate returns ErrInvalid with the first invalid field.
func (r Resource) Validate() error {
	if err := checkName(r.Name); err != nil {
		return err
	}
	u, err := url.Parse(r.Identifier)
	if err != nil || !u.IsAbs() || u.Fragment != "" || u.User != nil || strings.Contains(r.Identifier, "#") || len(r.Identifier) > maxURI ||
		u.Host == "" && u.Opaque == "" || strings.ContainsFunc(r.Identifier, func(c rune) bool {
		return c <= ' ' ||
			c > '~' || strings.ContainsRune(`"\<>`, c)
	}) {
		return ErrInvalid.WithMsg("The identifier of a resource is an absolute URI without a fragment, such as https://api.example.edu.")
	}
	return checkScopes(r.Scopes)
}

// Client is a program that calls resources in its own name.
type Client struct {
	ID     string
	Name   string
	Secret Secret // not of a client with keys
	// Keys are its public keys as a JWKS, or KeysURL is where it publishes them; both empty for a client with a secret.
	Keys, KeysURL string
	Resources     []string // the ids of those that it may call
	Scopes        []string // that it may ask for, as far as the resource has them
	CreatedAt     time.Time
}

// HasKeys reports whether the client signs (private_key_jwt) in place of sending a secret.
func (c Client) HasKeys() bool { return c.Keys != "" || c.KeysURL != "" }

// Validate returns ErrInvalid with the first invalid field. The resources and keys are checked elsewhere.
func (c Client) Validate() error {
	switch {
	case checkName(c.Name) != nil:
		return checkName(c.Name)
	case len(c.Resources) == 0 || len(c.Resources) > maxScopes:
		return ErrInvalid.WithMsg("A machine needs 1 to 50 resources that it may call.")
	case c.Keys != "" && c.KeysURL != "", len(c.Keys) > MaxKeys, len(c.KeysURL) > maxURI:
		return ErrInvalid.WithMsg("A machine has a JWKS of at most 32 KB, or its address.")
	}
	return checkScopes(c.Scopes)
}

// Authenticate returns ErrUnknown unless the secret is the client's at now.
func (c Client) Authenticate(secret string, now time.Time) error {
	if !c.Secret.Is(secret, now) || c.HasKeys() {
		return ErrUnknown
	}
	return nil
}

// Granted returns the scopes of a list that the client has at a resource now, in the client's order; an empty
// list asks for all. It is nil if the client may not call the resource.
func (c Client) Granted(r Resource, asked []string) (granted []string) {
	if !slices.Contains(c.Resources, r.ID) {
		return nil
	}
	for _, s := range c.Scopes {
		if slices.Contains(r.Scopes, s) && (len(asked) == 0 || slices.Contains(asked, s)) {
			granted = append(granted, s)
		}
	}
	return granted
}

// Session is an access token of a machine client. It has no refresh token.
type Session struct {
	ID                   user.SessionID
	Client, Resource     string // ids
	Scopes               string // separated by spaces
	IP                   string // of the client
	CreatedAt, ExpiresAt time.Time
}

// Active reports whether the session has not expired.
func (s Session) Active(now time.Time) bool { return now.Before(s.ExpiresAt) }

func checkName(name string) error {
	if text.Blank(name) || text.Line(name, maxName) != name {
		return ErrInvalid.WithMsg("A name has 1 to 100 characters on one line.")
	}
	return nil
}

func checkScopes(all []string) error {
	if len(all) == 0 || len(all) > maxScopes {
		return ErrInvalid.WithMsg("There must be 1 to 50 scopes.")
	}
	for i, s := range all {
		if s == "" || len(s) > maxScope || strings.ContainsFunc(s, notInScope) || slices.Contains(all[:i], s) {
			return ErrInvalid.WithMsg("A scope has 1 to 100 characters without spaces, quotes and backslashes, and occurs once.")
		}
	}
	return nil
}

// notInScope reports characters that RFC 6749, section 3.3, excludes.
func notInScope(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }
