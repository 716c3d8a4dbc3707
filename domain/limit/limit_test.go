package limit_test

import (
	"errors"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/limit"
	"pgregory.net/rapid"
)

var noon = time.Date(2026, time.September, 7, 12, 0, 0, 0, time.UTC)

func TestABurstIsAllowedAndThenARate(t *testing.T) {
	r := limit.Rule{Burst: 5, Period: time.Hour}
	var s limit.State
	var wait time.Duration
	for i := range 5 {
		if s, wait = r.Allow(s, noon); wait != 0 {
			t.Fatalf("request %d of 5 has to wait %s", i+1, wait)
		}
	}
	if _, wait = r.Allow(s, noon); wait != 12*time.Minute {
		t.Fatalf("the sixth waits %s", wait)
	}
	if _, early := r.Allow(s, noon.Add(wait-1)); early == 0 {
		t.Fatal("a request is allowed before the wait has passed")
	}
	if _, wait = r.Allow(s, noon.Add(wait)); wait != 0 {
		t.Fatalf("after the wait it waits %s more", wait)
	}
}

func TestTheWaitDoublesForAClientThatKeepsTryingUntilItRests(t *testing.T) {
	r := limit.Rule{Burst: 10, Period: 15 * time.Minute, MaxWait: time.Hour}
	var s limit.State
	now := noon
	for range 10 {
		s, _ = r.Allow(s, now)
	}
	var waits []time.Duration
	for range 8 {
		_, wait := r.Allow(s, now)
		waits = append(waits, wait.Round(time.Second))
		now = now.Add(wait)
		s, _ = r.Allow(s, now)
	}
	for i, want := range []time.Duration{90, 180, 360, 720, 1440, 2880, 3600, 3600} {
		if waits[i] != want*time.Second {
			t.Fatalf("waits are %v", waits)
		}
	}
	now = s.FullAt
	for i := range 10 {
		var wait time.Duration
		if s, wait = r.Allow(s, now); wait != 0 {
			t.Fatalf("after a rest, %d of 10 waits %s", i+1, wait)
		}
	}
	if _, wait := r.Allow(s, now); wait != 90*time.Second {
		t.Fatalf("after a rest the first wait is %s", wait)
	}
}

// In every sequence of requests, no more than twice the burst are allowed in any period, a
// refusal changes nothing, and its wait is exact.
func TestNoMoreThanTheRuleAllows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := limit.Rule{
			Burst:   rapid.IntRange(1, 20).Draw(t, "burst"),
			Period:  time.Duration(rapid.Int64Range(1, 3600).Draw(t, "seconds")) * time.Second,
			MaxWait: time.Duration(rapid.Int64Range(0, 7200).Draw(t, "max wait")) * time.Second,
		}
		var s limit.State
		now, allowed := noon, []time.Time{}
		for range rapid.IntRange(1, 100).Draw(t, "requests") {
			now = now.Add(time.Duration(rapid.Int64Range(0, int64(r.Period/2)).Draw(t, "pause")))
			next, wait := r.Allow(s, now)
			if wait == 0 {
				s, allowed = next, append(allowed, now)
				continue
			}
			if _, early := r.Allow(s, now.Add(wait-1)); early == 0 {
				t.Fatal("the wait is too long")
			}
			if _, late := r.Allow(s, now.Add(wait)); late != 0 {
				t.Fatal("the wait is too short")
			}
		}
		for i := range allowed {
			n := 0
			for _, at := range allowed[i:] {
				if at.Sub(allowed[i]) < r.Period {
					n++
				}
			}
			if n > 2*r.Burst {
				t.Fatalf("%d requests within %s with a burst of %d", n, r.Period, r.Burst)
			}
		}
	})
}

func TestAClientIsAnIPv4AddressOrAnIPv6Network(t *testing.T) {
	for in, out := range map[string]string{
		"192.0.2.7": "192.0.2.7", "::ffff:192.0.2.7": "192.0.2.7",
		"2001:db8::1": "2001:db8::/64", "2001:db8:0:0:ffff::1": "2001:db8::/64", "2001:db8:0:1::1": "2001:db8:0:1::/64", "fe80::1%eth0": "fe80::/64",
		"": "unknown", "x": "unknown", "192.0.2.7:80": "unknown",
	} {
		if got := limit.ClientKey(in); got != out {
			t.Errorf("%q is %q", in, got)
		}
	}
}

func TestFiveInFiveHoursIsNeverMoreThanFiveInAnyHour(t *testing.T) {
	r := limit.Rule{Burst: 5, Period: 5 * time.Hour}
	rapid.Check(t, func(t *rapid.T) {
		var s limit.State
		var allowed []time.Time
		now := time.Date(2026, time.September, 7, 9, 0, 0, 0, time.UTC)
		for range 60 {
			now = now.Add(time.Duration(rapid.Int64Range(0, int64(40*time.Minute)).Draw(t, "pause")))
			next, wait := r.Allow(s, now)
			if wait > 0 {
				continue
			}
			s = next
			if allowed = append(allowed, now); len(allowed) > 5 && now.Sub(allowed[len(allowed)-6]) < time.Hour {
				t.Fatalf("six within an hour, the last at %s", now)
			}
		}
	})
}

func TestAClockSetBackLocksNobodyOut(t *testing.T) {
	r := limit.Rule{Burst: 600, Period: time.Minute, MaxWait: 10 * time.Minute}
	var used limit.State
	for range r.Burst {
		used, _ = r.Allow(used, noon)
	}
	for _, back := range []time.Duration{time.Minute, limit.MaxClockSkew, time.Hour, 24 * time.Hour} {
		s, now, longest := used, noon.Add(-back), r.Period+r.MaxWait+limit.MaxClockSkew
		for n := range 3 {
			next, wait := r.Allow(s, now)
			if wait > longest {
				t.Fatalf("set back by %s, it waits %s", back, wait)
			}
			if wait > 0 {
				now = now.Add(wait)
				if next, wait = r.Allow(s, now); wait > 0 {
					t.Fatalf("set back by %s, after the %d. wait it waits %s more", back, n+1, wait)
				}
			}
			s = next
		}
	}
}

func TestClocksThatDifferALittleDoNotWeakenALimit(t *testing.T) {
	r := limit.Rule{Burst: 10, Period: 15 * time.Minute, MaxWait: time.Hour}
	var s limit.State
	for range r.Burst {
		s, _ = r.Allow(s, noon)
	}
	if _, wait := r.Allow(s, noon.Add(-limit.MaxClockSkew)); wait == 0 {
		t.Error("a replica whose clock is slow allows more requests")
	}
}

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
