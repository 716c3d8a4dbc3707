package httpx

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/fault"
)

// statuses maps each kind of refusal to its HTTP status.
var statuses = map[fault.Kind]int{
	fault.Invalid:         http.StatusBadRequest,
	fault.Unauthenticated: http.StatusUnauthorized,
	fault.Forbidden:       http.StatusForbidden,
	fault.NotFound:        http.StatusNotFound,
	fault.Conflict:        http.StatusConflict,
	fault.Limited:         http.StatusTooManyRequests,
	fault.Unavailable:     http.StatusServiceUnavailable,
}

// ErrMethod refuses a request to an existing address whose method is none of those in the header Allow.
var ErrMethod = fault.New(fault.Invalid, "method_not_allowed", "The method is not allowed here.")

// Status returns the HTTP status of err: the status of its kind if it is a refusal, 405 for ErrMethod, 413
// for a body that is too large, 503 for a passed deadline, else 500.
func Status(err error) int {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return http.StatusRequestEntityTooLarge
	}
	if errors.Is(err, ErrMethod) {
		return http.StatusMethodNotAllowed
	}
	if status, ok := statuses[fault.KindOf(err)]; ok {
		return status
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// PublicMessage returns the message of err for people. It never shows a cause.
func PublicMessage(err error) string {
	if f := fault.As(err); f != nil {
		return f.Msg
	}
	return ErrInternal.Msg
}

// FieldMessage turns the reason of a rule, such as "must have 8 to 128
// characters", into a sentence to show beside the field.
func FieldMessage(reason string) string {
	first, size := utf8.DecodeRuneInString(reason)
	if size == 0 || unicode.IsUpper(first) {
		return reason
	}
	return string(unicode.ToUpper(first)) + reason[size:] + "."
}

// defaultRetry applies to failures without a RetryAfter of their own.
const defaultRetry = 5 * time.Second

// SetRetryAfter sets Retry-After if err has status 429 or 503.
func SetRetryAfter(h http.Header, err error) {
	if status := Status(err); status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		h.Set("Retry-After", strconv.Itoa(RetryAfterSeconds(err)))
	}
}

// RetryAfterSeconds returns when to try again, in whole seconds and at least 1.
func RetryAfterSeconds(err error) int {
	wait := defaultRetry
	if f := fault.As(err); f != nil && f.RetryAfter > 0 {
		wait = f.RetryAfter
	}
	return max(1, int(math.Ceil(wait.Seconds())))
}

// writePlainError is the default ErrorWriter.
func writePlainError(w http.ResponseWriter, _ *http.Request, err error) {
	http.Error(w, PublicMessage(err), Status(err))
}
