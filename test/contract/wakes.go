package contract

import (
	"context"
	"testing"
	"time"
)

// wakes checks that wait ends after the change, and that it ends with its context. The adapter
// must not poll within the time that this takes.
func wakes(t *testing.T, what string, wait func(context.Context), change func()) {
	t.Helper()
	ended := make(chan struct{})
	go func() { defer close(ended); wait(t.Context()) }()
	change()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Errorf("%s wakes nobody", what)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	wait(over)
}
