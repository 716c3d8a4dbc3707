package limit_test

import (
	"errors"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/limit"
	"pgregory.net/rapid"
)

func TestAQuotaAllowsItsUsesInEachPeriod(t *testing.T) {
	q := limit.Quota{Name: "messages", Max: 3, Period: time.Minute}
	start := time.Date(2026, time.November, 23, 9, 0, 0, 0, time.UTC)
	var u limit.Use
	for _, step := range []struct {
		at   time.Duration
		n    int
		wait time.Duration // 0: allowed
	}{
		{0, 1, 0},
		{20 * time.Second, 2, 0},
		{20 * time.Second, 1, 40 * time.Second},
		{59 * time.Second, 1, time.Second},
		{time.Minute, 2, 0},
		{90 * time.Second, 2, 30 * time.Second},
		{90 * time.Second, 1, 0},
		{time.Minute - time.Second, 1, 61 * time.Second}, // another clock is slow
		{-time.Hour, 3, 0},                               // the clock was set back
		{time.Hour, 4, time.Minute},
	} {
		next, err := q.Take(u, step.n, start.Add(step.at))
		var f *fault.Error
		switch {
		case step.wait == 0 && err != nil:
			t.Errorf("%v: %d more are refused: %v", step.at, step.n, err)
		case step.wait != 0 && (!errors.Is(err, limit.ErrQuota) || !errors.As(err, &f) || f.RetryAfter != step.wait):
			t.Errorf("%v: %d more: %v", step.at, step.n, err)
		}
		if err == nil {
			u = next
		}
	}
}

func TestUsesAtTheSameTimeCountInAnyOrder(t *testing.T) {
	q := limit.Quota{Name: "messages", Max: 60, Period: time.Minute}
	rapid.Check(t, func(t *rapid.T) {
		var u limit.Use
		passed := 0
		for range 2 * q.Max {
			now := noon.Add(time.Duration(rapid.Int64Range(0, int64(q.Period)-1).Draw(t, "clock")) - q.Period/2)
			if next, err := q.Take(u, 1, now); err == nil {
				u = next
				passed++
			}
		}
		if passed != q.Max {
			t.Fatalf("%d of %d pass", passed, q.Max)
		}
	})
}
