package rooms

import (
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/application/market/talking"
)

// Storage is what one adapter implements for all rooms.
type Storage interface {
	selling.Storage
	buying.Storage
	finding.Storage
	guarding.Storage
	talking.Storage
	market.Store
	market.SellerReader
}
