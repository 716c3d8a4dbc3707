package assembly

import (
	"context"
	"crypto/ecdsa"
	"log/slog"

	"github.com/octavo-books/octavo/adapters/seal"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/cmd/config"
	"go.uber.org/fx"
)

// newExternalSignIn returns the clients of services of external sign-ins. They load metadata that take
// long while the program starts.
func newExternalSignIn(lc fx.Lifecycle, s *config.Settings, clock system.Clock, log *slog.Logger) (*config.SignInClients, error) {
	clients, err := s.NewSignInClients(clock.Now, log)
	if err != nil {
		return nil, err
	}
	warm, stop := context.WithCancel(context.Background())
	lc.Append(fx.StartStopHook(func() { go clients.Warm(warm) }, func() { stop(); clients.Close() }))
	return clients, nil
}

// externalSignInPages is nil without external sign-in.
func externalSignInPages(a *authrooms.Auth, key *ecdsa.PrivateKey, clients *config.SignInClients) (*web.ExternalSignIn, error) {
	if len(a.Identities.Available()) == 0 {
		return nil, nil
	}
	box, err := seal.New(key, "external sign-ins")
	if err != nil {
		return nil, err
	}
	pages := &web.ExternalSignIn{Identities: a.Identities, Sealer: box, Logouts: a.ServiceLogouts}
	if clients.SAML != nil {
		pages.SAML = clients.SAML
	}
	return pages, nil
}
