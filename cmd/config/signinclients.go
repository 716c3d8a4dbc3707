package config

import (
	"context"
	"log/slog"
	"time"

	"github.com/octavo-books/octavo/adapters/oidcclient"
	"github.com/octavo-books/octavo/adapters/samlsp"
	"github.com/octavo-books/octavo/application/auth/external"
	"github.com/octavo-books/octavo/domain/identity"
)

// SignInClients speak with all services of external sign-ins. They implement external.ProviderClient.
type SignInClients struct {
	Rules []identity.Provider // none: there are no services
	SAML  *samlsp.Client      // nil without services that speak it
	oidc  *oidcclient.Client
}

// NewSignInClients returns the clients of the services of the settings.
func (s *Settings) NewSignInClients(clock func() time.Time, log *slog.Logger) (*SignInClients, error) {
	all, err := s.SignInServices()
	if err != nil {
		return nil, err
	}
	c := &SignInClients{Rules: all.Rules()}
	if c.oidc, err = s.NewOIDCClient(all.OIDC, clock, log); err != nil {
		return nil, err
	}
	if len(all.SAML) > 0 {
		c.SAML, err = s.NewSAMLClient(all.SAML, clock, log)
	}
	return c, err
}

// Warm loads what takes long.
func (c *SignInClients) Warm(ctx context.Context) {
	if c.SAML != nil {
		c.SAML.Warm(ctx)
	}
}

// Close closes idle connections.
func (c *SignInClients) Close() {
	c.oidc.Close()
	if c.SAML != nil {
		c.SAML.Close()
	}
}

// speaks returns the client of a provider.
func (c *SignInClients) speaks(provider string) external.ProviderClient {
	for _, p := range c.Rules {
		if p.Name == provider && p.Protocol == identity.SAML {
			return c.SAML
		}
	}
	return c.oidc
}

// AuthorizationURL implements external.ProviderClient.
func (c *SignInClients) AuthorizationURL(ctx context.Context, provider string, r identity.Request) (string, error) {
	return c.speaks(provider).AuthorizationURL(ctx, provider, r)
}

// RedeemCode implements external.ProviderClient.
func (c *SignInClients) RedeemCode(ctx context.Context, provider string, r identity.Request, a identity.Answer) (identity.Claims, error) {
	return c.speaks(provider).RedeemCode(ctx, provider, r, a)
}

// VerifyLogout implements external.LogoutVerifier. Services that speak SAML sign out in the browser.
func (c *SignInClients) VerifyLogout(ctx context.Context, provider, token string) (identity.LogoutNotice, error) {
	return c.oidc.VerifyLogout(ctx, provider, token)
}
