package market_test

import (
	"testing"

	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/memstore"
)

func open(*testing.T) contract.MarketBackend { return contract.InMemory(memstore.New()) }

func TestTheMarketKeepsItsPromises(t *testing.T) { contract.Market(t, open) }

func TestNoOrderOfActionsBreaksTheMarket(t *testing.T) { contract.MarketLife(t, open) }

func TestConcurrentCallsDoNotBreakTheMarket(t *testing.T) { contract.MarketRaces(t, open) }
