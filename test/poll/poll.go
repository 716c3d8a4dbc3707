// Package poll waits in tests for what happens at a time of its own.
package poll

import (
	"testing"
	"time"
)

// Limit is how long a test waits before it fails. A busy machine needs a minute for what an idle one does in
// a second; a test that passes never waits longer than it has to.
const Limit = 2 * time.Minute

// Until calls ok every few milliseconds until it reports true. It reports false if that takes longer than
// Limit.
func Until(ok func() bool) bool {
	for deadline := time.Now().Add(Limit); !ok(); <-time.After(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

// For is Until for tests that have nothing more to say if it never comes.
func For(t testing.TB, what string, ok func() bool) {
	t.Helper()
	if !Until(ok) {
		t.Fatalf("waited in vain: %s", what)
	}
}
