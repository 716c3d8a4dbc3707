package assembly

import (
	"crypto/ecdsa"
	"io"
	"log/slog"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/hashing"
	"github.com/octavo-books/octavo/adapters/logout"
	"github.com/octavo-books/octavo/adapters/metrics"
	"github.com/octavo-books/octavo/adapters/passkey"
	"github.com/octavo-books/octavo/adapters/qrcode"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/adapters/token"
	"github.com/octavo-books/octavo/adapters/useragent"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/challenge"
	"go.uber.org/fx"
)

// identity is the core that the auth service and the market share.
func identity(s config.Settings, parts config.Components) fx.Option {
	return when(parts.Identity(), fx.Options(
		fx.Provide((*config.Settings).SigningKey, (*config.Settings).NewTokens, (*config.Settings).NewIDTokens, (*config.Settings).NewHasher),
		fx.Provide((*config.Settings).NewPasskeys, closed((*config.Settings).NewLogoutSender, (*logout.Sender).Close)),
		fx.Provide(newExternalSignIn, findMarket, newIdentityStore, newAuth, market.NewNotifier),
		sessions(s), writeMarks(s),
		fx.Provide(
			func(a *authrooms.Auth) *account.Users { return a.Users },
			newAuthenticator,
		),
	))
}

// storedMarket is the marketplace of the database, whichever process serves it; nil if it has none.
type storedMarket struct{ *marketstore.Store }

func findMarket(life lifetime, db *gormstore.DB, sealer outboxstore.Sealer) (storedMarket, error) {
	states, err := db.Schema(life, marketstore.Migrations)
	if err != nil || states[0].Current == 0 {
		return storedMarket{}, err
	}
	return storedMarket{marketstore.New(db, sealer)}, nil
}

// newIdentityStore returns the accounts. If the database has a marketplace, the books of users
// who are deleted or suspended are unlisted.
func newIdentityStore(
	db *gormstore.DB, sealer outboxstore.Sealer, books storedMarket, ids *system.IDs, notifier *market.Notifier, purger market.Purger,
	s *config.Settings, parts config.Components,
) *authstore.Identity {
	if books.Store == nil {
		return authstore.New(db, sealer, nil)
	}
	deps := rooms.Join(market.Deps{
		IDs: ids.Next, Notifier: notifier, Purger: purger, Currency: s.MarketCurrency(), PublishEvents: s.PublishEvents(parts),
	}, books.Store)
	return authstore.New(db, sealer, books.OnUsersDeleted(deps)).OnUserWithdrawn(books.OnUserWithdrawn(deps)).
		OnUserMoves(books.OnUserMoves(deps)).OnUserRenamed(books.OnUserRenamed(deps))
}

// identityParts are the adapters of the identity core.
type identityParts struct {
	fx.In
	Clock          system.Clock
	IDs            *system.IDs
	Random         io.Reader
	Log            *slog.Logger
	Market         storedMarket
	Store          *authstore.Identity
	Sessions       auth.SessionStore
	Limits         auth.RateLimiter
	Events         *outboxstore.Events
	Hasher         *hashing.Hasher
	Tokens         *token.Tokens
	IDTokens       *token.IDTokens
	Passkeys       *passkey.Verifier
	ExternalSignIn *config.SignInClients
	Logouts        *logout.Sender
	Metrics        *metrics.Metrics `optional:"true"` // nil if nothing is served
}

func newAuth(s *config.Settings, parts config.Components, key *ecdsa.PrivateKey, p identityParts) (*authrooms.Auth, error) {
	codeKey, err := token.DeriveSecret(key, "codes")
	if err != nil {
		return nil, err
	}
	cfg, err := s.AuthConfig(parts)
	if err != nil {
		return nil, err
	}
	cfg.CodeKey, cfg.Providers = challenge.Key(codeKey), p.ExternalSignIn.Rules
	counted := p.Limits
	if p.Metrics != nil {
		counted = p.Metrics.CountLimits(p.Limits)
	}
	secrets, err := s.NewSecrets(key)
	if err != nil {
		return nil, err
	}
	ports := authrooms.Ports{Storage: p.Store, IDTokens: p.IDTokens, LogoutSender: p.Logouts, PasskeyVerifier: p.Passkeys, DrawQRCode: qrcode.Draw, Sweepers: p.sweepers(), Ports: auth.Ports{
		Now: p.Clock.Now, NextID: p.IDs.Next, Random: p.Random, Log: p.Log, Sessions: p.Sessions, RateLimiter: counted,
		Hasher: p.Hasher, Tokens: p.Tokens, Secrets: secrets, ParseUserAgent: useragent.Parse,
	}}
	ports.MachineTokens, ports.Assertions = p.Tokens, s.NewAssertions(p.Clock.Now)
	if books := p.Market.Store; books != nil {
		ports.Exporters = map[string]account.DataExporter{"market": rooms.NewExport(books, s.MarketCurrency()).ExportData}
		ports.Reported = books.ListReporting
	}
	if len(cfg.Providers) > 0 {
		ports.Providers, ports.LogoutVerifier = p.ExternalSignIn, p.ExternalSignIn
	}
	return authrooms.New(ports, cfg)
}

// sweepers returns the stores whose expired rows must be deleted. Redis expires keys itself.
func (p identityParts) sweepers() []account.Sweep {
	all := []account.Sweep{p.Store.DeleteExpired, sweepEvents(p.Events, p.Log)}
	if s, ok := p.Sessions.(*authstore.Sessions); ok {
		all = append(all, s.DeleteExpired)
	}
	if l, ok := p.Limits.(*authstore.RateLimiter); ok {
		all = append(all, l.DeleteExpired)
	}
	return all
}
