package httpkit

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

// statuses say what each kind of refusal is over HTTP.
var statuses = map[fault.Kind]int{
	fault.Invalid:         http.StatusBadRequest,
	fault.Unauthenticated: http.StatusUnauthorized,
	fault.Forbidden:       http.StatusForbidden,
	fault.NotFound:        http.StatusNotFound,
	fault.Conflict:        http.StatusConflict,
	fault.Limited:         http.StatusTooManyRequests,
	fault.Unavailable:     http.StatusServiceUnavailable,
}

// Status is the HTTP status of a failure: 500 unless it is a refusal, 413 when
// the body was too large, 503 when the deadline passed.
func Status(err error) int {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return http.StatusRequestEntityTooLarge
	}
	if status, ok := statuses[fault.KindOf(err)]; ok {
		return status
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// Sentence is what a person may read of a failure; never a cause.
func Sentence(err error) string {
	if f := fault.As(err); f != nil {
		return f.Msg
	}
	return ErrInternal.Msg
}

// Reason is what a person may read beside a field: a sentence, also where a rule
// says only the end of one, such as "must have 8 to 128 characters".
func Reason(why string) string {
	first, size := utf8.DecodeRuneInString(why)
	if size == 0 || unicode.IsUpper(first) {
		return why
	}
	return string(unicode.ToUpper(first)) + why[size:] + "."
}

// defaultRetry is said when the failure does not say when to try again.
const defaultRetry = 5 * time.Second

// SetRetryAfter sets Retry-After for refusals that pass with time.
func SetRetryAfter(h http.Header, err error) {
	if status := Status(err); status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		h.Set("Retry-After", strconv.Itoa(RetrySeconds(err)))
	}
}

// RetrySeconds is when to try again, in whole seconds and at least one.
func RetrySeconds(err error) int {
	wait := defaultRetry
	if f := fault.As(err); f != nil && f.RetryAfter > 0 {
		wait = f.RetryAfter
	}
	return max(1, int(math.Ceil(wait.Seconds())))
}
