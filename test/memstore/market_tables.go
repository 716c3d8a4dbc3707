package memstore

import (
	"maps"
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// marketTables is what the marketplace keeps.
type marketTables struct {
	books    map[book.ID]book.Book
	terms    map[string]bool // of every book ever listed
	requests map[book.RequestID]book.Request
	filed    map[book.RequestID][]book.IndexEntry
	pairs    map[pairKey]pairRow
	carts    map[cartKey]time.Time
	orders   map[order.ID]order.Order
	entries  []order.Entry
	replies  map[replyKey]market.StoredResponse
	chores   map[int64]market.Job
	notices  map[noticeKey]notification.Notification
	lastOf   map[user.ID]notification.ID
}

type pairKey struct {
	book    book.ID
	request book.RequestID
}

type pairRow struct {
	book.Match
	holds bool
}

type cartKey struct {
	owner user.ID
	book  book.ID
}

type replyKey struct {
	owner user.ID
	key   string
}

type noticeKey struct {
	user user.ID
	id   notification.ID
}

func newMarketTables() marketTables {
	return marketTables{
		books:    map[book.ID]book.Book{},
		terms:    map[string]bool{},
		requests: map[book.RequestID]book.Request{},
		filed:    map[book.RequestID][]book.IndexEntry{},
		pairs:    map[pairKey]pairRow{},
		carts:    map[cartKey]time.Time{},
		orders:   map[order.ID]order.Order{},
		replies:  map[replyKey]market.StoredResponse{},
		chores:   map[int64]market.Job{},
		notices:  map[noticeKey]notification.Notification{},
		lastOf:   map[user.ID]notification.ID{},
	}
}

func (t marketTables) clone() marketTables {
	return marketTables{
		books:    maps.Clone(t.books),
		terms:    maps.Clone(t.terms),
		requests: maps.Clone(t.requests),
		filed:    maps.Clone(t.filed),
		pairs:    maps.Clone(t.pairs),
		carts:    maps.Clone(t.carts),
		orders:   maps.Clone(t.orders),
		entries:  slices.Clone(t.entries),
		replies:  maps.Clone(t.replies),
		chores:   maps.Clone(t.chores),
		notices:  maps.Clone(t.notices),
		lastOf:   maps.Clone(t.lastOf),
	}
}
