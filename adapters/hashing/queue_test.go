package hashing

import (
	"context"
	"errors"
	"testing"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/poll"
)

// full returns a Hasher whose only slot is taken, with a queue of two.
func full(t *testing.T) *Hasher {
	t.Helper()
	h := must.Get(New(Config{Cost: MinCost, Workers: 1, Queue: 2}))(t)
	must.Do(t, h.acquire(t.Context()))
	return h
}

// queue starts n callers, waits until they are queued and returns their errors.
func queue(ctx context.Context, t *testing.T, h *Hasher, n int) <-chan error {
	t.Helper()
	done := make(chan error, n)
	before := h.CountWaiting()
	for range n {
		go func() { done <- h.acquire(ctx) }()
	}
	if !poll.Until(func() bool { return h.CountWaiting() >= before+n }) {
		t.Fatalf("%d wait", h.CountWaiting())
	}
	return done
}

func TestACallerIsRefusedAtOnceWhenTheQueueIsFull(t *testing.T) {
	h := full(t)
	waiting := queue(t.Context(), t, h, 2)
	_, err := h.HashPassword(t.Context(), "correct horse")
	if !errors.Is(err, ErrBusy) || fault.As(err).RetryAfter <= 0 {
		t.Errorf("the third caller: %v", err)
	}
	if _, _, err := h.VerifyPassword(t.Context(), "", "correct horse"); !errors.Is(err, ErrBusy) {
		t.Errorf("verify: %v, want %v", err, ErrBusy)
	}
	if h.CountRefused() != 2 {
		t.Errorf("%d were refused, want 2", h.CountRefused())
	}
	if _, err := h.FingerprintPassword(t.Context(), "correct horse", nil); !errors.Is(err, ErrBusy) {
		t.Errorf("fingerprint: %v, want %v", err, ErrBusy)
	}
	for range 2 {
		h.release()
		if err := <-waiting; err != nil {
			t.Error(err)
		}
	}
	h.release()
	if _, err := h.HashPassword(t.Context(), "correct horse"); err != nil || h.CountWaiting() != 0 {
		t.Errorf("after the queue has drained: %v, %d wait; want 0", err, h.CountWaiting())
	}
}

func TestACallerThatStopsWaitingLeavesTheQueue(t *testing.T) {
	h := full(t)
	ctx, cancel := context.WithCancel(t.Context())
	waiting := queue(ctx, t, h, 2)
	cancel()
	for range 2 {
		if err := <-waiting; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	again := queue(t.Context(), t, h, 1)
	h.release()
	if err := <-again; err != nil {
		t.Error(err)
	}
}
