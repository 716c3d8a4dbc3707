package assembly

import (
	"context"
	"io"
	"log/slog"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/metrics"
	"github.com/octavo-books/octavo/adapters/redisstore"
	"github.com/octavo-books/octavo/adapters/telemetry"
	"github.com/octavo-books/octavo/cmd/config"
)

// newTracing traces requests as the standard variables of OpenTelemetry say; nil if they turn
// tracing off. These variables are not flags, because every program has the same.
func newTracing(ctx context.Context, console io.Writer, log *slog.Logger) (*telemetry.Tracing, error) {
	settings, err := config.TracingConfig()
	if err != nil {
		return nil, err
	}
	t, err := telemetry.New(ctx, settings, config.Version(), console, log)
	return t, config.TracingError(err)
}

// instrument makes a database trace its statements if tracing is on.
func instrument(t *telemetry.Tracing) []gormstore.Option {
	if t == nil {
		return nil
	}
	return []gormstore.Option{gormstore.WithTracer(t)}
}

// instrumentRedis makes Redis trace its commands if tracing is on.
func instrumentRedis(c *redisstore.Client, t *telemetry.Tracing) {
	if t == nil {
		return
	}
	c.Instrument(func(ctx context.Context, command string) (context.Context, func(error)) {
		return t.StartSpan(ctx, "redis", command)
	})
}

// probes are the paths that monitoring requests all the time. They are not traced.
var probes = []string{"/healthz", "/readyz", "/metrics"}

// newObserver counts every finished request, and ends its trace.
func newObserver(m *metrics.Metrics, t *telemetry.Tracing) func(context.Context, httpx.RequestInfo) {
	return func(ctx context.Context, info httpx.RequestInfo) {
		m.Observe(info.Method, info.Route, info.Status, info.Duration)
		t.RecordResponse(ctx, info.Method, info.Route, info.Status)
	}
}

// newOperationObserver counts every GraphQL operation.
func newOperationObserver(m *metrics.Metrics, t *telemetry.Tracing) func(ctx context.Context, operation, code string) {
	return func(ctx context.Context, operation, code string) {
		m.ObserveOperation(operation, code)
		t.RecordOperation(ctx, operation, code)
	}
}
