package memstore_test

import (
	"testing"

	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/memstore"
)

func TestTheMarketKeepsItsPromisesInMemory(t *testing.T) {
	contract.Market(t, func(*testing.T) contract.MarketBackend { return contract.InMemory(memstore.New()) })
}

func TestTheMarketKeepsItsPromisesThoughEveryTransactionRunsTwice(t *testing.T) {
	contract.Market(t, func(*testing.T) contract.MarketBackend { return contract.InMemory(memstore.NewTwice()) })
}
