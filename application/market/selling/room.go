// Package selling is the room of the market in which people offer books: listings, files of many
// books, photos, what books have sold for, and the end of old offers.
package selling

import (
	"time"

	"github.com/octavo-books/octavo/application/market"
)

// Config has the settings of the room.
type Config struct {
	Blobs    BlobStore
	Pictures PictureConverter
	FindISBN FindISBN // nil: none
	Standby  Reader   // nil: none
	Reads    *market.StandbyReads
}

// Room has the use cases of the room.
type Room struct {
	Listings       *Listings
	ExpireListings *ExpireListings
	Imports        *Imports
	Photos         *Photos
	PhotoSweeper   *PhotoSweeper
	Prices         *Prices
	ISBNLookup     *ISBNLookup
}

// New returns the use cases over the storage of an adapter.
func New(d market.Deps, s Reader, open Open, c Config) *Room {
	u := unit{Deps: d, In: in(open)}
	prices := func(s Reader) *Prices { return newPrices(s, d.Clock) }
	return &Room{
		Listings: newListings(u, s), ExpireListings: newExpireListings(u), Imports: newImports(u, s),
		Photos: newPhotos(u, s, c.Blobs, c.Pictures), PhotoSweeper: newPhotoSweeper(u, c.Blobs),
		Prices: prices(s).WithStandby(market.Over(c.Standby, c.Reads, prices)), ISBNLookup: newISBNLookup(s, c.FindISBN),
	}
}

// Join adds what the room does when something happens in another one.
func Join(h *market.Hooks, open Open) {
	in := in(open)
	h.UserErased.Add(market.InRoom(in, (*tx).erase))
	h.UserWithdrawn.Add(market.InRoom(in, (*tx).withdraw))
	h.UserMoves.Add(market.InRoom(in, (*tx).awaitCheckouts))
	h.Does(market.PostImport, market.InRoom(in, (*tx).continueImport))
}

// Periodic lists the work that the room does again and again.
func (r *Room) Periodic() []market.Periodic {
	return []market.Periodic{
		{Name: "delete_photos", Every: 5 * time.Minute, Do: r.PhotoSweeper.Sweep},
		{Name: "measure_photos", Every: 5 * time.Minute, Do: market.Once(r.PhotoSweeper.Measure)},
		{Name: "delete_imports", Every: time.Hour, Do: r.Imports.DeleteOld},
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
	return func(t *market.Tx) *tx { return &tx{t, watch(open(t.Stores), t.Changes)} }
}
