// Package rooms lists the rooms of the marketplace, once for everybody who opens them: the JSON
// API, the pages, the worker and the tests.
package rooms

import (
	"log/slog"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/talking"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/report"
)

// The rooms.
type (
	Talking = talking.Room
)

// Market has all use cases of the marketplace.
type Market struct {
	*Talking

	Listings       *market.Listings
	Catalogue      *market.Catalogue
	Discovery      *market.Discovery
	Requests       *market.Requests
	Carts          *market.Carts
	Checkout       *market.Checkout
	Orders         *market.Orders
	Desks          *market.Desks
	Tradable       *market.Tradable
	BookAdmin      *market.BookAdmin
	Statistics     *market.Statistics
	ExpireListings *market.ExpireListings
	Prices         *market.Prices
	ISBNLookup     *market.ISBNLookup
	Ledger         *market.Ledger
	Meetings       *market.Meetings
	Reports        *market.Reports
	Moderation     *market.Moderation
	Decisions      *market.Decisions
	Trust          *market.Trust
	SavedSearches  *market.SavedSearches
	Imports        *market.Imports
	CourseLists    *market.CourseLists
	Courses        *market.Courses
	Photos         *market.Photos

	// The work behind them.
	Jobs         *market.Jobs
	OrderSweeper *market.OrderSweeper
	PhotoSweeper *market.PhotoSweeper
	SearchMailer *market.SearchMailer
	DigestMailer *market.DigestMailer
}

// Config is what the rooms are told, besides what market.Deps say.
type Config struct {
	Fee       order.FeeRate
	Threshold report.Threshold
	Handovers meeting.Secret // the key of all codes
	Zone      *time.Location // of the days of statistics
	Log       *slog.Logger   // of work that fails
	Blobs     market.BlobStore
	Pictures  market.PictureConverter
	ISBNs     market.ISBNTable // nil: none
	Accounts  market.AccountSuspender
	// Standby is a storage that follows; nil: none. Reads decides when it is read.
	Standby Storage
	Reads   *market.StandbyReads
}

// New returns the use cases over a storage.
func New(d market.Deps, s Storage, c Config) *Market {
	if d.Hooks == nil {
		d = Join(d, s)
	}
	m := &Market{
		Talking: talking.New(d, s),

		Listings:  market.NewListings(d, s),
		Catalogue: newCatalogue(s).WithStandby(over(c, newCatalogue)),
		Discovery: newDiscovery(s).WithStandby(over(c, newDiscovery)),
		Requests:  market.NewRequests(d, s, s),
		Carts:     market.NewCarts(d, s), Checkout: market.NewCheckout(d, c.Fee), Orders: market.NewOrders(d, s, s),
		Desks: market.NewDesks(d, s), Tradable: market.NewTradable(d, s, s), BookAdmin: market.NewBookAdmin(d, s, s, s),
		ExpireListings: market.NewExpireListings(d),
		ISBNLookup:     market.NewISBNLookup(s, c.ISBNs), Ledger: market.NewLedger(s),
		Reports: market.NewReports(d, s, c.Threshold), Moderation: market.NewModeration(d, s, c.Accounts), Decisions: market.NewDecisions(s),
		Trust: market.NewTrust(d, s, s), Imports: market.NewImports(d, s), CourseLists: market.NewCourseLists(d, s),
		Photos: market.NewPhotos(d, s, c.Blobs, c.Pictures),

		Jobs:         market.NewJobs(d),
		PhotoSweeper: market.NewPhotoSweeper(d, c.Blobs),
		SearchMailer: market.NewSearchMailer(d, c.Log), DigestMailer: market.NewDigestMailer(d, c.Log),
	}
	m.Meetings = market.NewMeetings(d, m.Orders, s, c.Handovers)
	m.SavedSearches = market.NewSavedSearches(d, s, m.Requests)
	m.OrderSweeper = market.NewOrderSweeper(m.Orders, c.Log)
	prices := func(s Storage) *market.Prices { return market.NewPrices(s, d.Clock) }
	m.Prices = prices(s).WithStandby(over(c, prices))
	statistics := func(s Storage) *market.Statistics { return market.NewStatistics(s, d.Clock, c.Zone) }
	m.Statistics = statistics(s).WithStandby(over(c, statistics))
	courses := func(s Storage) *market.Courses {
		return market.NewCourses(d, market.CourseDeps{Courses: s, Lists: s, Sellers: s, Titles: s, Own: s})
	}
	m.Courses = courses(s).WithStandby(over(c, courses))
	return m
}

func newCatalogue(s Storage) *market.Catalogue { return market.NewCatalogue(s, s, s) }

func newDiscovery(s Storage) *market.Discovery {
	return market.NewDiscovery(market.NewCatalogue(s, s, s), s, s, s)
}

// over returns a use case over the standby.
func over[U any](c Config, of func(Storage) *U) market.OnStandby[U] {
	if c.Standby == nil {
		return market.OnStandby[U]{}
	}
	return market.OnStandby[U]{UseCase: of(c.Standby), Reads: c.Reads}
}

// Opener opens the stores of all rooms.
type Opener interface {
	talking.Opener
}

// Join returns the dependencies with what the rooms do for each other. Their order is that in which
// they lock.
func Join(d market.Deps, o Opener) market.Deps {
	h := &market.Hooks{}
	market.Join(h)
	talking.Join(h, o)
	d.Hooks = h
	return d
}

// NewExport returns the export of what all rooms store about a user.
func NewExport(s Storage, c money.Currency) *market.Export {
	return market.NewExport(c, market.NewExportOfSellers(s), market.NewExportOfSeekers(s), market.NewExportOfTraders(s),
		talking.NewExporter(s), market.NewExportOfReporters(s))
}
