package rawsql

import (
	"strings"
	"time"
)

// In writes the inside of IN (…) for some values, of which there must be one at least.
// The lengths are powers of two, filled up with the last value, so that few statements
// need preparing.
func In[T any](values []T) (placeholders string, args []any) {
	n := 1
	for n < len(values) {
		n *= 2
	}
	args = make([]any, n)
	for i := range args {
		args[i] = values[min(i, len(values)-1)]
	}
	return strings.Repeat("?, ", n-1) + "?", args
}

// Micros is how a time is stored: microseconds since 1970, 0 for the zero time.
func Micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// Time is the time that Micros stored, in UTC.
func Time(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}

// Flag is how a bool is stored: 1 or 0.
func Flag(b bool) int {
	if b {
		return 1
	}
	return 0
}
