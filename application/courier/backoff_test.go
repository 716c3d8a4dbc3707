package courier

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestWaitsDoubleUpToAnHourWithLuckOfOneFifth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		try, luck := rapid.IntRange(1, 1000).Draw(t, "try"), rapid.Float64Range(0, 1).Draw(t, "luck")
		mean := min(2*time.Second<<min(try-1, 20), time.Hour)
		if got := Backoff(try, luck); got < mean*8/10-1 || got > mean*12/10+1 {
			t.Fatalf("after try %d: %v, mean %v", try, got, mean)
		}
	})
}
