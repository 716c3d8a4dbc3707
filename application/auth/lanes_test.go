package auth

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

func TestOfOneNameAFewAreAtWorkAndTheRestWait(t *testing.T) {
	var all lanes
	var wait sync.WaitGroup
	var inside, most atomic.Int64
	for range laneWidth + laneRoom {
		wait.Go(func() {
			leave, err := all.enter(t.Context(), "ann")
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
			leave()
		})
	}
	wait.Wait()
	if most.Load() > laneWidth || len(all.of) != 0 {
		t.Errorf("%d at once, %d names remembered", most.Load(), len(all.of))
	}
}

func TestBeyondTheRoomOneIsRefusedAndOtherNamesAreNot(t *testing.T) {
	var all lanes
	for range laneWidth + laneRoom {
		if _, ok := all.join("ann"); !ok {
			t.Fatal("refused too early")
		}
	}
	if _, err := all.enter(t.Context(), "ann"); !errors.Is(err, errLaneFull) {
		t.Errorf("beyond the room: %v", err)
	}
	leave, err := all.enter(t.Context(), "bob")
	if err != nil {
		t.Fatal(err)
	}
	leave()
}

func TestWhoGivesUpWaitingLeavesNothingBehind(t *testing.T) {
	var all lanes
	var leaves []func()
	for range laneWidth {
		leave, err := all.enter(t.Context(), "ann")
		if err != nil {
			t.Fatal(err)
		}
		leaves = append(leaves, leave)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := all.enter(ctx, "ann"); !errors.Is(err, context.Canceled) {
		t.Errorf("got a place that others have: %v", err)
	}
	for _, leave := range leaves {
		leave()
	}
	if len(all.of) != 0 {
		t.Errorf("%d names remembered", len(all.of))
	}
}
