// Package finding is the room of the market in which people look for books: the catalogue, searches,
// requests and what matches them, saved searches, and the books that courses need.
package finding

import (
	"log/slog"

	"github.com/octavo-books/octavo/application/market"
)

// Storage is what an adapter implements for the room.
type Storage interface {
	Opener
	StandbyStorage
	RequestReader
	SavedSearchReader
}

// StandbyStorage is what the room may read from a standby.
type StandbyStorage interface {
	BookReader
	SearchIndex
	Vocabulary
	TitleReader
	PlaceReader
	market.SellerReader
	CourseReader
	CourseListReader
	OwnBookReader
}

// Config is what the room is told.
type Config struct {
	Log     *slog.Logger   // of work that fails
	Standby StandbyStorage // nil: none
	Reads   *market.StandbyReads
}

// Room has the use cases of the room.
type Room struct {
	Catalogue     *Catalogue
	Discovery     *Discovery
	Requests      *Requests
	SavedSearches *SavedSearches
	SearchMailer  *SearchMailer
	Courses       *Courses
	CourseLists   *CourseLists
}

// New returns the use cases over a storage.
func New(d market.Deps, s Storage, c Config) *Room {
	u := unit{Deps: d, In: in(s)}
	catalogue := func(s StandbyStorage) *Catalogue { return NewCatalogue(s, s, s) }
	discovery := func(s StandbyStorage) *Discovery { return newDiscovery(catalogue(s), s, s, s) }
	courses := func(s StandbyStorage) *Courses {
		return newCourses(u, CourseDeps{Courses: s, Lists: s, Sellers: s, Titles: s, Own: s})
	}
	requests := newRequests(u, s, s)
	return &Room{
		Catalogue: catalogue(s).WithStandby(market.Over(c.Standby, c.Reads, catalogue)),
		Discovery: discovery(s).WithStandby(market.Over(c.Standby, c.Reads, discovery)),
		Requests:  requests, SavedSearches: newSavedSearches(u, s, requests), SearchMailer: newSearchMailer(u, c.Log),
		Courses:     courses(s).WithStandby(market.Over(c.Standby, c.Reads, courses)),
		CourseLists: newCourseLists(u, s),
	}
}

// tx is a transaction in progress: what all rooms share, and the stores of this one.
type tx struct {
	*market.Tx
	Store
}

type (
	unit = market.Unit[*tx]
	op   = market.IdempotentOp[*tx]
)

// Opener opens the room's stores of a transaction.
type Opener interface{ FindingStore(market.Stores) Store }

func in(o Opener) func(*market.Tx) *tx {
	return func(t *market.Tx) *tx { return &tx{t, o.FindingStore(t.Stores)} }
}
