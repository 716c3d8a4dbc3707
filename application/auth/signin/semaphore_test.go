package signin

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/octavo-books/octavo/test/must"
)

func TestCallersBeyondTheLimitOfAKeyWait(t *testing.T) {
	var all keyedSemaphore
	var wait sync.WaitGroup
	var inside, most atomic.Int64
	for range maxConcurrent + maxWaiting {
		wait.Go(func() {
			release, err := all.acquire(t.Context(), "ann")
			if err != nil {
				t.Error(err)
				return
			}
			for n := inside.Add(1); ; {
				if m := most.Load(); n <= m || most.CompareAndSwap(m, n) {
					break
				}
			}
			inside.Add(-1)
			release()
		})
	}
	wait.Wait()
	if most.Load() > maxConcurrent || len(all.keys) != 0 {
		t.Errorf("%d worked at a time, %d keys are left", most.Load(), len(all.keys))
	}
}

func TestACallerIsRefusedWhenTooManyWaitForTheSameKey(t *testing.T) {
	var all keyedSemaphore
	for range maxConcurrent + maxWaiting {
		if _, ok := all.reserve("ann"); !ok {
			t.Fatal("a caller is refused too early")
		}
	}
	must.Refuse(t, must.Err(all.acquire(t.Context(), "ann")), errTooManyWaiting, "one too many")
	release := must.Get(all.acquire(t.Context(), "bob"))(t)
	release()
}

func TestACallerThatStopsWaitingLeavesNothingBehind(t *testing.T) {
	var all keyedSemaphore
	var releases []func()
	for range maxConcurrent {
		release := must.Get(all.acquire(t.Context(), "ann"))(t)
		releases = append(releases, release)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	must.Refuse(t, must.Err(all.acquire(ctx, "ann")), context.Canceled, "got a slot of another caller")
	for _, release := range releases {
		release()
	}
	if len(all.keys) != 0 {
		t.Errorf("%d keys are left, want 0", len(all.keys))
	}
}
