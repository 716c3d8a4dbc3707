package auth

import (
	"context"
	"sync"
	"testing"
)

func TestOfOneAddressOneHasItsTurnAtATime(t *testing.T) {
	var all turns
	var wait sync.WaitGroup
	inside, most := 0, 0
	for range 50 {
		wait.Go(func() {
			done, err := all.take(t.Context(), "ada@campus.edu")
			if err != nil {
				t.Error(err)
				return
			}
			inside++
			most = max(most, inside)
			inside--
			done()
		})
	}
	wait.Wait()
	if most != 1 || len(all.of) != 0 {
		t.Errorf("%d at once, %d addresses remembered", most, len(all.of))
	}
}

func TestOtherAddressesDoNotWait(t *testing.T) {
	var all turns
	done, err := all.take(t.Context(), "ada@campus.edu")
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	other, err := all.take(t.Context(), "bob@campus.edu")
	if err != nil {
		t.Fatal(err)
	}
	other()
}

func TestWhoGivesUpWaitingLeavesNothingBehind(t *testing.T) {
	var all turns
	done, err := all.take(t.Context(), "ada@campus.edu")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := all.take(ctx, "ada@campus.edu"); err == nil {
		t.Error("got a turn that somebody else has")
	}
	done()
	if len(all.of) != 0 {
		t.Errorf("%d addresses remembered", len(all.of))
	}
}
