package config

import (
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/octavo-books/octavo/adapters/outbound"
	"github.com/octavo-books/octavo/adapters/providerfile"
	"github.com/octavo-books/octavo/adapters/samlsp"
	"github.com/octavo-books/octavo/domain/identity"
)

// SignInServices are the services at which people may also sign in.
type SignInServices struct {
	OIDC []providerfile.Provider
	SAML []providerfile.SAMLProvider
}

// SignInServices returns the services of the files of OIDC_PROVIDERS and SAML_PROVIDERS. A name
// belongs to one service, because identities are known by it.
func (s *Settings) SignInServices() (all SignInServices, err error) {
	if all.OIDC, err = s.IdentityProviders(); err != nil {
		return SignInServices{}, err
	}
	if s.Identity.SAMLProviders == "" {
		return all, nil
	}
	if all.SAML, err = providerfile.LoadSAML(s.Identity.SAMLProviders); err != nil {
		return SignInServices{}, Errorf("SAML_PROVIDERS", "%v", err)
	}
	for _, p := range all.SAML {
		if slices.ContainsFunc(all.OIDC, func(other providerfile.Provider) bool { return other.Name == p.Name }) {
			return SignInServices{}, Errorf("SAML_PROVIDERS", "%s: the name %s is that of a provider of OIDC_PROVIDERS, too", s.Identity.SAMLProviders, p.Name)
		}
		if _, err := compileRules("SAML_PROVIDERS", p.Name, p.Roles, p.Groups); err != nil {
			return SignInServices{}, err
		}
		if !samlsp.IsAddress(p.Metadata) {
			continue
		}
		if err := outbound.CheckAddress(p.Metadata, !s.Production()); err != nil {
			return SignInServices{}, Errorf("SAML_PROVIDERS", "%s: provider %s: metadata: %v", s.Identity.SAMLProviders, p.Name, err)
		}
	}
	return all, nil
}

// Rules returns the rules of all services.
func (all SignInServices) Rules() (rules []identity.Provider) {
	for _, p := range all.OIDC {
		rules = append(rules, p.Provider)
	}
	for _, p := range all.SAML {
		rules = append(rules, p.Provider)
	}
	return rules
}

// NewSAMLClient returns the client of the providers of SAML_PROVIDERS. In development their key is made
// when it is needed.
func (s *Settings) NewSAMLClient(all []providerfile.SAMLProvider, clock func() time.Time, log *slog.Logger) (*samlsp.Client, error) {
	var services []samlsp.Provider
	for _, p := range all {
		rules, _ := compileRules("SAML_PROVIDERS", p.Name, p.Roles, p.Groups) // SignInServices has compiled them
		services = append(services, samlsp.Provider{
			Name: p.Name, Metadata: p.Metadata, Signers: p.Signers, EntityID: p.EntityID, Private: p.Private,
			Attributes: samlsp.Attributes{ID: p.ID, Mail: p.Mail, Name: p.DisplayName}, Rules: rules,
		})
	}
	others, err := s.OtherServiceKeys()
	if err != nil {
		return nil, err
	}
	client, err := samlsp.New(services, samlsp.Options{
		BaseURL: s.Server.BaseURL, ServiceName: s.Server.ServiceName, Agent: "Octavo/" + Version(), Development: !s.Production(),
		Now: clock, Log: log,
		Key: sync.OnceValues(s.ServiceKey), Others: others,
	})
	if err != nil {
		return nil, Errorf("SAML_PROVIDERS", "%v", err)
	}
	return client, nil
}
