package rooms

import (
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/application/market/talking"
)

// Storage is what one adapter implements for all rooms.
type Storage interface {
	buying.Storage
	guarding.Storage
	talking.Storage
	market.Store
	market.BookReader
	market.ListingReader
	market.RequestReader
	market.SearchIndex
	market.Vocabulary
	market.TitleReader
	market.PlaceReader
	market.SellerReader
	market.SaleReader
	market.PostReader
	market.PhotoReader
	market.SavedSearchReader
	market.ImportReader
	market.CourseReader
	market.CourseListReader
}
