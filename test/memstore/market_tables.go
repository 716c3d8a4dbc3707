package memstore

import (
	"maps"
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/course"
	"github.com/octavo-books/octavo/domain/desk"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/rating"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/savedsearch"
	"github.com/octavo-books/octavo/domain/user"
)

// marketTables are the tables of the marketplace.
type marketTables struct {
	currency         string // empty until one is kept
	books            map[book.ID]book.Book
	terms            map[string]bool // of every book ever listed
	requests         map[book.RequestID]book.Request
	indexEntries     map[book.RequestID][]book.IndexEntry
	matches          map[matchKey]matchRow
	carts            map[cartKey]time.Time
	cartPrices       map[cartKey]money.Amount
	searches         map[savedsearch.ID]savedsearch.Search
	searchKeys       map[savedsearch.ID][]string
	searchHits       map[searchHitKey]searchHit
	imports          map[user.ID]market.StoredImport
	importLines      map[user.ID][]market.ImportLine
	courseLists      map[course.ListID]course.List
	courses          map[course.ID]market.PlacedCourse
	choices          map[choiceKey]time.Time
	photos           map[photo.ID]photo.Photo
	conversations    map[conversation.ID]conversation.Conversation
	messages         map[conversation.MessageID]conversation.Message
	blocks           map[int64]conversation.Block
	orders           map[order.ID]order.Order
	ledger           []order.Entry
	responses        map[responseKey]market.StoredResponse
	jobs             map[int64]market.Job
	notifications    map[notificationKey]notification.Notification
	lastNotification map[user.ID]notification.ID
	desks            map[string]desk.Desk // by their keys
	meetings         map[meeting.ID]meeting.Proposal
	places           map[meeting.PlaceID]meeting.Place
	tries            map[order.ID]meeting.Tries
	reports          map[report.ID]report.Report
	ratings          map[ratingKey]rating.Rating
	uses             map[useKey]limit.Use // of quotas
	digests          map[digestKey]message.Digest
}

type matchKey struct {
	book    book.ID
	request book.RequestID
}

type matchRow struct {
	book.Match
	valid bool
}

type cartKey struct {
	owner user.ID
	book  book.ID
}

type responseKey struct {
	owner user.ID
	key   string
}

type notificationKey struct {
	user user.ID
	id   notification.ID
}

func newMarketTables() marketTables {
	return marketTables{
		books:            map[book.ID]book.Book{},
		terms:            map[string]bool{},
		requests:         map[book.RequestID]book.Request{},
		indexEntries:     map[book.RequestID][]book.IndexEntry{},
		matches:          map[matchKey]matchRow{},
		carts:            map[cartKey]time.Time{},
		cartPrices:       map[cartKey]money.Amount{},
		searches:         map[savedsearch.ID]savedsearch.Search{},
		searchKeys:       map[savedsearch.ID][]string{},
		searchHits:       map[searchHitKey]searchHit{},
		imports:          map[user.ID]market.StoredImport{},
		importLines:      map[user.ID][]market.ImportLine{},
		courseLists:      map[course.ListID]course.List{},
		courses:          map[course.ID]market.PlacedCourse{},
		choices:          map[choiceKey]time.Time{},
		photos:           map[photo.ID]photo.Photo{},
		conversations:    map[conversation.ID]conversation.Conversation{},
		messages:         map[conversation.MessageID]conversation.Message{},
		blocks:           map[int64]conversation.Block{},
		orders:           map[order.ID]order.Order{},
		responses:        map[responseKey]market.StoredResponse{},
		jobs:             map[int64]market.Job{},
		notifications:    map[notificationKey]notification.Notification{},
		lastNotification: map[user.ID]notification.ID{},
		desks:            map[string]desk.Desk{},
		meetings:         map[meeting.ID]meeting.Proposal{},
		places:           map[meeting.PlaceID]meeting.Place{},
		tries:            map[order.ID]meeting.Tries{},
		reports:          map[report.ID]report.Report{},
		ratings:          map[ratingKey]rating.Rating{},
		uses:             map[useKey]limit.Use{},
		digests:          map[digestKey]message.Digest{},
	}
}

func (t marketTables) clone() marketTables {
	return marketTables{
		currency:         t.currency,
		books:            maps.Clone(t.books),
		terms:            maps.Clone(t.terms),
		requests:         maps.Clone(t.requests),
		indexEntries:     maps.Clone(t.indexEntries),
		matches:          maps.Clone(t.matches),
		carts:            maps.Clone(t.carts),
		cartPrices:       maps.Clone(t.cartPrices),
		searches:         maps.Clone(t.searches),
		searchKeys:       maps.Clone(t.searchKeys),
		searchHits:       maps.Clone(t.searchHits),
		imports:          maps.Clone(t.imports),
		importLines:      maps.Clone(t.importLines),
		courseLists:      maps.Clone(t.courseLists),
		courses:          maps.Clone(t.courses),
		choices:          maps.Clone(t.choices),
		photos:           maps.Clone(t.photos),
		conversations:    maps.Clone(t.conversations),
		messages:         maps.Clone(t.messages),
		blocks:           maps.Clone(t.blocks),
		orders:           maps.Clone(t.orders),
		ledger:           slices.Clone(t.ledger),
		responses:        maps.Clone(t.responses),
		jobs:             maps.Clone(t.jobs),
		notifications:    maps.Clone(t.notifications),
		lastNotification: maps.Clone(t.lastNotification),
		desks:            maps.Clone(t.desks),
		meetings:         maps.Clone(t.meetings),
		places:           maps.Clone(t.places),
		tries:            maps.Clone(t.tries),
		reports:          maps.Clone(t.reports),
		ratings:          maps.Clone(t.ratings),
		uses:             maps.Clone(t.uses),
		digests:          maps.Clone(t.digests),
	}
}
