package mailer

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestBackoffDoublesUpToAnHourWithAJitterOfOneFifth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		attempt, jitter := rapid.IntRange(1, 1000).Draw(t, "attempt"), rapid.Float64Range(0, 1).Draw(t, "jitter")
		mean := min(2*time.Second<<min(attempt-1, 20), time.Hour)
		if got := Backoff(attempt, jitter); got < mean*8/10-1 || got > mean*12/10+1 {
			t.Fatalf("after attempt %d: %v, mean %v", attempt, got, mean)
		}
	})
}
