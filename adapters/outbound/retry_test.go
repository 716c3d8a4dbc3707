package outbound

import (
	"testing"
	"time"
)

func TestRetryAfterIsSecondsOrADate(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"":                              0,
		"120":                           2 * time.Minute,
		" 1 ":                           time.Second,
		"-5":                            0,
		"1.5":                           0,
		"soon":                          0,
		"99999999999999":                0,
		"Fri, 20 Nov 2026 12:01:00 GMT": time.Minute,
		"Fri, 20 Nov 2026 11:59:00 GMT": 0,
	} {
		if got := RetryAfter(text, now); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}
