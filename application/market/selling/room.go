// Package selling is the room of the market in which people offer books: listings, files of many
// books, photos, what books have sold for, and the end of old offers.
package selling

import "github.com/octavo-books/octavo/application/market"

// Storage is what an adapter implements for the room.
type Storage interface {
	Opener
	Reader
}

// Config is what the room is told.
type Config struct {
	Blobs    BlobStore
	Pictures PictureConverter
	ISBNs    ISBNTable // nil: none
	Standby  Reader    // nil: none
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

// New returns the use cases over a storage.
func New(d market.Deps, s Storage, c Config) *Room {
	u := unit{Deps: d, In: in(s)}
	prices := func(s Reader) *Prices { return newPrices(s, d.Clock) }
	return &Room{
		Listings: newListings(u, s), ExpireListings: newExpireListings(u), Imports: newImports(u, s),
		Photos: newPhotos(u, s, c.Blobs, c.Pictures), PhotoSweeper: newPhotoSweeper(u, c.Blobs),
		Prices: prices(s).WithStandby(market.Over(c.Standby, c.Reads, prices)), ISBNLookup: newISBNLookup(s, c.ISBNs),
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
type Opener interface{ SellingStore(market.Stores) Store }

func in(o Opener) func(*market.Tx) *tx {
	return func(t *market.Tx) *tx { return &tx{t, watch(o.SellingStore(t.Stores), t.Changes)} }
}
