// Package finding is the room of the market in which people look for books: the catalogue, searches,
// requests and what matches them, saved searches, and the books that courses need.
package finding

import (
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/job"
)

// Config has the settings of the room.
type Config struct {
	Standby Reader // nil: none
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

// New returns the use cases over the storage of an adapter.
func New(d market.Deps, s Reader, open Open, c Config) *Room {
	u := unit{Deps: d, In: in(open)}
	courses := func(r Reader) *Courses { return newCourses(u, r) }
	requests := newRequests(u, s)
	return &Room{
		Catalogue: NewCatalogue(s).WithStandby(market.Over(c.Standby, c.Reads, NewCatalogue)),
		Discovery: newDiscovery(s).WithStandby(market.Over(c.Standby, c.Reads, newDiscovery)),
		Requests:  requests, SavedSearches: newSavedSearches(u, s, requests), SearchMailer: newSearchMailer(u),
		Courses:     courses(s).WithStandby(market.Over(c.Standby, c.Reads, courses)),
		CourseLists: newCourseLists(u, s),
	}
}

// Join adds what the room does when something happens in another one.
func Join(h *market.Hooks, open Open) {
	in := in(open)
	h.BookListed.Add(market.InRoom(in, (*tx).findInterested))
	h.BookRevised.Add(market.InRoom(in, (*tx).forgetMatches))
	h.BookLeft.Add(market.InRoom(in, (*tx).tellBookGone))
	h.BookDelivered.Add(market.InRoom(in, (*tx).forgetHits))
	h.BooksBought.Add(market.InRoom(in, (*tx).fillRequests))
	h.OrderEnded.Add(market.InRoom(in, (*tx).reopenRequests))
	h.UserErased.Add(market.InRoom(in, (*tx).EraseUser))
	h.Does(market.MatchRequest, market.InRoom(in, (*tx).runRequestJob))
	for _, kind := range []job.Kind{market.MatchBook, market.NotifyBookGone, market.MatchSearches, market.ForgetHits} {
		h.Does(kind, market.OnBook(in, (*tx).runBookJob))
	}
}

// Periodic lists the work that the room does again and again.
func (r *Room) Periodic() []market.Periodic {
	return []market.Periodic{
		{Name: "mail_searches", Every: time.Minute, Do: r.SearchMailer.MailDue, Batch: SearchMailBatch},
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

// Open opens the room's store in a transaction.
type Open = func(market.Stores) Store

func in(open Open) func(*market.Tx) *tx {
	return func(t *market.Tx) *tx { return &tx{t, open(t.Stores)} }
}
