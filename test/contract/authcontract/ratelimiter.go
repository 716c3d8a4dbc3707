package authcontract

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/test/must"
	"pgregory.net/rapid"
)

var monday = time.Date(2026, time.September, 7, 9, 0, 0, 0, time.UTC)

// RateLimiter tests that a RateLimiter applies limit.Rule, even under concurrent requests.
func RateLimiter(t *testing.T, open func(t *testing.T) auth.RateLimiter) {
	t.Run("requests are counted by the rule, all or none", func(t *testing.T) { limitsFollowRule(t, open(t)) })
	t.Run("no more concurrent requests than the burst are allowed", func(t *testing.T) { limitsAtOnce(t, open(t)) })
	t.Run("clocks that differ by less than a step allow no more concurrent requests", func(t *testing.T) { limitsOfClocks(t, open(t)) })
	t.Run("a reset deletes the count", func(t *testing.T) { limitsForget(t, open(t)) })
}

func limitsFollowRule(t *testing.T, l auth.RateLimiter) {
	rules := []limit.Rule{
		{Burst: 1, Period: time.Minute}, {Burst: 3, Period: time.Minute}, {Burst: 2, Period: 90 * time.Second, MaxWait: 10 * time.Minute},
	}
	run := 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		model := map[string]limit.State{}
		now := monday
		for range rapid.IntRange(1, 15).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.Int64Range(0, 60_000_000).Draw(t, "pause µs")) * time.Microsecond)
			if rapid.IntRange(0, 9).Draw(t, "the clock is set back") == 0 {
				now = now.Add(-time.Duration(rapid.Int64Range(0, 7_200_000_000).Draw(t, "by µs")) * time.Microsecond)
			}
			var requests []limit.Request
			for i, rule := range rules {
				if rapid.Bool().Draw(t, fmt.Sprintf("counts rule %d", i)) {
					requests = append(requests, limit.Request{Name: fmt.Sprintf("run %d rule %d", run, i), Rule: rule})
				}
			}
			for _, r := range requests { // counts nothing
				_, wait := r.Rule.Allow(model[r.Name], now)
				if got, err := l.CheckLimit(ctx, now, r); err != nil || got != wait {
					t.Fatalf("would wait %s, %v; want %s", got, err, wait)
				}
			}
			want := expected(model, now, requests)
			got, err := l.AllowRequests(ctx, now, requests...)
			if err != nil || (got == 0) != (want == 0) || want > 0 && (got <= 0 || got > want) {
				t.Fatalf("waits %s, %v; want %s", got, err, want)
			}
		}
	})
}

// expected returns the longest wait. If it is 0 the model counts all requests.
func expected(model map[string]limit.State, now time.Time, requests []limit.Request) time.Duration {
	var longest time.Duration
	next := map[string]limit.State{}
	for _, a := range requests {
		s, wait := a.Rule.Allow(model[a.Name], now)
		next[a.Name], longest = s, max(longest, wait)
	}
	if longest == 0 {
		maps.Copy(model, next)
	}
	return longest
}

func limitsAtOnce(t *testing.T, l auth.RateLimiter) {
	rule := limit.Rule{Burst: 10, Period: time.Hour}
	var allowed, failed atomic.Int64
	must.Together(60, func(int) {
		wait, err := l.AllowRequests(ctx, monday, limit.Request{Name: "many", Rule: rule}, limit.Request{Name: "more", Rule: limit.Rule{Burst: 100, Period: time.Hour}})
		switch {
		case err != nil:
			failed.Add(1)
			t.Error(err)
		case wait == 0:
			allowed.Add(1)
		}
	})
	if allowed.Load() != 10 || failed.Load() != 0 {
		t.Fatalf("%d requests were allowed", allowed.Load())
	}
}

// A clock that is slow can make the last request of a burst wait.
func limitsOfClocks(t *testing.T, l auth.RateLimiter) {
	rule := limit.Rule{Burst: 10, Period: time.Hour}
	var allowed atomic.Int64
	must.Together(2*rule.Burst, func(int) {
		wait, err := l.AllowRequests(ctx, monday.Add(rand.N(limit.MaxClockSkew)), limit.Request{Name: "clocks", Rule: rule})
		if err != nil {
			t.Error(err)
		} else if wait == 0 {
			allowed.Add(1)
		}
	})
	if n := int(allowed.Load()); n > rule.Burst || n < rule.Burst-1 {
		t.Errorf("%d requests were allowed", n)
	}
}

func limitsForget(t *testing.T, l auth.RateLimiter) {
	request := limit.Request{Name: "once", Rule: limit.Rule{Burst: 1, Period: time.Hour}}
	for range 3 {
		if wait, err := l.AllowRequests(ctx, monday, request); err != nil || wait != 0 {
			t.Fatalf("waits %s, %v; want 0", wait, err)
		}
		if wait, err := l.AllowRequests(ctx, monday, request); err != nil || wait != time.Hour {
			t.Fatalf("waits %s, %v; want %s", wait, err, time.Hour)
		}
		must.Do(t, l.ResetLimit(ctx, "once"))
	}
	must.Do(t, l.ResetLimit(ctx, "never counted"))
}
