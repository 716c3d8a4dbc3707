package memstore_test

import (
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/memstore"
)

func TestWriteMarks(t *testing.T) {
	contract.WriteMarks(t, func(_ *testing.T, maxLag time.Duration) market.WriteMarks { return memstore.NewWriteMarks(maxLag) })
}
