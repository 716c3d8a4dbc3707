package rooms

import (
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/application/market/pushing"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/application/market/talking"
)

// Storage is what one adapter implements for all rooms.
type Storage interface {
	market.Store
	selling.Reader
	buying.Reader
	finding.Reader
	guarding.Reader
	talking.Reader
	pushing.Reader

	// The stores of each room in a transaction.

	SellingStore(in market.Stores) selling.Store
	BuyingStore(in market.Stores) buying.Store
	FindingStore(in market.Stores) finding.Store
	GuardingStore(in market.Stores) guarding.Store
	TalkingStore(in market.Stores) talking.Store
	PushingStore(in market.Stores) pushing.Store
}
