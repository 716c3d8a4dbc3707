package system_test

import (
	"crypto/rand"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/test/fake"
)

func TestIDsIncreaseEvenWhenTheClockIsSetBack(t *testing.T) {
	clock := fake.NewClock()
	ids := system.NewIDs(clock, rand.Reader)
	last := ids.Next()
	for i := range 10_000 {
		clock.Advance(time.Duration(i%7-3) * time.Millisecond)
		next := ids.Next()
		if next <= last {
			t.Fatalf("%d after %d", next, last)
		}
		last = next
	}
}

func TestConcurrentCallersNeverGetTheSameID(t *testing.T) {
	ids := system.NewIDs(system.Clock{}, rand.Reader)
	const callers, each = 16, 2_000
	var mu sync.Mutex
	var wg sync.WaitGroup
	seen := make(map[int64]bool, callers*each)
	for range callers {
		wg.Go(func() {
			for range each {
				n := ids.Next()
				mu.Lock()
				if n <= 0 || seen[n] {
					t.Errorf("id %d is repeated", n)
				}
				seen[n] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}

func TestTheClockIsInUTCAndInMicroseconds(t *testing.T) {
	now := system.Clock{}.Now()
	if now.Location() != time.UTC || now.Nanosecond()%1000 != 0 {
		t.Errorf("now = %v", now)
	}
}
