// Package buyingstore stores what people buy: carts, orders, meetings, ratings, offers.
package buyingstore

import "github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"

// Reader implements buying.Reader.
type Reader struct {
	*marketrows.Source
	Bounds Bounds
}

// Store implements buying.Store.
type Store struct {
	carts
	orders
	ratings
	desks
	meetings
	meetingPlaces
	handovers
	offers
}

// Open returns the room's store in a transaction.
func Open(c marketrows.Handle) Store {
	return Store{carts{c}, orders{c}, ratings{c}, desks{c}, meetings{c}, meetingPlaces{c}, handovers{c}, offers{c}}
}

// NewReader returns the reader over a source.
func NewReader(of *marketrows.Source) Reader { return Reader{of, defaultBounds} }

// Bounds limit how many orders a search considers.
type Bounds struct {
	Newest, Titles int // newest orders that it compares, and those whose titles it may compare, see searchOrders
}

var defaultBounds = Bounds{Newest: 1_000, Titles: 20_000}
