package assembly

import (
	"crypto/ecdsa"
	"log/slog"

	"github.com/octavo-books/octavo/adapters/oidcclient"
	"github.com/octavo-books/octavo/adapters/providerfile"
	"github.com/octavo-books/octavo/adapters/seal"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/cmd/config"
	"go.uber.org/fx"
)

// signInElsewhere is the services at which people may also sign in.
type signInElsewhere struct {
	providers []providerfile.Provider
	client    *oidcclient.Client // nil without providers
}

func newSignInElsewhere(lc fx.Lifecycle, s *config.Settings, clock system.Clock, log *slog.Logger) (signInElsewhere, error) {
	all, err := s.IdentityProviders()
	if err != nil || len(all) == 0 {
		return signInElsewhere{}, err
	}
	if providerfile.ReadableByOthers(s.Identity.OIDCProviders) {
		log.Warn("the file of OIDC_PROVIDERS has secrets and other users of this machine can read it: chmod 600", "file", s.Identity.OIDCProviders)
	}
	_, clients := config.SignInProviders(all)
	client, err := oidcclient.New(clients, oidcclient.Options{
		BaseURL: s.Server.BaseURL, Agent: "Octavo/" + config.Version(), Development: !s.Production(), Now: clock.Now,
	})
	if err != nil {
		return signInElsewhere{}, config.Errorf("OIDC_PROVIDERS", "%v", err)
	}
	lc.Append(fx.StopHook(client.Close))
	return signInElsewhere{all, client}, nil
}

// elsewherePages is nil if nobody signs in elsewhere.
func elsewherePages(a *auth.Services, key *ecdsa.PrivateKey) (*web.Elsewhere, error) {
	if len(a.Identities.Available()) == 0 {
		return nil, nil
	}
	box, err := seal.New(key, "sign-ins elsewhere")
	if err != nil {
		return nil, err
	}
	return &web.Elsewhere{Identities: a.Identities, Sealer: box}, nil
}
