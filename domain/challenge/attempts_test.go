package challenge_test

import (
	"fmt"
	"testing"

	"github.com/octavo-books/octavo/domain/challenge"
)

// guess counts n tries of one guesser and says how many were let through.
func guess(t *challenge.Attempts, by challenge.Client, n int) (let int) {
	for range n {
		next, ok := t.Add(by)
		if *t = next; ok {
			let++
		}
	}
	return let
}

func TestStrangersCannotUseUpTheTriesOfAKnownSource(t *testing.T) {
	var tries challenge.Attempts
	all := 0
	for i := range 40 {
		let := guess(&tries, challenge.Client{Key: fmt.Sprintf("192.0.2.%d", i)}, 7)
		if let > challenge.MaxAttempts {
			t.Fatalf("%d tries from one source", let)
		}
		all += let
	}
	if all != challenge.MaxUnknownAttempts || len(tries.ByClient) > challenge.MaxUnknownAttempts {
		t.Errorf("%d tries from strangers, %d sources are kept", all, len(tries.ByClient))
	}
	if let := guess(&tries, challenge.Client{Key: "198.51.100.1", Known: true}, 7); let != challenge.MaxAttempts {
		t.Errorf("%d tries from a known source", let)
	}
}

func TestTriesBeforeASourceWasKnownStillCount(t *testing.T) {
	var tries challenge.Attempts
	guess(&tries, challenge.Client{Key: "a"}, 3)
	if let := guess(&tries, challenge.Client{Key: "a", Known: true}, 7); let != 2 {
		t.Errorf("%d more", let)
	}
}

func TestCountingLeavesTheEarlierCountAsItWas(t *testing.T) {
	var tries challenge.Attempts
	guess(&tries, challenge.Client{Key: "a"}, 1)
	before := tries
	guess(&tries, challenge.Client{Key: "a"}, 1)
	if before.ByClient["a"] != 1 || tries.ByClient["a"] != 2 {
		t.Errorf("%v became %v", before, tries)
	}
}
