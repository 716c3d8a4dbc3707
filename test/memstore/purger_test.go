package memstore_test

import (
	"testing"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/memstore"
)

func TestPurger(t *testing.T) {
	contract.Purger(t, func(*testing.T) (market.Purger, func() []market.SurrogateKey, func()) {
		p := &memstore.Purger{}
		return p, p.Purged, func() {}
	})
}
