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

// end ends a span. Of an error it notes the sort: its text may hold what people
// wrote.
func end(span trace.Span, err error) {
	if err != nil && !errors.Is(err, driver.ErrSkip) && span.IsRecording() {
		span.SetAttributes(attribute.String("error.type", sortOf(err)))
		span.SetStatus(codes.Error, "")
	}
	span.End()
}

func sortOf(err error) string {
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

// innermost is what an error was before it was wrapped; of several that were
// joined, the last.
func innermost(err error) error {
	for {
		var next error
		switch e := err.(type) { //nolint:errorlint // this is the unwrapping
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
