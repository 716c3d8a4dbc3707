package challenge_test

import (
	"fmt"
	"testing"

	"github.com/octavo-books/octavo/domain/challenge"
)

// attempt adds n attempts of one client and returns how many were allowed.
func attempt(t *challenge.Attempts, by challenge.Client, n int) (allowed int) {
	for range n {
		next, ok := t.Add(by)
		if *t = next; ok {
			allowed++
		}
	}
	return allowed
}

func TestUnknownClientsCannotUseUpTheAttemptsOfAKnownOne(t *testing.T) {
	var attempts challenge.Attempts
	all := 0
	for i := range 40 {
		n := attempt(&attempts, challenge.Client{Key: fmt.Sprintf("192.0.2.%d", i)}, 7)
		if n > challenge.MaxAttempts {
			t.Fatalf("%d attempts by one client", n)
		}
		all += n
	}
	if all != challenge.MaxUnknownAttempts || len(attempts.ByClient) > challenge.MaxUnknownAttempts {
		t.Errorf("%d attempts by unknown clients, %d clients are stored", all, len(attempts.ByClient))
	}
	if n := attempt(&attempts, challenge.Client{Key: "198.51.100.1", Known: true}, 7); n != challenge.MaxAttempts {
		t.Errorf("%d attempts by a known client", n)
	}
}

func TestAttemptsBeforeAClientBecameKnownStillCount(t *testing.T) {
	var attempts challenge.Attempts
	attempt(&attempts, challenge.Client{Key: "a"}, 3)
	if n := attempt(&attempts, challenge.Client{Key: "a", Known: true}, 7); n != 2 {
		t.Errorf("%d more attempts are allowed", n)
	}
}

func TestAddDoesNotChangeTheValueItIsCalledOn(t *testing.T) {
	var attempts challenge.Attempts
	attempt(&attempts, challenge.Client{Key: "a"}, 1)
	before := attempts
	attempt(&attempts, challenge.Client{Key: "a"}, 1)
	if before.ByClient["a"] != 1 || attempts.ByClient["a"] != 2 {
		t.Errorf("%v became %v", before, attempts)
	}
}
