package outbound

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// RetryAfter parses the header of this name, which is seconds or an HTTP date; 0 for anything else and for the past.
func RetryAfter(text string, now time.Time) time.Duration {
	text = strings.TrimSpace(text)
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}
