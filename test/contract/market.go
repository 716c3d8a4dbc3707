package contract

import (
	"testing"
)

// Market checks the promises of the market and of its ports over any store. open returns an
// empty one.
func Market(t *testing.T, open func(*testing.T) MarketBackend) {
	for name, suite := range map[string]func(*testing.T, func(*testing.T) *MarketFixture){
		"stores":          marketStores,
		"listings":        marketListings,
		"lists":           marketLists,
		"matching":        marketMatching,
		"campus admins":   marketCampus,
		"carts":           marketCarts,
		"photos":          marketPhotos,
		"conversations":   marketConversations,
		"blocks":          marketBlocks,
		"checkout":        marketCheckout,
		"idempotency":     marketIdempotency,
		"orders":          marketOrders,
		"withdrawals":     marketWithdrawals,
		"work queue":      marketQueue,
		"campus orders":   marketCampusOrders,
		"desks":           marketDesks,
		"quotas":          marketQuotas,
		"saved searches":  marketSavedSearches,
		"imports":         marketImports,
		"courses":         marketCourses,
		"history":         marketHistory,
		"deleted users":   marketDeleted,
		"reports":         marketReports,
		"trust":           marketTrust,
		"meetings":        marketMeetings,
		"suspended users": marketWithdrawn,
		"export":          marketExport,
		"notifications":   marketNotifications,
		"statistics":      marketStatistics,
		"search":          marketSearch,
		"index":           marketIndex,
		"discovery":       marketDiscovery,
		"events":          marketEvents,
		"currency":        marketCurrency,
		"prices":          marketPrices,
		"suggestions":     marketSuggestions,
	} {
		t.Run(name, func(t *testing.T) {
			suite(t, func(t *testing.T) *MarketFixture { return NewMarketFixture(open(t)) })
		})
	}
}

// each runs the named tests, each over an empty market.
func each(t *testing.T, open func(*testing.T) *MarketFixture, tests map[string]func(*testing.T, *MarketFixture)) {
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}
