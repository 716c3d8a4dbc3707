package rooms

import (
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/application/market/talking"
)

// Storage is what one adapter implements for all rooms.
type Storage interface {
	guarding.Storage
	talking.Storage
	market.Store
	market.BookReader
	market.ListingReader
	market.CartReader
	market.RequestReader
	market.OrderReader
	market.SearchIndex
	market.Vocabulary
	market.TitleReader
	market.PlaceReader
	market.SellerReader
	market.LedgerReader
	market.SaleReader
	market.PostReader
	market.DeskReader
	market.PhotoReader
	market.RatingReader
	market.MeetingReader
	market.MeetingPlaceReader
	market.SavedSearchReader
	market.ImportReader
	market.CourseReader
	market.CourseListReader
}
