package assembly

import (
	"context"
	"crypto/ecdsa"
	"log/slog"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/operations"
	"github.com/octavo-books/octavo/adapters/rest"
	"github.com/octavo-books/octavo/adapters/seal"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/report"
	"go.uber.org/fx"
)

// marketplace is the core of the marketplace.
func marketplace(parts config.Components) fx.Option {
	if !parts.Market {
		return fx.Options()
	}
	return fx.Options(people(), fx.Provide(
		newMarketStore,
		func(s *marketstore.Store, clock system.Clock, ids *system.IDs, notifier *market.Notifier, marks market.WriteMarks, purger market.Purger, settings *config.Settings) market.Deps {
			return market.Deps{Store: s, Clock: clock, IDs: ids, Notifier: notifier, Marks: marks, Purger: purger, Currency: settings.MarketCurrency(), Guard: new(market.CurrencyGuard), Handover: settings.HandoverMode(), Limits: marketLimits(settings), OpenPurchases: order.PurchaseLimit(settings.Limits.OpenPurchases), Settlement: settings.SettlementOfSales(), OrderLapses: settings.OrderLapse(), PublishEvents: settings.PublishEvents(parts)}
		},
		func(d market.Deps, s *marketstore.Store) *market.Listings { return market.NewListings(d, s) },
		newStandby, newCatalogue, newDiscovery,
		func(d market.Deps, s *marketstore.Store) *market.Requests { return market.NewRequests(d, s, s) },
		func(d market.Deps, s *marketstore.Store) *market.Carts { return market.NewCarts(d, s) },
		func(d market.Deps, s *config.Settings) *market.Checkout {
			return market.NewCheckout(d, order.FeeRate(s.Market.FeeBPS))
		},
		func(d market.Deps, s *marketstore.Store) *market.Orders { return market.NewOrders(d, s, s) },
		func(d market.Deps, s *marketstore.Store) *market.Desks { return market.NewDesks(d, s) },
		func(d market.Deps, s *marketstore.Store) *market.Tradable { return market.NewTradable(d, s, s) },
		func(d market.Deps, s *marketstore.Store) *market.BookAdmin { return market.NewBookAdmin(d, s, s, s) },
		func(s *marketstore.Store, d market.Deps) *market.Notifications {
			return market.NewNotifications(d, s, s)
		},
		newStatistics,
		market.NewExpireListings,
		newPrices,
		newISBNLookup,
		func(s *marketstore.Store) *market.Ledger { return market.NewLedger(s) },
		func(d market.Deps, s *marketstore.Store, log *slog.Logger) *market.JobRunner {
			return market.NewJobRunner(d, s, log)
		},
	))
}

// marketLimits returns the limits of what one person may list.
func marketLimits(s *config.Settings) market.Limits {
	return market.Limits{Posts: s.Limits.Posts, ImportLines: s.Limits.ImportLines}
}

// people are the use cases in which students deal with each other, and find what is not there yet.
func people() fx.Option {
	return fx.Provide(
		func(d market.Deps, s *marketstore.Store) *market.Conversations {
			return market.NewConversations(d, s, s)
		},
		func(d market.Deps, s *marketstore.Store) *market.Blocks { return market.NewBlocks(d, s) },
		market.NewConversationSweeper,
		newMeetings,
		func(d market.Deps, s *marketstore.Store, settings *config.Settings) *market.Reports {
			return market.NewReports(d, s, report.Threshold{Reports: settings.Market.ReportThreshold, MinPrice: settings.ReportMinPrice()})
		},
		newModeration,
		func(s *marketstore.Store) *market.Decisions { return market.NewDecisions(s) },
		func(d market.Deps, s *marketstore.Store) *market.Trust { return market.NewTrust(d, s, s) },
		func(d market.Deps, s *marketstore.Store, r *market.Requests) *market.SavedSearches {
			return market.NewSavedSearches(d, s, r)
		},
		market.NewSearchMailer,
		market.NewDigestMailer,
		func(d market.Deps, s *marketstore.Store) *market.Imports { return market.NewImports(d, s) },
		func(d market.Deps, s *marketstore.Store) *market.CourseLists { return market.NewCourseLists(d, s) },
		newCourses,
	)
}

// newMarketStore refuses a database that holds amounts in another currency: 1,250 pence are not
// 1,250 cents.
func newMarketStore(life lifetime, db *gormstore.DB, sealer outboxstore.Sealer, s *config.Settings) (*marketstore.Store, error) {
	store := marketstore.New(db, sealer)
	ctx, cancel := context.WithTimeout(life, startTimeout)
	defer cancel()
	var kept string
	err := store.Atomically(ctx, func(ctx context.Context, stores market.Stores) (err error) {
		kept, err = stores.Currency.KeepCurrency(ctx, s.MarketCurrency())
		return err
	})
	if err == nil && kept != s.MarketCurrency().Code() {
		err = config.Errorf("CURRENCY", "%s cannot replace %s: the database holds prices in %s. Set CURRENCY=%s, or use another database", s.Market.Currency, kept, kept, kept)
	}
	return store, err
}

// newMeetings derives the secret of the codes from the private key, which every process that
// serves the market has. With a new key the buyers see new codes.
func newMeetings(d market.Deps, s *marketstore.Store, o *market.Orders, key *ecdsa.PrivateKey) (*market.Meetings, error) {
	secret, err := seal.DeriveKey(key, "handover codes")
	return market.NewMeetings(d, o, s, secret), err
}

