package rooms

import "github.com/octavo-books/octavo/application/market"

// Storage is what one adapter implements for all rooms.
type Storage interface {
	market.Store
	market.BookReader
	market.ListingReader
	market.CartReader
	market.RequestReader
	market.OrderReader
	market.NotificationReader
	market.NotificationMarker
	market.SearchIndex
	market.Vocabulary
	market.TitleReader
	market.PlaceReader
	market.SellerReader
	market.StatisticsReader
	market.StaffReader
	market.LedgerReader
	market.SaleReader
	market.PostReader
	market.DeskReader
	market.BookHistoryReader
	market.PhotoReader
	market.ReportReader
	market.RatingReader
	market.MeetingReader
	market.MeetingPlaceReader
	market.SavedSearchReader
	market.ImportReader
	market.CourseReader
	market.CourseListReader
	market.ConversationReader
	market.ReportedConversationReader
	market.BlockReader
}
