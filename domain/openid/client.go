// Package openid holds the rules of the OpenID provider: which applications sign people in
// with Octavo's accounts, what they may ask for, and how they prove who they are.
package openid

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/session"
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
	// PreviousSecretHash is that of the secret before, which works until PreviousSecretUntil.
	PreviousSecretHash  SecretHash
	PreviousSecretUntil time.Time // zero if there is none
	// RedirectURIs are where an answer to an authorization request may be sent.
	RedirectURIs []string
	// PostLogoutRedirectURIs are where people may be sent after they have signed out.
	PostLogoutRedirectURIs []string
	// BackchannelLogoutURI is told by the server that a session has ended, FrontchannelLogoutURI by the
	// browser. Both always get iss and sid. "" is none.
	BackchannelLogoutURI, FrontchannelLogoutURI string
	Public                                      bool   // cannot keep a secret, for example an app on a phone
	FirstParty                                  bool   // may do whatever the user may, without being asked for
	PKCEOptional                                bool   // may ask for a code without PKCE
	RequireACR                                  string // the session.Level that its users must have reached; "": any
	IDTokenAlg                                  string // RS256 or ES512
	// LogoURI, PolicyURI and TermsURI are what the page of consent shows; "" is none.
	LogoURI, PolicyURI, TermsURI string
	CreatedAt                    time.Time
	// AccessLifetime and SessionLifetime are how long access tokens and sessions last at most; 0: as for all.
	AccessLifetime, SessionLifetime time.Duration
}

// DemandsPKCE reports whether a code is given for a challenge only.
func (c Client) DemandsPKCE() bool { return c.Public || !c.PKCEOptional }

// Validate returns ErrClientInvalid with the first invalid field.
func (c Client) Validate() error {
	switch {
	case text.Blank(c.Name) || text.Line(c.Name, maxClientName) != c.Name:
		return ErrClientInvalid.WithMsg("The name of an application must have 1 to 100 characters on one line.")
	case c.IDTokenAlg != RS256 && c.IDTokenAlg != ES512:
		return ErrClientInvalid.WithMsg("ID tokens are signed with RS256 or ES512.")
	case c.RequireACR != "" && session.ParseLevel(c.RequireACR) == 0:
		return ErrClientInvalid.WithMsg("An application may require " + strings.Join(session.LevelNames(), ", ") + " or nothing.")
	case c.Public && c.PKCEOptional:
		return ErrClientInvalid.WithMsg("A public application needs PKCE.")
	case len(c.RedirectURIs) == 0:
		return ErrClientInvalid.WithMsg("An application needs a redirect URI.")
	case len(c.RedirectURIs) > maxURIs || len(c.PostLogoutRedirectURIs) > maxURIs:
		return ErrClientInvalid.WithMsg("An application may have at most 20 redirect URIs of each kind.")
	}
	if err := c.validateLifetimes(); err != nil {
		return err
	}
	return c.validateURIs()
}

// The bounds of the lifetimes that an application may be set to.
const (
	minAccess  = time.Minute
	maxAccess  = 24 * time.Hour
	minSession = 5 * time.Minute
)

// within reports whether a lifetime of whole seconds has these bounds, or is not set.
func within(d, least, most time.Duration) bool {
	return d == 0 || d >= least && d <= most && d%time.Second == 0
}

func (c Client) validateLifetimes() error {
	switch {
	case !within(c.AccessLifetime, minAccess, maxAccess):
		return ErrClientInvalid.WithMsg("The access tokens of an application are valid for 1 minute to 24 hours.")
	case !within(c.SessionLifetime, minSession, session.AbsoluteTimeout):
		return ErrClientInvalid.WithMsg("The sessions of an application last from 5 minutes to 365 days.")
	}
	return nil
}

// LifetimeLeft returns how long an access token is valid that a session which began at a time gets at now,
// where usual is what holds without a setting; 0 if the session has lasted long enough.
func (c Client) LifetimeLeft(began, now time.Time, usual time.Duration) time.Duration {
	access := cmp.Or(c.AccessLifetime, usual)
	if c.SessionLifetime == 0 {
		return access
	}
	return max(0, min(access, began.Add(c.SessionLifetime).Sub(now).Truncate(time.Second)))
}

func (c Client) validateURIs() error {
	for _, uri := range slices.Concat(c.RedirectURIs, c.PostLogoutRedirectURIs) {
		if err := checkRedirectURI(uri, c.Public); err != nil {
			return err
		}
	}
	for _, uri := range []string{c.BackchannelLogoutURI, c.FrontchannelLogoutURI, c.LogoURI, c.PolicyURI, c.TermsURI} {
		if err := checkLink(uri); err != nil {
			return err
		}
	}
	if c.FrontchannelLogoutURI != "" && !slices.ContainsFunc(c.RedirectURIs,
		func(uri string) bool { return Origin(uri) == Origin(c.FrontchannelLogoutURI) }) {
		return ErrClientInvalid.WithMsg("The address of front-channel logout must have the scheme, host and port of a redirect URI.")
	}
	if c.FirstParty && slices.ContainsFunc(c.RedirectURIs, c.MustAsk) {
		return ErrClientInvalid.WithMsg("A public application that returns to this machine or to a private scheme cannot be first party: any program on the device can pose as it.")
	}
	return nil
}

// Difference returns the names of the fields that differ between two states of a client, for the
// audit log.
func Difference(before, after Client) string {
	var names []string
	for _, field := range []struct {
		name string
		same bool
	}{
		{"name", before.Name == after.Name}, {"redirect URIs", slices.Equal(before.RedirectURIs, after.RedirectURIs)},
		{"addresses after signing out", slices.Equal(before.PostLogoutRedirectURIs, after.PostLogoutRedirectURIs)},
		{"back-channel logout", before.BackchannelLogoutURI == after.BackchannelLogoutURI},
		{"front-channel logout", before.FrontchannelLogoutURI == after.FrontchannelLogoutURI},
		{"public", before.Public == after.Public}, {"first party", before.FirstParty == after.FirstParty},
		{"PKCE", before.PKCEOptional == after.PKCEOptional}, {"required sign-in", before.RequireACR == after.RequireACR},
		{"algorithm", before.IDTokenAlg == after.IDTokenAlg}, {"logo", before.LogoURI == after.LogoURI},
		{"lifetime of access tokens", before.AccessLifetime == after.AccessLifetime},
		{"lifetime of sessions", before.SessionLifetime == after.SessionLifetime},
		{"policy", before.PolicyURI == after.PolicyURI}, {"terms", before.TermsURI == after.TermsURI},
	} {
		if !field.same {
			names = append(names, field.name)
		}
	}
	return strings.Join(names, ", ")
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
	Scopes    string // with single claims and permissions at resources, separated by spaces
	CreatedAt time.Time
	ChangedAt time.Time // when the user last allowed more
}

// Covers reports whether the user has allowed all of the scopes. Where a claim is told makes no difference to them.
func (g Grant) Covers(scopes string) bool {
	granted := strings.Fields(g.Scopes)
	return !slices.ContainsFunc(strings.Fields(scopes), func(s string) bool {
		if _, claim, ok := parseSingleClaim(s); ok {
			return !Tells(g.Scopes, AtUserInfo, claim) && !Tells(g.Scopes, InIDToken, claim)
		}
		return !slices.Contains(granted, s)
	})
}

// With returns the grant with more scopes, allowed at now.
func (g Grant) With(scopes string, now time.Time) Grant {
	g.ChangedAt = now
	g.Scopes = strings.Join(ordered(append(strings.Fields(g.Scopes), strings.Fields(scopes)...)), " ")
	return g
}
