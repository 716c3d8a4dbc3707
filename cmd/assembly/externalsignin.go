package assembly

import (
	"crypto/ecdsa"
	"log/slog"

	"github.com/octavo-books/octavo/adapters/oidcclient"
	"github.com/octavo-books/octavo/adapters/providerfile"
	"github.com/octavo-books/octavo/adapters/seal"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/cmd/config"
	"go.uber.org/fx"
)

// externalSignIn has the providers of external sign-ins.
type externalSignIn struct {
	providers []providerfile.Provider
	client    *oidcclient.Client // nil without providers
}

func newExternalSignIn(lc fx.Lifecycle, s *config.Settings, clock system.Clock, log *slog.Logger) (externalSignIn, error) {
	all, err := s.IdentityProviders()
	if err != nil || len(all) == 0 {
		return externalSignIn{}, err
	}
	if providerfile.ReadableByOthers(s.Identity.OIDCProviders) {
		log.Warn("the file of OIDC_PROVIDERS has secrets and other users of this machine can read it: chmod 600", "file", s.Identity.OIDCProviders)
	}
	_, clients := config.SignInProviders(all)
	client, err := oidcclient.New(clients, oidcclient.Options{
		BaseURL: s.Server.BaseURL, Agent: "Octavo/" + config.Version(), Development: !s.Production(), Now: clock.Now,
	})
	if err != nil {
		return externalSignIn{}, config.Errorf("OIDC_PROVIDERS", "%v", err)
	}
	lc.Append(fx.StopHook(client.Close))
	return externalSignIn{all, client}, nil
}

// externalSignInPages is nil without external sign-in.
func externalSignInPages(a *authrooms.Auth, key *ecdsa.PrivateKey) (*web.ExternalSignIn, error) {
	if len(a.Identities.Available()) == 0 {
		return nil, nil
	}
	box, err := seal.New(key, "external sign-ins")
	if err != nil {
		return nil, err
	}
	return &web.ExternalSignIn{Identities: a.Identities, Sealer: box}, nil
}
