package receiver

import (
	"time"

	"github.com/octavo-books/octavo/domain/fault"
)

var errRetry = fault.New(fault.Unavailable, "retry", "The delivery could not be handled yet. Please send it again later.")

// Retry returns an error with which a handler asks the sender to deliver again after
// about that time: package webhookhttp answers 503 with a Retry-After header of one
// second or more. To report the cause too, join both:
// errors.Join(receiver.Retry(time.Minute), err).
func Retry(after time.Duration) error { return errRetry.After(after) }

// StatusError is an error that sets the HTTP status of the answer; see WithStatus.
type StatusError struct {
	Status int
	Err    error
}

func (e *StatusError) Error() string { return e.Err.Error() }

// Unwrap returns the error that was passed to WithStatus.
func (e *StatusError) Unwrap() error { return e.Err }

// WithStatus makes err answer the sender with a status from 400 to 599 instead of 500,
// for example 410 for a hook that should be removed. The text of err is not sent. If
// several handlers fail, an error from Retry decides, otherwise the first StatusError.
// WithStatus returns nil for a nil err, so that it can wrap a call.
func WithStatus(err error, status int) error {
	if err == nil {
		return nil
	}
	return &StatusError{Status: status, Err: err}
}
