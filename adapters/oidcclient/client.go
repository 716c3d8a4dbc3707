// Package oidcclient speaks OpenID Connect and OAuth 2.0 with the providers of external
// sign-ins: discovery, the authorization code flow with PKCE (RFC 7636), the verification of
// ID tokens, and GitHub's own protocol.
//
// Providers are trusted only to identify people: package outbound checks their addresses,
// redirects are not followed, and every answer is limited in size and time.
package oidcclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/text"
	"golang.org/x/oauth2"
)

// Protocol is how a provider signs people in.
type Protocol int

// The protocols.
const (
	OpenID Protocol = iota
	GitHub          // OAuth 2.0 with GitHub's API
)

// Provider is one provider.
type Provider struct {
	Name                   string
	Protocol               Protocol
	Issuer                 string // of GitHub: its address
	ClientID, ClientSecret string // a public client has no secret
	Scopes                 []string
	// ManyTenants says that the issuer represents the issuers of many tenants, as Microsoft's
	// common does. Discovery then returns a pattern with {tenantid}.
	ManyTenants bool
	Private     bool // the provider may be in a private network
	// Rules returns what the claims of an ID token give a person; nil: nothing.
	Rules func(claims []byte) identity.Grants
}

// Options are what all providers share.
type Options struct {
	BaseURL     string // of Octavo, without a slash at the end
	Agent       string // User-Agent
	Development bool   // allows http at loopback addresses
	Now         func() time.Time
}

// Client implements external.ProviderClient. It is safe for concurrent use.
type Client struct{ providers map[string]*provider }

// provider is a Provider with what is known of it.
type provider struct {
	Provider
	Options
	http *http.Client
	cache
}

// New returns a Client, or an error for an address that is not allowed. It does not connect,
// because a provider may be down when the program starts.
func New(all []Provider, o Options) (*Client, error) {
	c := &Client{providers: map[string]*provider{}}
	for _, p := range all {
		if err := CheckAddress(p.Issuer, o.Development); err != nil {
			return nil, fmt.Errorf("%s: issuer: %w", p.Name, err)
		}
		made := &provider{Provider: p, Options: o, cache: newCache()}
		made.http = newHTTPClient(p, o)
		c.providers[p.Name] = made
	}
	return c, nil
}

// Close closes idle connections.
func (c *Client) Close() {
	for _, p := range c.providers {
		p.http.CloseIdleConnections()
	}
}

// CheckProvider asks a provider for what a sign-in needs, and changes nothing.
func (c *Client) CheckProvider(ctx context.Context, name string) error {
	p, err := c.provider(name)
	if err != nil || p.Protocol == GitHub {
		return err
	}
	_, err = p.discover(ctx)
	return err
}

func (c *Client) provider(name string) (*provider, error) {
	if p, ok := c.providers[name]; ok {
		return p, nil
	}
	return nil, identity.ErrUnknownProvider
}

// AuthorizationURL implements external.ProviderClient.
func (c *Client) AuthorizationURL(ctx context.Context, name string, r identity.Request) (string, error) {
	p, err := c.provider(name)
	if err != nil {
		return "", err
	}
	m, err := p.discover(ctx)
	if err != nil {
		return "", because(identity.ErrUnreachable, err)
	}
	options := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(r.Verifier)}
	if p.Protocol == OpenID {
		options = append(options, oauth2.SetAuthURLParam("nonce", r.Nonce))
		options = append(options, p.freshness(r.Freshness)...)
	}
	return p.oauth(m).AuthCodeURL(r.State, options...), nil
}

// google refuses prompt=login, but honours max_age and lets people choose an account.
const google = "https://accounts.google.com"

// freshness returns the parameters that ask for a new or stronger proof. GitHub has none.
func (p *provider) freshness(f identity.Freshness) (options []oauth2.AuthCodeOption) {
	if f.ACRValues != "" {
		options = append(options, oauth2.SetAuthURLParam("acr_values", f.ACRValues))
	}
	if f.Login && p.Issuer == google {
		return append(options, oauth2.SetAuthURLParam("prompt", "select_account"), oauth2.SetAuthURLParam("max_age", "0"))
	}
	if f.Login {
		options = append(options, oauth2.SetAuthURLParam("prompt", "login"))
	}
	if f.MaxAge != "" {
		options = append(options, oauth2.SetAuthURLParam("max_age", f.MaxAge))
	}
	return options
}

