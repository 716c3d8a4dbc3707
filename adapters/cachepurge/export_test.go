package cachepurge

import "time"

// RetryAfter is retryAfter.
func (p *Purger) RetryAfter(err error, failures int) time.Duration {
	return p.retryAfter(err, failures)
}

// WithoutPauses returns the purger with short pauses.
func (p *Purger) WithoutPauses() *Purger {
	p.pause, p.retry = time.Millisecond, time.Millisecond
	return p
}

// Refused is the error of an answer.
func Refused(status int, after time.Duration) error { return refusal{status, after} }
