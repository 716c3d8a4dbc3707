package courier

import "time"

const (
	firstWait = 2 * time.Second
	longest   = time.Hour
)

// MaxTries is how often a message is tried before it is given up: with the waits
// of Backoff that is about a day.
const MaxTries = 36

// Backoff is how long to wait after a failed try: 2 s after the first, doubling
// up to an hour, 20 % more or less as luck (0 to 1) has it, so that what failed
// together does not come back together.
func Backoff(try int, luck float64) time.Duration {
	wait := longest
	if shift := max(try, 1) - 1; shift < 11 {
		wait = min(firstWait<<shift, longest)
	}
	return time.Duration(float64(wait) * (0.8 + 0.4*luck))
}
