package wakeup_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/wakeup"
)

// waited returns how long one Wait takes while do runs.
func waited(t *testing.T, h *wakeup.Hub, due time.Duration, do func()) time.Duration {
	t.Helper()
	began, at := time.Now(), time.Time{}
	if due != 0 {
		at = began.Add(due)
	}
	var waiting sync.WaitGroup
	waiting.Go(func() { h.Wait(t.Context(), "mails", at) })
	synctest.Wait()
	do()
	waiting.Wait()
	return time.Since(began)
}

func nothing() {}

func TestALoopWaitsForTheNextDueTimeOrTheInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := wakeup.New()
		for _, arriving := range []bool{false, true} {
			h.SetArriving(arriving)
			waited(t, h, 0, nothing) // the change
			interval := wakeup.PollInterval
			if arriving {
				interval = wakeup.NetInterval
			}
			for due, want := range map[time.Duration]time.Duration{
				0: interval, time.Hour: interval, 300 * time.Millisecond: 300 * time.Millisecond,
				-time.Hour: wakeup.PollInterval, // it waits for something of which nobody notifies
			} {
				if got := waited(t, h, due, nothing); got != want {
					t.Errorf("arriving %v, due in %v: waited %v, want %v", arriving, due, got, want)
				}
			}
		}
	})
}

func TestANotificationWakesOneLoopOfItsTopicHereAndInOtherProcesses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := wakeup.New()
		h.SetArriving(true)
		waited(t, h, 0, nothing)
		var others []string
		h.NotifyOthers(func(topic string) { others = append(others, topic) })
		if got := waited(t, h, 0, func() { h.Notify("mails") }); got != 0 {
			t.Errorf("a notification woke after %v", got)
		}
		h.Notify("mails") // before the next wait, and twice
		h.Notify("mails")
		if first, second := waited(t, h, 0, nothing), waited(t, h, 0, nothing); first != 0 || second != wakeup.NetInterval {
			t.Errorf("two early notifications: waited %v, then %v", first, second)
		}
		if got := waited(t, h, 0, func() { h.Wake("events") }); got != wakeup.NetInterval {
			t.Errorf("another topic woke after %v", got)
		}
		if len(others) != 3 || others[0] != "mails" {
			t.Errorf("the other processes were notified of %q", others)
		}
	})
}

func TestEveryLoopLooksWhenNotificationsStopOrArriveAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := wakeup.New()
		for _, arriving := range []bool{true, false, true} {
			began := time.Now()
			var waiting sync.WaitGroup
			for range 4 {
				waiting.Go(func() { h.Wait(t.Context(), "mails", time.Time{}) })
			}
			synctest.Wait()
			h.SetArriving(arriving)
			h.SetArriving(arriving)
			waiting.Wait()
			if d := time.Since(began); d != 0 {
				t.Errorf("arriving %v: the last of four loops woke after %v", arriving, d)
			}
			if got := waited(t, h, 0, nothing); got != 0 {
				t.Errorf("arriving %v: a loop that was about to wait woke after %v", arriving, got)
			}
		}
	})
}

func TestAWaitEndsWithItsContextAndBeyondTheLimitOfTopicsByInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := wakeup.New()
		for i := range 1000 {
			h.Wake(string(rune('a' + i)))
		}
		if got := waited(t, h, 0, func() { h.Wake("mails") }); got != wakeup.PollInterval {
			t.Errorf("waited %v", got)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		began := time.Now()
		h.Wait(ctx, "a", time.Time{}) // the pending notification
		h.Wait(ctx, "a", time.Time{})
		if d := time.Since(began); d != 0 {
			t.Errorf("waited %v after the end", d)
		}
	})
}
