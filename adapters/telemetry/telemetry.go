// Package telemetry follows requests through the program with OpenTelemetry: over
// HTTP, SQL, Redis, the outbox, the queue and the mail server.
//
// Everything hangs on a Tracing. A nil one is good, too: it follows nothing, and
// what it should wrap it gives back as it is, so that a program without traces
// does nothing for them.
//
// Spans hold no values: no parameters of statements, no query strings, no
// addresses of clients or of people, no texts of errors.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Tracing makes spans and sends them off in the background. It never holds up
// what it follows: spans that cannot be sent in time are dropped.
type Tracing struct {
	provider   *sdktrace.TracerProvider
	tracer     trace.Tracer
	propagator propagation.TextMapPropagator
}

// New starts to trace as c says, under the name of the given release. Where the
// console is asked for, spans are written there. It returns nil where traces are off.
func New(ctx context.Context, c Config, release string, console io.Writer, log *slog.Logger) (*Tracing, error) {
	if !c.On {
		return nil, nil //nolint:nilnil // a nil Tracing follows nothing
	}
	about, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "octavo"), attribute.String("service.version", release)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, SettingError{"OTEL_RESOURCE_ATTRIBUTES", "is not name=value,name=value"}
	}
	out, err := c.exporter(ctx, console)
	if err != nil {
		return nil, err
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("traces", "error", err) }))
	w := &watcher{SpanExporter: out, log: log, room: c.room}
	provider := sdktrace.NewTracerProvider(sdktrace.WithResource(about), sdktrace.WithSpanProcessor(ends{w}), sdktrace.WithBatcher(w))
	return &Tracing{provider: provider, tracer: provider.Tracer("github.com/octavo-books/octavo"), propagator: c.propagator}, nil
}

func (c Config) exporter(ctx context.Context, console io.Writer) (sdktrace.SpanExporter, error) {
	if c.Console {
		return &printer{to: console}, nil
	}
	return otlptrace.New(ctx, newCollector(c))
}

// farewell is how long the last spans have to get out.
const farewell = 2 * time.Second

// Close sends off what is left, for two seconds at most.
func (t *Tracing) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, farewell)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("send off the last traces: %w", err)
	}
	return nil
}

// Traceparent names what goes on in ctx as W3C Trace Context does, for whoever
// goes on with it elsewhere and later. It is empty where nothing is followed.
func (t *Tracing) Traceparent(ctx context.Context) string {
	if t == nil || !trace.SpanContextFromContext(ctx).IsValid() {
		return ""
	}
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier["traceparent"]
}

// resume goes on with what traceparent names; without one, or with a broken one,
// what follows has a trace of its own.
func resume(ctx context.Context, traceparent string) context.Context {
	if traceparent == "" {
		return ctx
	}
	return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": traceparent})
}
