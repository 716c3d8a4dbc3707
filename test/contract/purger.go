package contract

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/test/poll"
)

// Purger checks the promises of market.Purger. open returns a purger, the keys that the cache has
// been told to purge so far, and a function that makes the cache hang until the test ends.
func Purger(t *testing.T, open func(*testing.T) (p market.Purger, purged func() []market.SurrogateKey, hang func())) {
	t.Run("the cache is told each key", func(t *testing.T) {
		p, purged, _ := open(t)
		p.Purge("book-1", "seller-2")
		awaitPurged(t, purged, "book-1")
		awaitPurged(t, purged, "seller-2")
		p.Purge("book-3")
		awaitPurged(t, purged, "book-3")
		if slices.Contains(purged(), market.Everything) {
			t.Error("three keys are a reason to purge everything")
		}
	})
	t.Run("many keys at once are purged, or everything is", func(t *testing.T) {
		p, purged, _ := open(t)
		for i := range 20_000 {
			p.Purge(market.SurrogateKey(fmt.Sprintf("book-%d", i)))
		}
		for _, i := range []int{0, 9_999, 19_999} {
			awaitPurged(t, purged, market.SurrogateKey(fmt.Sprintf("book-%d", i)))
		}
	})
	t.Run("nobody waits for a cache that hangs", func(t *testing.T) {
		p, _, hang := open(t)
		hang()
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range 1_000 {
				p.Purge("book-1")
			}
		}()
		select {
		case <-done:
		case <-time.After(time.Minute):
			t.Fatal("purging has not returned")
		}
	})
}

// awaitPurged waits until the cache has been told a key, or everything.
func awaitPurged(t *testing.T, purged func() []market.SurrogateKey, key market.SurrogateKey) {
	t.Helper()
	poll.For(t, string(key)+" is purged", func() bool {
		keys := purged()
		return slices.Contains(keys, key) || slices.Contains(keys, market.Everything)
	})
}
