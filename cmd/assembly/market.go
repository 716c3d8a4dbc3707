package assembly

import (
	"context"
	"crypto/ecdsa"
	"log/slog"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/octavo-books/octavo/adapters/ginserver"
	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/picture"
	"github.com/octavo-books/octavo/adapters/readcache"
	"github.com/octavo-books/octavo/adapters/rest"
	"github.com/octavo-books/octavo/adapters/rest/confirmpage"
	"github.com/octavo-books/octavo/adapters/seal"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
	"go.uber.org/fx"
)

// PhotoWorker is the argument with which this program converts one picture and exits.
const PhotoWorker = "__photo"

// marketplace is the core of the marketplace.
func marketplace(parts config.Components) fx.Option {
	return when(parts.Market, fx.Options(
		fx.Provide(newMarketStore, newStandby, newMarket, newMarketDeps, suspendAccounts),
		fx.Provide((*config.Settings).ServeBlobs, httpx.NewUploads),
		check("photos", config.Blobs.Check),
	))
}

// marketAdapters are what the use cases of the market need that change something.
type marketAdapters struct {
	fx.In
	Parts    config.Components
	Store    *marketstore.Store
	Clock    system.Clock
	IDs      *system.IDs
	Notifier *market.Notifier
	Marks    market.WriteMarks
	Purger   market.Purger
	Settings *config.Settings
}

func newMarketDeps(a marketAdapters) market.Deps {
	d := a.Settings.MarketDeps(a.Parts)
	d.Store, d.Clock, d.IDs, d.Notifier, d.Marks, d.Purger = a.Store, a.Clock.Now, a.IDs.Next, a.Notifier, a.Marks, a.Purger
	d.Guard = new(market.CurrencyGuard)
	return rooms.Join(d, a.Store)
}

// marketParts are what the rooms of the market are opened with.
type marketParts struct {
	fx.In
	Life     fx.Lifecycle
	Deps     market.Deps
	Store    *marketstore.Store
	Standby  *standby
	Caches   *readcache.Caches
	Blobs    config.Blobs
	Suspend  guarding.SuspendAccount
	Auth     *authrooms.Auth
	Key      *ecdsa.PrivateKey
	Settings *config.Settings
	Log      *slog.Logger
}

// newMarket derives the secret of the codes from the private key, which every process that
// serves the market has. With a new key the buyers see new codes.
func newMarket(p marketParts) (*rooms.Market, error) {
	secret, err := seal.DeriveKey(p.Key, "handover codes")
	if err != nil {
		return nil, err
	}
	self, err := picture.Self()
	if err != nil {
		return nil, err
	}
	s := p.Settings
	table, err := s.ServeISBNTable()
	if err != nil {
		return nil, err
	}
	p.Life.Append(fx.StopHook(table.Close))
	pusher, err := s.NewPushSender(p.Key)
	if err != nil {
		return nil, err
	}
	p.Life.Append(fx.StopHook(pusher.Close))
	c := s.MarketConfig()
	c.Handovers, c.Blobs, c.FindISBN, c.Suspend = secret, p.Blobs, table.FindISBN, p.Suspend
	c.Pictures = picture.Logged(picture.New(self, PhotoWorker), p.Log)
	c.Push.Pusher, c.Push.Ended, c.Push.Words, c.Push.Log = pusher, p.Auth.Authenticator.EndedSessions, web.PushWords{}, p.Log
	if p.Standby != nil {
		c.Standby, c.Reads = readcache.Over(p.Standby.store, p.Caches.Standby), p.Standby.reads
	}
	return rooms.New(p.Deps, readcache.Over(p.Store, p.Caches.Primary), c), nil
}

// suspendAccounts suspends accounts as the auth service does, in one transaction with what the market
// does about it.
func suspendAccounts(deps market.Deps, store *marketstore.Store, accounts *authstore.Identity, people *account.Users) guarding.SuspendAccount {
	return func(ctx context.Context, by user.Caller, id user.ID, reason string, then func(context.Context, market.Stores) error) error {
		_, err := people.Over(accounts.OnUserWithdrawn(store.OnUserWithdrawn(deps, then))).Suspend(ctx, by, id, reason)
		return err
	}
}

// newMarketStore refuses a database that holds amounts in another currency.
func newMarketStore(life lifetime, db *gormstore.DB, sealer outboxstore.Sealer, s *config.Settings) (*marketstore.Store, error) {
	store := marketstore.New(db, sealer)
	ctx, cancel := context.WithTimeout(life, startTimeout)
	defer cancel()
	return store, s.KeepCurrency(func(c money.Currency) (kept string, err error) {
		err = store.Atomically(ctx, func(ctx context.Context, stores market.Stores) (err error) {
			kept, err = stores.KeepCurrency(ctx, c)
			return err
		})
		return kept, err
	})
}

// marketRoutes serves the JSON API and does the background work of the market.
func marketRoutes(parts config.Components) fx.Option {
	return when(parts.Market, fx.Options(asRoutes(newMarketRoutes), asWork(marketWork), fx.Invoke(watchStandby)))
}

func newMarketRoutes(a *authrooms.Auth, m *rooms.Market, uploads *httpx.Uploads, pages *web.Pages, s *config.Settings, clock system.Clock, log *slog.Logger) (ginserver.Group, error) {
	cfg, err := s.APIConfig()
	if err != nil {
		return ginserver.Group{}, err
	}
	api, err := rest.New(rest.Services{
		Auth: a, Market: m, Uploads: uploads, Ended: a.Authenticator.EndedSessions,
		Layout: func(w http.ResponseWriter, r *http.Request, page confirmpage.Page) {
			pages.RenderEmbedded(w, r, web.EmbeddedPage(page))
		},
	}, cfg, clock.Now, log)
	if err != nil {
		return ginserver.Group{}, err
	}
	return ginserver.Group{
		Below: "/api", NoRoute: api.NoRoute, NoMethod: api.NoMethod, Refuse: api.WriteError,
		Mount: func(engine *gin.Engine) error { return api.Register(engine) },
	}, nil
}