// RedeemCode implements external.ProviderClient.
func (c *Client) RedeemCode(ctx context.Context, name string, r identity.Request, a identity.Answer) (identity.Claims, error) {
	p, err := c.provider(name)
	if err != nil {
		return identity.Claims{}, err
	}
	m, err := p.discover(ctx)
	if err != nil {
		return identity.Claims{}, because(identity.ErrUnreachable, err)
	}
	if err := p.checkAnswer(m, a); err != nil {
		return identity.Claims{}, err
	}
	ctx = context.WithValue(ctx, oauth2.HTTPClient, p.http)
	token, err := p.oauth(m).Exchange(ctx, a.Code, oauth2.VerifierOption(r.Verifier))
	if err != nil {
		return identity.Claims{}, refusal(err)
	}
	var claims identity.Claims
	if p.Protocol == GitHub {
		claims, err = p.gitHubClaims(ctx, token)
	} else {
		claims, err = p.openIDClaims(ctx, m, token, r)
	}
	if err != nil {
		return identity.Claims{}, refusal(err)
	}
	return claims, nil
}

// checkAnswer refuses an answer of another issuer (RFC 9207) before it uses anything else in
// it.
func (p *provider) checkAnswer(m *metadata, a identity.Answer) error {
	switch {
	case m.IssParameter && a.Issuer == "":
		return because(identity.ErrAnswerInvalid, errors.New("the answer has no iss, which the provider announces"))
	case a.Issuer != "" && !m.isIssuer(a.Issuer):
		return because(identity.ErrAnswerInvalid, fmt.Errorf("the answer is of the issuer %q", a.Issuer))
	case a.Error == "access_denied" || a.Error == "consent_required" || a.Error == "interaction_required" || a.Error == "login_required":
		return because(identity.ErrCancelled, errors.New(a.Error))
	case a.Error != "":
		return because(identity.ErrAnswerInvalid, fmt.Errorf("the provider answers %q", a.Error))
	case a.Code == "":
		return because(identity.ErrAnswerInvalid, errors.New("the answer has no code"))
	}
	return nil
}

// oauth returns the settings of the library for a flow.
func (p *provider) oauth(m *metadata) *oauth2.Config {
	style := oauth2.AuthStyleInHeader
	if p.ClientSecret == "" || len(m.AuthMethods) > 0 && !slices.Contains(m.AuthMethods, "client_secret_basic") {
		style = oauth2.AuthStyleInParams
	}
	return &oauth2.Config{
		ClientID: p.ClientID, ClientSecret: p.ClientSecret, Scopes: p.Scopes,
		RedirectURL: p.BaseURL + "/auth/oidc/" + url.PathEscape(p.Name) + "/callback",
		Endpoint:    oauth2.Endpoint{AuthURL: m.Authorization, TokenURL: m.Token, AuthStyle: style},
	}
}

// maxCause limits what a provider can write to the log, in bytes.
const maxCause = 300

// because adds a cause for the log to an error for people.
func because(shown, cause error) error {
	return fmt.Errorf("%w: %s", shown, text.Line(cause.Error(), maxCause))
}

// refusal distinguishes a provider that cannot be reached from one that answers wrongly.
func refusal(err error) error {
	var network *url.Error
	var answered *oauth2.RetrieveError
	switch {
	case errors.As(err, &answered) && answered.Response != nil && answered.Response.StatusCode < http.StatusInternalServerError:
		return because(identity.ErrAnswerInvalid, err)
	case errors.As(err, &answered), errors.As(err, &network), errors.Is(err, context.DeadlineExceeded), errors.Is(err, errServer):
		return because(identity.ErrUnreachable, err)
	}
	return because(identity.ErrAnswerInvalid, err)
}
