package telemetry

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"reflect"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// endSpan ends a span and records the type of err. It leaves the text out, because
// that may contain personal data.
func endSpan(span trace.Span, err error) {
	if err != nil && !errors.Is(err, driver.ErrSkip) && span.IsRecording() {
		span.SetAttributes(attribute.String("error.type", errorType(err)))
		span.SetStatus(codes.Error, "")
	}
	span.End()
}

func errorType(err error) string {
	var postgres interface{ SQLState() string }
	var sqlite interface{ Code() int }
	switch {
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.As(err, &postgres):
		return postgres.SQLState()
	case errors.As(err, &sqlite):
		return fmt.Sprintf("sqlite %d", sqlite.Code())
	}
	return reflect.TypeOf(innermost(err)).String()
}

// innermost unwraps err to its cause. Of joined errors it follows the last.
func innermost(err error) error {
	for {
		var next error
		switch e := err.(type) { //nolint:errorlint // this unwraps the error
		case interface{ Unwrap() error }:
			next = e.Unwrap()
		case interface{ Unwrap() []error }:
			if all := e.Unwrap(); len(all) > 0 {
				next = all[len(all)-1]
			}
		}
		if next == nil {
			return err
		}
		err = next
	}
}
