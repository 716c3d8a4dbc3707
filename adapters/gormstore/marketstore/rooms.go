package marketstore

import (
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/buyingstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/findingstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/guardingstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/pushingstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/sellingstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/talkingstore"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/application/market/pushing"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/application/market/talking"
)

var _ rooms.Storage = (*Store)(nil)

// What the rooms read.
type (
	sellingReader  = sellingstore.Reader
	buyingReader   = buyingstore.Reader
	findingReader  = findingstore.Reader
	talkingReader  = talkingstore.Reader
	guardingReader = guardingstore.Reader
	pushingReader  = pushingstore.Reader
)

func handleOf(in market.Stores) marketrows.Handle { return in.Handle().(marketrows.Handle) }

// SellingStore opens the room's store.
func (s *Store) SellingStore(in market.Stores) selling.Store {
	c := handleOf(in)
	return struct {
		books
		sellingstore.Store
	}{s.booksOf(c), sellingstore.Open(c)}
}

// BuyingStore opens the room's store.
func (s *Store) BuyingStore(in market.Stores) buying.Store { return buyingstore.Open(handleOf(in)) }

// FindingStore opens the room's store.
func (s *Store) FindingStore(in market.Stores) finding.Store {
	return s.Open(handleOf(in))
}

// TalkingStore opens the room's store.
func (s *Store) TalkingStore(in market.Stores) talking.Store { return talkingstore.Open(handleOf(in)) }

// PushingStore opens the room's store.
func (s *Store) PushingStore(in market.Stores) pushing.Store { return pushingstore.Open(handleOf(in)) }

// GuardingStore opens the room's store.
func (s *Store) GuardingStore(in market.Stores) guarding.Store {
	return guardingstore.Open(handleOf(in))
}
