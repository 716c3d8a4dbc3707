// Package openid holds the rules of the OpenID provider: which applications sign people in
// with Octavo's accounts, what they may ask for, and how they prove who they are.
package openid

import (
	"crypto/sha256"
	"crypto/subtle"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// The algorithms of ID tokens.
const (
	RS256 = "RS256"
	ES512 = "ES512"
)

const (
	maxClientName = 100 // characters
	maxURIs       = 20  // of each kind
)

// Client is an application that signs people in here.
type Client struct {
	ID         string // not a secret
	Name       string // as users see it
	SecretHash SecretHash
	// RedirectURIs are where an answer to an authorization request may be sent.
	RedirectURIs []string
	// PostLogoutRedirectURIs are where people may be sent after they have signed out.
	PostLogoutRedirectURIs []string
	Public                 bool   // cannot keep a secret, for example an app on a phone
	FirstParty             bool   // may do whatever the user may, without being asked for
	IDTokenAlg             string // RS256 or ES512
	CreatedAt              time.Time
}

// SecretHash is what a store keeps of a client's secret. A secret has 256 random bits, so that
// a fast hash suffices.
type SecretHash [sha256.Size]byte

// HashSecret returns the hash of a client's secret.
func HashSecret(secret string) SecretHash {
	return sha256.Sum256([]byte("octavo client secret\x00" + secret))
}

// Authenticate returns ErrInvalidClient unless the secret is the client's. A public client has
// none and must present none.
func (c Client) Authenticate(secret string) error {
	hash := HashSecret(secret)
	right := subtle.ConstantTimeCompare(hash[:], c.SecretHash[:]) == 1
	if c.Public && secret == "" || !c.Public && right {
		return nil
	}
	return ErrInvalidClient
}

// Validate returns ErrClientInvalid with the first invalid field.
func (c Client) Validate() error {
	switch {
	case text.Blank(c.Name) || text.Line(c.Name, maxClientName) != c.Name:
		return ErrClientInvalid.WithMsg("The name of an application must have 1 to 100 characters on one line.")
	case c.IDTokenAlg != RS256 && c.IDTokenAlg != ES512:
		return ErrClientInvalid.WithMsg("ID tokens are signed with RS256 or ES512.")
	case len(c.RedirectURIs) == 0:
		return ErrClientInvalid.WithMsg("An application needs a redirect URI.")
	case len(c.RedirectURIs) > maxURIs || len(c.PostLogoutRedirectURIs) > maxURIs:
		return ErrClientInvalid.WithMsg("An application may have at most 20 redirect URIs of each kind.")
	}
	for _, uri := range slices.Concat(c.RedirectURIs, c.PostLogoutRedirectURIs) {
		if err := checkRedirectURI(uri, c.Public); err != nil {
			return err
		}
	}
	if c.FirstParty && slices.ContainsFunc(c.RedirectURIs, c.MustAsk) {
		return ErrClientInvalid.WithMsg("A public application that returns to this machine or to a private scheme cannot be first party: any program on the device can pose as it.")
	}
	return nil
}

// OriginAllowed reports whether pages of an origin may call the token endpoint: they are those
// of a public client.
func OriginAllowed(all []Client, origin string) bool {
	return slices.ContainsFunc(all, func(c Client) bool {
		return c.Public && slices.ContainsFunc(c.RedirectURIs, func(uri string) bool { return sameURI(Origin(uri), origin) })
	})
}

// Grant is what a user has allowed a client to read.
type Grant struct {
	User      user.ID
	Client    string
	Scopes    string // separated by spaces
	CreatedAt time.Time
	ChangedAt time.Time // when the user last allowed more
}

// Covers reports whether the user has allowed all of the scopes.
func (g Grant) Covers(scopes string) bool {
	granted := strings.Fields(g.Scopes)
	return !slices.ContainsFunc(strings.Fields(scopes), func(s string) bool { return !slices.Contains(granted, s) })
}

// With returns the grant with more scopes, allowed at now.
func (g Grant) With(scopes string, now time.Time) Grant {
	g.ChangedAt = now
	g.Scopes = strings.Join(ordered(append(strings.Fields(g.Scopes), strings.Fields(scopes)...)), " ")
	return g
}
