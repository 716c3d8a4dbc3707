package memstore

import (
	"context"
	"maps"
	"slices"

	"github.com/octavo-books/octavo/application/market"
)

// Market implements the ports of the market.
type Market struct{ s *Store }

// Market returns the ports of the market.
func (s *Store) Market() *Market { return &Market{s} }

// table is one of the stores of a transaction, which holds the lock.
type table struct{ *marketTables }

// Atomically is market.Store.
func (m *Market) Atomically(ctx context.Context, do func(context.Context, market.Stores) error) error {
	return m.s.atomically(ctx, func() error { return do(ctx, m.s.marketStores()) })
}

// marketStores are the stores of one transaction, which holds the lock.
func (s *Store) marketStores() market.Stores {
	t := table{&s.tables.market}
	return market.Stores{
		Books: bookTable{t}, Requests: requestTable{t}, Matches: matchTable{t}, Carts: cartTable{t}, Photos: photoTable{t}, Conversations: conversationTable{t}, Blocks: blockTable{t},
		Orders: orderTable{t}, IdempotencyKeys: idempotencyTable{t}, Jobs: jobTable{t, s.wakeups},
		Users: userTable{s}, Notifications: notificationTable{s}, Outbox: outboxTable{s}, AuditLog: auditTable{s}, Desks: deskTable{t}, Meetings: meetingTable{t}, MeetingEnder: meetingTable{t}, MeetingPlaces: meetingPlaceTable{t}, Handovers: handoverTable{t}, Quotas: quotaTable{t}, Digests: digestTable{t}, Reports: reportTable{t}, Ratings: ratingTable{t}, SavedSearches: searchTable{t}, Imports: importTable{t}, Courses: courseTable{t}, Currency: currencyTable{t},
		OnCommit: func(do func()) { s.onCommit = append(s.onCommit, do) },
	}
}

// rows reads under the lock.
func rows[T any](ctx context.Context, m *Market, read func(*marketTables) []T) ([]T, error) {
	var out []T
	err := m.s.read(ctx, func() error {
		out = read(&m.s.tables.market)
		return nil
	})
	return out, err
}

// pick returns the values of a table that pass, sorted, at most n.
func pick[K comparable, V any](all map[K]V, n int, order func(a, b V) int, pass func(V) bool) []V {
	var out []V
	for v := range maps.Values(all) {
		if pass(v) {
			out = append(out, v)
		}
	}
	slices.SortFunc(out, order)
	return out[:min(n, len(out))]
}
