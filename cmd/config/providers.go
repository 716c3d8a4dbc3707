package config

import (
	"log/slog"
	"time"

	"github.com/octavo-books/octavo/adapters/oidcclient"
	"github.com/octavo-books/octavo/adapters/providerfile"
)

// IdentityProviders returns the services of the file of OIDC_PROVIDERS.
func (s *Settings) IdentityProviders() ([]providerfile.Provider, error) {
	if s.Identity.OIDCProviders == "" {
		return nil, nil
	}
	all, err := providerfile.Load(s.Identity.OIDCProviders)
	if err != nil {
		return nil, Errorf("OIDC_PROVIDERS", "%v", err)
	}
	for _, p := range all {
		if err := oidcclient.CheckAddress(p.Issuer, !s.Production()); err != nil {
			return nil, Errorf("OIDC_PROVIDERS", "%s: provider %s: issuer: %v", s.Identity.OIDCProviders, p.Name, err)
		}
		if _, err := compileRules("OIDC_PROVIDERS", p.Name, p.Roles, p.Groups); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// OIDCProviders returns the configuration of the clients of providers.
func OIDCProviders(all []providerfile.Provider) (clients []oidcclient.Provider) {
	for _, p := range all {
		protocol := oidcclient.OpenID
		if p.GitHub {
			protocol = oidcclient.GitHub
		}
		rules, _ := compileRules("OIDC_PROVIDERS", p.Name, p.Roles, p.Groups) // IdentityProviders has compiled them
		clients = append(clients, oidcclient.Provider{
			Name: p.Name, Protocol: protocol, Issuer: p.Issuer, ClientID: p.ClientID, ClientSecret: p.ClientSecret, Scopes: p.Scopes,
			ManyTenants: p.ManyTenants, Private: p.Private, Rules: rules,
		})
	}
	return clients
}

// NewOIDCClient returns the client of the providers. It warns of a file that others can read.
func (s *Settings) NewOIDCClient(all []providerfile.Provider, clock func() time.Time, log *slog.Logger) (*oidcclient.Client, error) {
	if providerfile.ReadableByOthers(s.Identity.OIDCProviders) {
		log.Warn("the file of OIDC_PROVIDERS has secrets and other users of this machine can read it: chmod 600", "file", s.Identity.OIDCProviders)
	}
	clients := OIDCProviders(all)
	client, err := oidcclient.New(clients, oidcclient.Options{
		BaseURL: s.Server.BaseURL, Agent: "Octavo/" + Version(), Development: !s.Production(), Now: clock,
	})
	if err != nil {
		return nil, Errorf("OIDC_PROVIDERS", "%v", err)
	}
	return client, nil
}
