package mailer

import "time"

const (
	firstBackoff   = 2 * time.Second
	longestBackoff = time.Hour
)

// MaxAttempts is the number of attempts after which a message becomes a dead letter.
// With the waits of Backoff that takes about a day.
const MaxAttempts = 36

// Backoff returns how long to wait after a failed attempt, which counts from 1: 2 s,
// doubling up to an hour. A jitter of 0 to 1 makes it up to 20 % shorter or longer, so
// that messages that failed together are not retried together.
func Backoff(attempt int, jitter float64) time.Duration {
	wait := longestBackoff
	if shift := max(attempt, 1) - 1; shift < 11 {
		wait = min(firstBackoff<<shift, longestBackoff)
	}
	return time.Duration(float64(wait) * (0.8 + 0.4*jitter))
}
