// Package selling is the room of the market in which people offer books: listings, files of many
// books, photos, what books have sold for, and the end of old offers.
package selling

import "github.com/octavo-books/octavo/application/market"

// Config is what the room is told.
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
