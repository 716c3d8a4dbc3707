package rooms

import (
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/application/market/talking"
)

// Storage is what one adapter implements for all rooms.
type Storage interface {
	selling.Storage
	buying.Storage
	guarding.Storage
	talking.Storage
	market.Store
	market.BookReader
	market.RequestReader
	market.SearchIndex
	market.Vocabulary
	market.TitleReader
	market.PlaceReader
	market.SellerReader
	market.SavedSearchReader
	market.CourseReader
	market.CourseListReader
}
