package httpx_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/user"
)

func TestTheUploadsOfOnePersonDoNotDelayThoseOfOthers(t *testing.T) {
	u := httpx.NewUploads()
	var ends []func()
	for range 3 {
		done, err := u.Begin(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, done)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := u.Begin(cancelled, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a fourth upload of one person: %v, want %v", err, context.Canceled)
	}
	done, err := u.Begin(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	done()
	for _, done := range ends {
		done()
	}
}

func TestUploadsAreBoundedAndNoneWaitsForEver(t *testing.T) {
	u := httpx.NewUploads()
	var running, most atomic.Int64
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			done, err := u.Begin(t.Context(), user.ID(1+i%20))
			if err != nil {
				t.Error(err)
				return
			}
			defer done()
			for n := running.Add(1); ; {
				if before := most.Load(); n <= before || most.CompareAndSwap(before, n) {
					break
				}
			}
			running.Add(-1)
		})
	}
	all.Wait()
	if most.Load() > 12 {
		t.Errorf("%d uploads at the same time", most.Load())
	}
}
