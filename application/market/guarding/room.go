// Package guarding is the room of the market from which admins watch over it: reports and what they
// decide about them, the history of books, and statistics.
package guarding

import (
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/report"
)

// Config has the settings of the room.
type Config struct {
	Threshold report.Threshold
	Zone      *time.Location // of the days of statistics
	Suspend   SuspendAccount
	Blobs     BlobStore
	Pictures  PictureConverter
	Standby   Reader // nil: none
	Reads     *market.StandbyReads
}

// Room has the use cases of the room.
type Room struct {
	Reports    *Reports
	Moderation *Moderation
	BookAdmin  *BookAdmin
	Statistics *Statistics
	Decisions  *Decisions
	Problems   *Problems
}

// New returns the use cases over the storage of an adapter.
func New(d market.Deps, s Reader, open Open, c Config) *Room {
	u := unit{Deps: d, In: in(open)}
	statistics := func(s Reader) *Statistics { return newStatistics(s, d.Clock, c.Zone) }
	return &Room{
		Reports: newReports(u, s, c.Threshold), Moderation: newModeration(u, s, c.Suspend), BookAdmin: newBookAdmin(u, s),
		Statistics: statistics(s).WithStandby(market.Over(c.Standby, c.Reads, statistics)), Decisions: newDecisions(s),
		Problems: newProblems(u, s, c.Blobs, c.Pictures),
	}
}

// Join adds what the room does when something happens in another one.
func Join(h *market.Hooks, open Open) {
	in := in(open)
	h.UserErased.Add(market.InRoom(in, (*tx).removeReportsOf))
	h.UserMoves.Add(market.InRoom(in, (*tx).refuseMove))
}

// Periodic lists the work that the room does again and again.
func (r *Room) Periodic() []market.Periodic {
	return []market.Periodic{
		{Name: "delete_reports", Every: time.Hour, Do: r.Reports.DeleteOld},
		{Name: "delete_report_photos", Every: time.Hour, Do: r.Problems.SweepPhotos},
	}
}

// tx is a transaction in progress: what all rooms share, and the stores of this one.
type tx struct {
	*market.Tx
	Store
}

type unit = market.Unit[*tx]

// Open opens the room's store in a transaction.
type Open = func(market.Stores) Store

func in(open Open) func(*market.Tx) *tx {
	return func(t *market.Tx) *tx { return &tx{t, watch(open(t.Stores), t.Changes)} }
}
