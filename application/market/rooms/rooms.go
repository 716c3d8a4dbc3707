// Package rooms lists the rooms of the marketplace, once for everybody who opens them: the JSON
// API, the pages, the worker and the tests.
package rooms

import (
	"log/slog"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/application/market/talking"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/report"
)

// The rooms.
type (
	Buying   = buying.Room
	Guarding = guarding.Room
	Talking  = talking.Room
)

// Market has all use cases of the marketplace.
type Market struct {
	*Buying
	*Guarding
	*Talking

	Listings       *market.Listings
	Catalogue      *market.Catalogue
	Discovery      *market.Discovery
	Requests       *market.Requests
	ExpireListings *market.ExpireListings
	Prices         *market.Prices
	ISBNLookup     *market.ISBNLookup
	SavedSearches  *market.SavedSearches
	Imports        *market.Imports
	CourseLists    *market.CourseLists
	Courses        *market.Courses
	Photos         *market.Photos

	// The work behind them.
	Jobs         *market.Jobs
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
	Accounts  guarding.AccountSuspender
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
		Buying:   buying.New(d, s, buying.Config{Fee: c.Fee, Handovers: c.Handovers, Log: c.Log}),
		Guarding: guarding.New(d, s, c.guarding()),
		Talking:  talking.New(d, s),

		Listings:       market.NewListings(d, s),
		Catalogue:      newCatalogue(s).WithStandby(market.Over(c.Standby, c.Reads, newCatalogue)),
		Discovery:      newDiscovery(s).WithStandby(market.Over(c.Standby, c.Reads, newDiscovery)),
		Requests:       market.NewRequests(d, s, s),
		ExpireListings: market.NewExpireListings(d),
		ISBNLookup:     market.NewISBNLookup(s, c.ISBNs),
		Imports:        market.NewImports(d, s), CourseLists: market.NewCourseLists(d, s),
		Photos: market.NewPhotos(d, s, c.Blobs, c.Pictures),

		Jobs:         market.NewJobs(d),
		PhotoSweeper: market.NewPhotoSweeper(d, c.Blobs),
		SearchMailer: market.NewSearchMailer(d, c.Log), DigestMailer: market.NewDigestMailer(d, c.Log),
	}
	m.SavedSearches = market.NewSavedSearches(d, s, m.Requests)
	prices := func(s Storage) *market.Prices { return market.NewPrices(s, d.Clock) }
	m.Prices = prices(s).WithStandby(market.Over(c.Standby, c.Reads, prices))
	courses := func(s Storage) *market.Courses {
		return market.NewCourses(d, market.CourseDeps{Courses: s, Lists: s, Sellers: s, Titles: s, Own: s})
	}
	m.Courses = courses(s).WithStandby(market.Over(c.Standby, c.Reads, courses))
	return m
}

func newCatalogue(s Storage) *market.Catalogue { return market.NewCatalogue(s, s, s) }

func newDiscovery(s Storage) *market.Discovery {
	return market.NewDiscovery(market.NewCatalogue(s, s, s), s, s, s)
}

func (c Config) guarding() guarding.Config {
	return guarding.Config{Threshold: c.Threshold, Zone: c.Zone, Accounts: c.Accounts, Standby: c.Standby, Reads: c.Reads}
}

// Opener opens the stores of all rooms.
type Opener interface {
	buying.Opener
	guarding.Opener
	talking.Opener
}

// Join returns the dependencies with what the rooms do for each other. Their order is that in which
// they lock.
func Join(d market.Deps, o Opener) market.Deps {
	h := &market.Hooks{}
	market.Join(h)
	guarding.Join(h, o)
	buying.Join(h, o)
	talking.Join(h, o)
	d.Hooks = h
	return d
}

// NewExport returns the export of what all rooms store about a user.
func NewExport(s Storage, c money.Currency) *market.Export {
	return market.NewExport(c, market.NewExportOfSellers(s), market.NewExportOfSeekers(s), buying.NewExporter(s),
		talking.NewExporter(s), guarding.NewExporter(s))
}
