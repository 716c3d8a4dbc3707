package text_test

import (
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/text"
)

func TestADurationIsWrittenAsItIsRead(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"": 0, "14d": 14 * 24 * time.Hour, "12h": 12 * time.Hour, "1h30m": 90 * time.Minute, "5m": 5 * time.Minute, "10m": 10 * time.Minute, "25h": 25 * time.Hour,
		"1m30s": 90 * time.Second, "10s": 10 * time.Second, "1h0m10s": time.Hour + 10*time.Second, "20h10m": 20*time.Hour + 10*time.Minute,
	} {
		if got := text.Duration(d); got != want {
			t.Errorf("%v is written %q, want %q", d, got, want)
		}
		if got, err := text.ParseDuration(want); want != "" && (err != nil || got != d) {
			t.Errorf("%q is read as %v, %v", want, got, err)
		}
	}
	for _, bad := range []string{"", "d", "-1d", "1.5d", "40000d", "x"} {
		if d, err := text.ParseDuration(bad); err == nil {
			t.Errorf("%q is read as %v", bad, d)
		}
	}
}
