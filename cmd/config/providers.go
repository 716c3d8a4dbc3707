package config

import (
	"github.com/octavo-books/octavo/adapters/oidcclient"
	"github.com/octavo-books/octavo/adapters/providerfile"
	"github.com/octavo-books/octavo/domain/identity"
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
	}
	return all, nil
}

// SignInProviders returns the rules of the providers, and the configuration of their clients.
func SignInProviders(all []providerfile.Provider) (rules []identity.Provider, clients []oidcclient.Provider) {
	for _, p := range all {
		protocol := oidcclient.OpenID
		if p.GitHub {
			protocol = oidcclient.GitHub
		}
		rules = append(rules, p.Provider)
		clients = append(clients, oidcclient.Provider{
			Name: p.Name, Protocol: protocol, Issuer: p.Issuer, ClientID: p.ClientID, ClientSecret: p.ClientSecret, Scopes: p.Scopes,
			ManyTenants: p.ManyTenants, Private: p.Private,
		})
	}
	return rules, clients
}
