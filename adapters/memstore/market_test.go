package memstore_test

import (
	"testing"

	"github.com/octavo-books/octavo/adapters/memstore"
	"github.com/octavo-books/octavo/test/contract"
)

func TestTheMarketKeepsItsPromisesInMemory(t *testing.T) {
	contract.Market(t, func(*testing.T) contract.MarketSide { return contract.InMemory(memstore.New()) })
}
