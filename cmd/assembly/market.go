package assembly

import (
	"log/slog"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/rest"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/order"
	"go.uber.org/fx"
)

// marketplace is the core of the marketplace.
func marketplace(parts config.Components) fx.Option {
	if !parts.Market {
		return fx.Options()
	}
	return fx.Provide(
		marketstore.New,
		market.NewBell,
		func(s *marketstore.Store, clock system.Clock, ids *system.IDs, bell *market.Bell) market.Kit {
			return market.Kit{Store: s, Clock: clock, IDs: ids, Bell: bell}
		},
		func(k market.Kit, s *marketstore.Store) *market.Shelf { return market.NewShelf(k, s) },
		func(s *marketstore.Store) *market.Catalogue { return market.NewCatalogue(s, s, s) },
		func(k market.Kit, s *marketstore.Store) *market.Wanted { return market.NewWanted(k, s, s) },
		func(k market.Kit, s *marketstore.Store) *market.Carts { return market.NewCarts(k, s) },
		func(k market.Kit, s *config.Settings) *market.Checkout {
			return market.NewCheckout(k, order.FeeRate(s.Market.FeeBPS))
		},
		func(k market.Kit, s *marketstore.Store) *market.Orders { return market.NewOrders(k, s) },
		func(s *marketstore.Store, k market.Kit) *market.Notices {
			return market.NewNotices(k, s, s)
		},
		func(s *marketstore.Store, k market.Kit) *market.Statistics { return market.NewStatistics(s, k.Clock) },
		func(k market.Kit, s *marketstore.Store) *market.Tidying { return market.NewTidying(k, s) },
		func(s *marketstore.Store) *market.Ledger { return market.NewLedger(s) },
		market.NewChores,
	)
}

// marketEdge is the JSON API, with what goes on behind it.
func marketEdge(parts config.Components) fx.Option {
	if !parts.Market {
		return fx.Options()
	}
	return fx.Options(
		asEdge(newMarketEdge),
		fx.Invoke(func(b background, c *market.Chores) { b.Run("chores of the market", c.Run) }),
	)
}

// activities are the use cases behind the JSON API.
type activities struct {
	fx.In
	Auth       *auth.Services
	Shelf      *market.Shelf
	Catalogue  *market.Catalogue
	Wanted     *market.Wanted
	Carts      *market.Carts
	Checkout   *market.Checkout
	Orders     *market.Orders
	Notices    *market.Notices
	Statistics *market.Statistics
	Tidying    *market.Tidying
}

func newMarketEdge(a activities, pages *web.Pages, s *config.Settings, clock system.Clock, log *slog.Logger) (edge, error) {
	cfg := rest.Default()
	cfg.Cookies, cfg.Streams = cookies(s), s.Limits.Streams
	e, err := rest.New(rest.Services{
		Accounts: a.Auth.Accounts, Sessions: a.Auth.Sessions, Passwords: a.Auth.Passwords, People: a.Auth.Users,
		Shelf: a.Shelf, Catalogue: a.Catalogue, Wanted: a.Wanted, Carts: a.Carts, Checkout: a.Checkout,
		Orders: a.Orders, Notices: a.Notices, Statistics: a.Statistics, Tidying: a.Tidying,
		Frame: func(w http.ResponseWriter, r *http.Request, page rest.Page) { pages.Show(w, r, web.Foreign(page)) },
	}, cfg, clock, log)
	if err != nil {
		return edge{}, err
	}
	return edge{
		below: "/api", noRoute: e.NoRoute, noMethod: e.NoMethod, refuse: e.Refuse,
		mount: func(engine *gin.Engine) error { return e.Register(engine) },
	}, nil
}
