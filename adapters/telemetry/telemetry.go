// Package telemetry traces requests with OpenTelemetry: through HTTP, SQL, Redis,
// the outbox, the queue and the mail server.
//
// Tracing is the entry point. A nil *Tracing is valid: its methods do nothing and return the
// argument that they would wrap, so a program without tracing pays nothing for it.
//
// Spans contain no personal data: no statement parameters, query strings, IP or
// email addresses, or error texts.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Tracing records spans and sends them in the background. It never blocks the
// traced code: spans that cannot be sent in time are dropped.
type Tracing struct {
	provider   *sdktrace.TracerProvider
	tracer     trace.Tracer
	propagator propagation.TextMapPropagator
}

// New starts tracing as c says. release is recorded as service.version. With
// c.Console, spans are printed to console. If tracing is off, New returns nil.
func New(ctx context.Context, c Config, release string, console io.Writer, log *slog.Logger) (*Tracing, error) {
	if !c.On {
		return nil, nil //nolint:nilnil // a nil Tracing does nothing
	}
	res, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "octavo"), attribute.String("service.version", release)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, SettingError{"OTEL_RESOURCE_ATTRIBUTES", "is not name=value,name=value"}
	}
	exporter, err := c.exporter(ctx, console)
	if err != nil {
		return nil, err
	}
	otel.SetErrorHandler(reportErrors(log))
	provider := sdktrace.NewTracerProvider(sdktrace.WithResource(res), sdktrace.WithBatcher(exporter))
	return &Tracing{provider: provider, tracer: provider.Tracer("github.com/octavo-books/octavo"), propagator: c.propagator}, nil
}

// reportErrors logs errors of the SDK, as of an export that fails, once in a while: a collector that
// is down fails every few seconds.
func reportErrors(log *slog.Logger) otel.ErrorHandlerFunc {
	const again = 10 * time.Minute
	var mu sync.Mutex
	var logged time.Time
	return func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); now.Sub(logged) > again {
			logged = now
			log.Warn("traces are lost", "error", err)
		}
	}
}

func (c Config) exporter(ctx context.Context, console io.Writer) (sdktrace.SpanExporter, error) {
	if c.Console {
		return &printer{to: console}, nil
	}
	return otlptrace.New(ctx, newCollectorClient(c))
}

// closeTimeout bounds how long Close may take to send the last spans.
const closeTimeout = 2 * time.Second

// Close sends the remaining spans. It takes two seconds at most.
func (t *Tracing) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, closeTimeout)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("send the last spans: %w", err)
	}
	return nil
}

// Traceparent returns the W3C traceparent of ctx, so that another process can
// continue the trace later. It is empty outside a trace.
func (t *Tracing) Traceparent(ctx context.Context) string {
	if t == nil || !trace.SpanContextFromContext(ctx).IsValid() {
		return ""
	}
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier["traceparent"]
}

// resume continues the trace of traceparent. If it is empty or malformed, the next
// span starts a new trace.
func resume(ctx context.Context, traceparent string) context.Context {
	if traceparent == "" {
		return ctx
	}
	return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": traceparent})
}
