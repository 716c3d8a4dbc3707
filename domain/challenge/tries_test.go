package challenge_test

import (
	"fmt"
	"testing"

	"github.com/octavo-books/octavo/domain/challenge"
)

// guess counts n tries of one guesser and says how many were let through.
func guess(t *challenge.Tries, by challenge.Guesser, n int) (let int) {
	for range n {
		next, ok := t.Count(by)
		if *t = next; ok {
			let++
		}
	}
	return let
}

func TestStrangersCannotUseUpTheTriesOfAKnownSource(t *testing.T) {
	var tries challenge.Tries
	all := 0
	for i := range 40 {
		let := guess(&tries, challenge.Guesser{Source: fmt.Sprintf("192.0.2.%d", i)}, 7)
		if let > challenge.MaxTries {
			t.Fatalf("%d tries from one source", let)
		}
		all += let
	}
	if all != challenge.MaxStrangerTries || len(tries.From) > challenge.MaxStrangerTries {
		t.Errorf("%d tries from strangers, %d sources are kept", all, len(tries.From))
	}
	if let := guess(&tries, challenge.Guesser{Source: "198.51.100.1", Known: true}, 7); let != challenge.MaxTries {
		t.Errorf("%d tries from a known source", let)
	}
}

func TestTriesBeforeASourceWasKnownStillCount(t *testing.T) {
	var tries challenge.Tries
	guess(&tries, challenge.Guesser{Source: "a"}, 3)
	if let := guess(&tries, challenge.Guesser{Source: "a", Known: true}, 7); let != 2 {
		t.Errorf("%d more", let)
	}
}

func TestCountingLeavesTheEarlierCountAsItWas(t *testing.T) {
	var tries challenge.Tries
	guess(&tries, challenge.Guesser{Source: "a"}, 1)
	before := tries
	guess(&tries, challenge.Guesser{Source: "a"}, 1)
	if before.From["a"] != 1 || tries.From["a"] != 2 {
		t.Errorf("%v became %v", before, tries)
	}
}
