package text

import (
	"strconv"
	"strings"
	"time"
)

const day = 24 * time.Hour

// ParseDuration parses a duration that may also be a number of days, such as 14d.
func ParseDuration(s string) (time.Duration, error) {
	days, ok := strings.CutSuffix(s, "d")
	if !ok {
		return time.ParseDuration(s)
	}
	n, err := strconv.Atoi(days)
	if err != nil || n < 0 || n > 36_500 {
		return 0, strconv.ErrRange
	}
	return time.Duration(n) * day, nil
}

// Duration writes a duration as ParseDuration reads it: 14d, 12h or 1h30m; "" for none.
func Duration(d time.Duration) string {
	switch {
	case d == 0:
		return ""
	case d%day == 0:
		return strconv.Itoa(int(d/day)) + "d"
	}
	s := strings.TrimSuffix(d.String(), "0s")
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	if s == "" || strings.HasSuffix(d.String(), "m0s") {
		return s
	}
	return d.String()
}
