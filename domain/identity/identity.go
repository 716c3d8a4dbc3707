// Package identity holds the rules of external sign-in, in which the service of a university
// or company says who a person is.
package identity

import (
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// ID identifies an identity.
type ID int64

// String returns the form on the wire.
func (i ID) String() string { return id.Format(int64(i)) }

// Identity is an external sign-in that belongs to an account. Provider and Subject identify
// it: a subject never belongs to two people, while an address may change hands.
type Identity struct {
	ID        ID
	User      user.ID
	Provider  string // Provider.Name
	Subject   string
	Email     string // as the provider gave it when the identity was linked; may be empty
	CreatedAt time.Time
	// LastUsedAt is when the subject last proved at the provider who they are.
	LastUsedAt time.Time
}

// MaxSubject limits a subject, in bytes: OpenID Connect Core, section 2.
const MaxSubject = 255

// Protocol is how a provider signs people in.
type Protocol int

// The protocols.
const (
	OpenID Protocol = iota // and OAuth
	SAML
)

// Service is one of the services of a federation.
type Service struct {
	ID   string // its entity ID
	Name string // for people
}

// Place is where somebody wants to sign in: at a provider and, if it is a federation, at one of its
// services.
type Place struct{ Provider, Service string }

// Provider is a service at which people may sign in, as its operator describes it.
type Provider struct {
	Name     string // in addresses and in identities
	Label    string // for people
	Protocol Protocol
	// TrustEmail says that an address which the provider calls verified needs no other proof.
	TrustEmail bool
	// Domains are the domains whose addresses may sign in. "*." and a domain stand for all
	// of its subdomains. Empty allows every address.
	Domains []string
}

// Admits reports whether an address may sign in with the provider.
func (p Provider) Admits(address user.Email) bool {
	if len(p.Domains) == 0 {
		return true
	}
	_, domain, _ := strings.Cut(string(address), "@")
	for _, allowed := range p.Domains {
		if parent, below := strings.CutPrefix(allowed, "*"); allowed == domain || below && strings.HasSuffix(domain, parent) {
			return true
		}
	}
	return false
}

// ParseDomain parses an entry of Provider.Domains. International domains are written in
// Punycode, as addresses have them.
func ParseDomain(s string) (string, error) {
	prefix := ""
	domain, below := strings.CutPrefix(s, "*.")
	if below {
		prefix = "*."
	}
	address, err := user.ParseEmail("x@" + domain)
	if err != nil || strings.ContainsAny(domain, " \t\r\n") {
		return "", ErrDomainInvalid
	}
	return prefix + strings.TrimPrefix(string(address), "x@"), nil
}

// Request holds the secrets that bind the answer of a provider to one browser.
type Request struct {
	State    string // comes back with the answer
	Nonce    string // comes back in the ID token
	Verifier string // of PKCE, RFC 7636: only its hash leaves before the code comes back
	Service  string // the one of a federation that the person chose; "" where there is no choice
	Freshness
}

// Freshness is what a sign-in must have shown anew. The zero value is nothing.
type Freshness struct {
	Login  bool   // the person must prove who they are again
	MaxAge string // for how many seconds an earlier proof counts; "": for ever
	// ACRValues are the levels that an application wants, as it calls them; the service may know others.
	ACRValues string
	Strong    bool // two factors are wanted
}

// Asked reports whether the service was asked for a new proof.
func (f Freshness) Asked() bool { return f.Login || f.MaxAge != "" }

// Answer is what a provider adds to the address to which it sends the browser back.
type Answer struct {
	Code, State string
	Issuer      string // RFC 9207
	Error       string // RFC 6749, section 4.1.2.1; empty with a code
}

// Claims are what a provider says about the person who signed in. Their signature, issuer
// and recipient were verified.
type Claims struct {
	Subject       string
	Email         string // as the provider sent it; may not be a valid address
	EmailVerified bool
	Name          string
	Methods       session.Methods // by session.ExternalMethods; may be empty
	// AuthenticatedAt is when the person proved who they are: what the provider says or, if it says
	// nothing, when it answered a request for a new proof; zero if nobody knows.
	AuthenticatedAt time.Time
	Grants          Grants // by the rules of the provider
	// SID is what the provider calls its session when it says that it has ended; may be empty.
	SID string
	// Session is what the provider calls its session, for ending it there; "" where that cannot be done.
	Session string
}

// LogoutNotice is what a provider's logout token says. Subject or Session may be empty, but not both.
type LogoutNotice struct {
	ID               string // unique
	Subject, Session string
}

// Logout is a message of a provider about the end of a session.
type Logout struct {
	// Request is the ID of the provider's request to end a session; "" if the message is the answer to
	// ours, which says that the session there has ended.
	Request        string
	Service, State string   // of the answer to it
	Meant          bool     // the session of this browser is meant
	SIDs           []string // Claims.SID of the sessions that are meant
}

// Trusted reports whether the address needs no other proof.
func (p Provider) Trusted(c Claims) bool { return p.TrustEmail && c.EmailVerified }

// Factors returns how many factors the sign-in proved.
func (c Claims) Factors() int {
	if c.Methods.Has("mfa") {
		return 2
	}
	return 1
}
