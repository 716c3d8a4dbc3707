package sending

import (
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"pgregory.net/rapid"
)

func TestThirtySixTriesTakeAboutADay(t *testing.T) {
	var all time.Duration
	for attempt := 1; attempt < inbox.DefaultMaxTries; attempt++ {
		all += Backoff(attempt, 0.5, 0)
	}
	if all < 23*time.Hour || all > 25*time.Hour {
		t.Errorf("they take %s", all)
	}
}

func TestTheBackoffDoublesWithinItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		attempt := rapid.IntRange(1, 2000).Draw(t, "attempt")
		jitter := rapid.Float64Range(0, 0.999999).Draw(t, "jitter")
		retryAfter := time.Duration(rapid.Int64Range(0, int64(1000*time.Hour)).Draw(t, "retryAfter"))
		got := Backoff(attempt, jitter, 0)
		plain := time.Hour
		if attempt <= 12 {
			plain = min(plain, time.Second<<(attempt-1))
		}
		if got < plain*8/10-time.Microsecond || got > plain*12/10 {
			t.Fatalf("attempt %d waits %s", attempt, got)
		}
		if got := Backoff(attempt, jitter, retryAfter); got < min(retryAfter, 24*time.Hour) || got > max(plain*12/10, min(retryAfter, 24*time.Hour)) {
			t.Fatalf("with Retry-After %s it waits %s", retryAfter, got)
		}
	})
}

// In any sequence of attempts and answers, an open circuit permits at most one
// attempt in 30 seconds, and a closed one permits all.
func TestAnOpenCircuitPermitsOneAttemptEvery30Seconds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &circuit{}
		now := time.Date(2026, 9, 7, 9, 0, 0, 0, time.UTC)
		failures, lastProbe := 0, time.Time{}
		for range rapid.IntRange(0, 200).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 20).Draw(t, "seconds")) * time.Second)
			limit, wait := c.claimLimit(5, now), c.tryAfter(now)
			if (wait == 0) != (limit > 0) {
				t.Fatalf("%d may be claimed, but the wait is %s", limit, wait)
			}
			if failures < failureThreshold && (wait != 0 || limit != 5) {
				t.Fatalf("closed after %d failures, but the wait is %s", failures, wait)
			}
			if wait > 0 {
				continue
			}
			if failures >= failureThreshold && now.Sub(lastProbe) < probeInterval {
				t.Fatalf("an attempt %s after the last", now.Sub(lastProbe))
			}
			lastProbe = now
			if rapid.IntRange(0, 9).Draw(t, "answers") == 0 {
				failures = 0
				c.record(true, now)
			} else {
				failures++
				c.record(false, now)
			}
		}
	})
}

func TestAClockThatIsSetBackDoesNotSilenceARule(t *testing.T) {
	now := time.Date(2026, 9, 7, 9, 0, 0, 0, time.UTC)
	c := &circuit{}
	for range failureThreshold {
		c.record(false, now)
	}
	earlier := now.Add(-time.Hour)
	if limit, wait := c.claimLimit(5, earlier), c.tryAfter(earlier); limit != 1 || wait != 0 {
		t.Errorf("of a target that fails %d jobs may be claimed, after %s", limit, wait)
	}
	if wait := c.tryAfter(earlier.Add(time.Second)); wait != probeInterval-time.Second {
		t.Errorf("the next probe is in %s", wait)
	}
	l := &limiter{most: 1, per: time.Minute}
	l.reserve(1, now)
	l.begin(now)
	if l.reserve(1, now.Add(time.Second)) != 0 || l.reserve(1, earlier) != 1 {
		t.Error("the rate counts a send of the future")
	}
}

func TestAPathFindsItsValue(t *testing.T) {
	const document = `{"repository":{"id":7,"name":"a\"b"},"list":[{"x":[1,[2,3]]}],"null":null,"long":"` +
		"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789" + `"}`
	for text, want := range map[string]string{
		"":                   "",
		"repository.id":      "7",
		"$.repository.id":    "7",
		"repository.name":    `"a\"b"`,
		"list[0].x[1][0]":    "2",
		"list[0].x[1]":       "[2,3]",
		"list[1]":            "",
		"list.x":             "",
		"repository[0]":      "",
		"null":               "",
		"missing.altogether": "",
	} {
		p, err := inbox.ParseJSONPath(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if got := p.ValueIn([]byte(document)); got != want {
			t.Errorf("%s finds %q, want %q", text, got, want)
		}
	}
	p, _ := inbox.ParseJSONPath("long")
	if got := p.ValueIn([]byte(document)); len(got) != 43 {
		t.Errorf("a long value becomes %q", got)
	}
}
