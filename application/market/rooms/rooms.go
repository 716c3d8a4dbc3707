// Package rooms lists the rooms of the marketplace, once for everybody who opens them: the JSON
// API, the pages, the worker and the tests.
package rooms

import (
	"log/slog"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/application/market/talking"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/report"
)

// The rooms.
type (
	Selling  = selling.Room
	Buying   = buying.Room
	Guarding = guarding.Room
	Talking  = talking.Room
)

// Market has all use cases of the marketplace.
type Market struct {
	*Selling
	*Buying
	*Guarding
	*Talking

	Catalogue     *market.Catalogue
	Discovery     *market.Discovery
	Requests      *market.Requests
	SavedSearches *market.SavedSearches
	CourseLists   *market.CourseLists
	Courses       *market.Courses

	// The work behind them.
	Jobs         *market.Jobs
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
	Blobs     selling.BlobStore
	Pictures  selling.PictureConverter
	ISBNs     selling.ISBNTable // nil: none
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
		Selling:  selling.New(d, s, c.selling()),
		Buying:   buying.New(d, s, buying.Config{Fee: c.Fee, Handovers: c.Handovers, Log: c.Log}),
		Guarding: guarding.New(d, s, c.guarding()),
		Talking:  talking.New(d, s),

		Catalogue:   newCatalogue(s).WithStandby(market.Over(c.Standby, c.Reads, newCatalogue)),
		Discovery:   newDiscovery(s).WithStandby(market.Over(c.Standby, c.Reads, newDiscovery)),
		Requests:    market.NewRequests(d, s, s),
		CourseLists: market.NewCourseLists(d, s),

		Jobs:         market.NewJobs(d),
		SearchMailer: market.NewSearchMailer(d, c.Log), DigestMailer: market.NewDigestMailer(d, c.Log),
	}
	m.SavedSearches = market.NewSavedSearches(d, s, m.Requests)
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

func (c Config) selling() selling.Config {
	return selling.Config{Blobs: c.Blobs, Pictures: c.Pictures, ISBNs: c.ISBNs, Standby: c.Standby, Reads: c.Reads}
}

func (c Config) guarding() guarding.Config {
	return guarding.Config{Threshold: c.Threshold, Zone: c.Zone, Accounts: c.Accounts, Standby: c.Standby, Reads: c.Reads}
}

// Opener opens the stores of all rooms.
type Opener interface {
	selling.Opener
	buying.Opener
	guarding.Opener
	talking.Opener
}

// Join returns the dependencies with what the rooms do for each other. Their order is that in which
// they lock.
func Join(d market.Deps, o Opener) market.Deps {
	h := &market.Hooks{}
	market.Join(h)
	selling.Join(h, o)
	guarding.Join(h, o)
	buying.Join(h, o)
	talking.Join(h, o)
	d.Hooks = h
	return d
}

// NewExport returns the export of what all rooms store about a user.
func NewExport(s Storage, c money.Currency) *market.Export {
	return market.NewExport(c, selling.NewExporter(s), market.NewExportOfSeekers(s), buying.NewExporter(s),
		talking.NewExporter(s), guarding.NewExporter(s))
}
