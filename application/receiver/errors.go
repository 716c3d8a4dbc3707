package receiver

import (
	"errors"
	"fmt"
	"strings"

	"github.com/octavo-books/octavo/domain/webhook"
)

// ErrHandlerExited is the error of a handler that ended its goroutine
// (runtime.Goexit) instead of returning.
var ErrHandlerExited = errors.New("receiver: the handler ended its goroutine")

// Error says why a delivery failed: one error for each handler that failed, in the
// order of the handlers, or the one reason why no handler ran.
type Error struct {
	Event   webhook.Event // as received, not transformed
	Errs    []error       // at least one
	Refused bool          // the delivery itself is invalid, and no handler ran
}

// Error joins the messages with line breaks.
func (e *Error) Error() string {
	lines := make([]string, len(e.Errs))
	for i, err := range e.Errs {
		lines[i] = err.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.Is and errors.As examine each of the errors.
func (e *Error) Unwrap() []error { return e.Errs }

// PanicError is the error of a handler that panicked.
type PanicError struct {
	Value any    // the argument of panic
	Stack []byte // as debug.Stack formats it
}

func (e *PanicError) Error() string { return fmt.Sprintf("handler panicked: %v", e.Value) }

// Unwrap returns the value of the panic if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