// newISBNLookup opens the table of ISBN_TABLE, if there is one, until the program stops.
func newISBNLookup(life fx.Lifecycle, s *marketstore.Store, settings *config.Settings) (*market.ISBNLookup, error) {
	table, err := settings.OpenISBNTable()
	if err != nil || table == nil {
		return market.NewISBNLookup(s, nil), err
	}
	life.Append(fx.StopHook(table.Close))
	return market.NewISBNLookup(s, table), nil
}

// marketRoutes serves the JSON API and runs the background jobs of the market.
func marketRoutes(parts config.Components) fx.Option {
	if !parts.Market {
		return fx.Options()
	}
	return fx.Options(
		asRoutes(newMarketRoutes),
		fx.Invoke(func(b background, j *market.JobRunner) { b.Run("jobs of the market", j.Run) }, watchJobs),
		check(func(s *marketstore.Store) operations.Check {
			return operations.Check{Name: "jobs", Probe: noDeadJobs(s)}
		}),
		fx.Invoke(func(b background, o *market.Orders, log *slog.Logger) {
			b.Run("orders that lapse", market.NewOrderSweeper(o, log).Run)
		}),
		fx.Invoke(func(b background, m *market.SearchMailer) { b.Run("mails about saved searches", m.Run) }),
		fx.Invoke(func(b background, m *market.DigestMailer) { b.Run("digests of mails", m.Run) }),
		fx.Invoke(watchStandby, mergeSearchIndex, sweepPhotos, sweepReports, sweepConversations, sweepImports),
	)
}

// mergeSearchIndex merges the search index regularly, because posts and sales fragment it.
func mergeSearchIndex(b background, s *marketstore.Store, log *slog.Logger) {
	b.Run("merging the search index", func(ctx context.Context) {
		repeat(ctx, mergeEvery, func() {
			if err := s.MergeSearchIndex(ctx); err != nil && ctx.Err() == nil {
				log.Warn("merge the search index", "error", err)
			}
		})
	})
}

const mergeEvery = 10 * time.Minute

// sweepConversations deletes old conversations.
func sweepConversations(b background, s *market.ConversationSweeper, log *slog.Logger) {
	b.Run("deleting old conversations", func(ctx context.Context) {
		repeat(ctx, sweepConversationsEvery, func() {
			if _, err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
				log.Warn("delete old conversations", "error", err)
			}
		})
	})
}

const sweepConversationsEvery = time.Hour

// activities are the use cases behind the JSON API.
type activities struct {
	fx.In
	Auth           *auth.Services
	Listings       *market.Listings
	Catalogue      *market.Catalogue
	Photos         *market.Photos
	Conversations  *market.Conversations
	Blocks         *market.Blocks
	Uploads        *httpx.Uploads
	Requests       *market.Requests
	Carts          *market.Carts
	Checkout       *market.Checkout
	Orders         *market.Orders
	Notifications  *market.Notifications
	Statistics     *market.Statistics
	ExpireListings *market.ExpireListings
	Prices         *market.Prices
	ISBNLookup     *market.ISBNLookup
	Reports        *market.Reports
	Moderation     *market.Moderation
	Trust          *market.Trust
	Meetings       *market.Meetings
	SavedSearches  *market.SavedSearches
	Imports        *market.Imports
	CourseLists    *market.CourseLists
	Courses        *market.Courses
}

func newMarketRoutes(a activities, pages *web.Pages, s *config.Settings, clock system.Clock, log *slog.Logger) (routeGroup, error) {
	cfg := rest.Default()
	cfg.Cookies, cfg.MaxStreams, cfg.Currency = cookies(s), s.Limits.Streams, s.MarketCurrency()
	domains, err := s.Campus()
	if err != nil {
		return routeGroup{}, err
	}
	cfg.Campus, cfg.Keys = domains, surrogateKeys(s)
	e, err := rest.New(rest.Services{
		Watch: a.Auth.Authenticator, Accounts: a.Auth.Accounts, Sessions: a.Auth.Sessions, Passwords: a.Auth.Passwords, People: a.Auth.Users,
		Listings: a.Listings, Catalogue: a.Catalogue, Photos: a.Photos, Uploads: a.Uploads, Conversations: a.Conversations, Blocks: a.Blocks, Requests: a.Requests, Carts: a.Carts, Checkout: a.Checkout,
		Orders: a.Orders, Notifications: a.Notifications, Statistics: a.Statistics, ExpireListings: a.ExpireListings,
		Prices: a.Prices, ISBNLookup: a.ISBNLookup, Reports: a.Reports, Moderation: a.Moderation, Trust: a.Trust, Meetings: a.Meetings, SavedSearches: a.SavedSearches, Imports: a.Imports, CourseLists: a.CourseLists, Courses: a.Courses,
		Layout: func(w http.ResponseWriter, r *http.Request, page rest.Page) {
			pages.RenderEmbedded(w, r, web.EmbeddedPage(page))
		},
	}, cfg, clock, log)
	if err != nil {
		return routeGroup{}, err
	}
	return routeGroup{
		below: "/api", noRoute: e.NoRoute, noMethod: e.NoMethod, refuse: e.WriteError,
		mount: func(engine *gin.Engine) error { return e.Register(engine) },
	}, nil
}

const sweepImportsEvery = time.Hour

func sweepImports(b background, i *market.Imports, log *slog.Logger) {
	b.Run("deleting old imports", func(ctx context.Context) {
		repeat(ctx, sweepImportsEvery, func() {
			if _, err := i.DeleteOld(ctx); err != nil && ctx.Err() == nil {
				log.Warn("delete old imports", "error", err)
			}
		})
	})
}
