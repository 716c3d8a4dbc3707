package limit_test

import (
	"errors"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/limit"
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
		{-time.Hour, 3, 0}, // the clock was set back
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
