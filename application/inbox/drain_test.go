package inbox_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/octavo-books/octavo/test/meminbox"
)

// While the HTTP server finishes its requests, their deliveries are stored but not
// sent, because the grace period of the running sends has begun.
func TestWhileDrainingDeliveriesAreStoredButNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := meminbox.New()
		h := start(t, setup{rules: rules("push=" + shop)}, store)
		h.target.answer(shop, takes(9*time.Second))
		h.accept("begun", "push", "{}")
		h.settle()
		h.svc.Drain()
		h.settle()
		h.accept("late", "push", "{}")
		h.pass(10 * time.Second)
		h.target.want(h, "begun 1")
		for _, id := range []string{"begun", "late"} {
			h.wantState(id, "pending")
			if job := h.job(id); job.Attempts != 0 {
				t.Errorf("%s has %d attempts", id, job.Attempts)
			}
		}
		h.end()
		again := start(t, setup{rules: rules("push=" + shop)}, store)
		again.settle()
		again.wantState("begun", "delivered")
		again.wantState("late", "delivered")
		again.end()
	})
}
