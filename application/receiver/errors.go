package receiver

import (
	"errors"
	"fmt"
	"strings"

	"github.com/octavo-books/octavo/domain/webhook"
)

// ErrHandlerExited is the failure of a handler that ended its goroutine
// (runtime.Goexit) instead of returning.
var ErrHandlerExited = errors.New("receiver: the handler ended its goroutine")

// Error says why a delivery failed: one error for each handler that failed, in
// the order of the handlers, or the one reason for which none was run.
type Error struct {
	Event   webhook.Event // as it came, not transformed
	Errs    []error       // at least one
	Refused bool          // no handler has run: the delivery itself is at fault
}

// Error joins the messages, one a line.
func (e *Error) Error() string {
	lines := make([]string, len(e.Errs))
	for i, err := range e.Errs {
		lines[i] = err.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives errors.Is and errors.As each of the errors.
func (e *Error) Unwrap() []error { return e.Errs }

// PanicError is the failure of a handler that panicked.
type PanicError struct {
	Value any    // what it panicked with
	Stack []byte // where, as debug.Stack prints it
}

func (e *PanicError) Error() string { return fmt.Sprintf("handler panicked: %v", e.Value) }

// Unwrap is the value of the panic where that is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
