package contract

import (
	"testing"
)

// Market checks the promises of the market and of its ports over any store. open returns an
// empty one.
func Market(t *testing.T, open func(*testing.T) MarketBackend) {
	searching.run(t, open)
	others.run(t, open)
}

// MarketOfManyBooks runs the suites of Market that search books or list them by several
// criteria, over a store that treats few books as many.
func MarketOfManyBooks(t *testing.T, open func(*testing.T) MarketBackend) { searching.run(t, open) }

type marketSuite func(*testing.T, func(*testing.T) *MarketFixture)

type marketSuites map[string]marketSuite

func (all marketSuites) run(t *testing.T, open func(*testing.T) MarketBackend) {
	for name, suite := range all {
		t.Run(name, func(t *testing.T) { suite(t, func(t *testing.T) *MarketFixture { return NewMarketFixture(open(t)) }) })
	}
}

var searching = marketSuites{
	"stores":          marketStores,
	"listings":        marketListings,
	"lists":           marketLists,
	"campus admins":   marketCampus,
	"photos":          marketPhotos,
	"checkout":        marketCheckout,
	"orders":          marketOrders,
	"withdrawals":     marketWithdrawals,
	"saved searches":  marketSavedSearches,
	"imports":         marketImports,
	"history":         marketHistory,
	"deleted users":   marketDeleted,
	"reports":         marketReports,
	"suspended users": marketWithdrawn,
	"search":          marketSearch,
	"index":           marketIndex,
	"discovery":       marketDiscovery,
}

var others = marketSuites{
	"jobs":                       marketJobs,
	"matching":                   marketMatching,
	"carts":                      marketCarts,
	"conversations":              marketConversations,
	"blocks":                     marketBlocks,
	"idempotency":                marketIdempotency,
	"work queue":                 marketQueue,
	"campus orders":              marketCampusOrders,
	"desks":                      marketDesks,
	"decisions":                  marketDecisions,
	"moves":                      marketMoves,
	"quotas":                     marketQuotas,
	"limits":                     marketLimits,
	"digests":                    marketDigests,
	"mails about unlisted books": marketUnlistedMails,
	"courses":                    marketCourses,
	"trust":                      marketTrust,
	"meetings":                   marketMeetings,
	"settlement":                 marketSettlement,
	"lapses":                     marketLapses,
	"export":                     marketExport,
	"notifications":              marketNotifications,
	"statistics":                 marketStatistics,
	"events":                     marketEvents,
	"currency":                   marketCurrency,
	"offers":                     marketOffers,
	"push":                       marketPush,
	"prices":                     marketPrices,
	"suggestions":                marketSuggestions,
}

// each runs the named tests, each over an empty market.
func each(t *testing.T, open func(*testing.T) *MarketFixture, tests map[string]func(*testing.T, *MarketFixture)) {
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}
