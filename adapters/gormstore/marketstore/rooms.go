package marketstore

import (
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/application/market/talking"
)

// TalkingStore opens the room's store.
func (s *Store) TalkingStore(in market.Stores) talking.Store {
	c := in.Handle().(conn)
	return struct {
		conversations
		blocks
		notifications
	}{conversations{c}, blocks{c}, notifications{c}}
}

// GuardingStore opens the room's store.
func (s *Store) GuardingStore(in market.Stores) guarding.Store {
	c := in.Handle().(conn)
	return struct {
		reports
		orders
	}{reports{c}, orders{c}}
}

// BuyingStore opens the room's store.
func (s *Store) BuyingStore(in market.Stores) buying.Store {
	c := in.Handle().(conn)
	return struct {
		carts
		orders
		ratings
		desks
		meetings
		meetingPlaces
		handovers
		offers
	}{carts{c}, orders{c}, ratings{c}, desks{c}, meetings{c}, meetingPlaces{c}, handovers{c}, offers{c}}
}

// SellingStore opens the room's store.
func (s *Store) SellingStore(in market.Stores) selling.Store {
	c := in.Handle().(conn)
	return struct {
		books
		photos
		imports
		reports
	}{books{c, c.fullText(s.bounds), &s.words}, photos{c}, imports{c}, reports{c}}
}

// FindingStore opens the room's store.
func (s *Store) FindingStore(in market.Stores) finding.Store {
	c := in.Handle().(conn)
	text := c.fullText(s.bounds)
	return struct {
		requests
		matches
		savedSearches
		courses
	}{requests{c, text}, matches{c, text}, savedSearches{c}, courses{c}}
}
