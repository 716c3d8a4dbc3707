package telemetry

import (
	"context"
	"log/slog"
	"net/http"
	"slices"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Middleware follows each request, but not those for the paths of probes. A
// client that sends a trace context has its trace continued.
func (t *Tracing) Middleware(next http.Handler, probes ...string) http.Handler {
	if t == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if slices.Contains(probes, r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		ctx := t.propagator.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
		method := known(r.Method)
		ctx, span := t.tracer.Start(ctx, method, trace.WithSpanKind(trace.SpanKindServer),
			trace.WithAttributes(attribute.String("http.request.method", method)))
		defer span.End()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

func known(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "_OTHER"
}

// Answered gives the span of a request the route that served it, "" for none, as
// its name, and its outcome. Only what the server is to blame for is an error.
func (t *Tracing) Answered(ctx context.Context, method, route string, status int) {
	if t == nil {
		return
	}
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(attribute.Int("http.response.status_code", status))
	if route != "" {
		span.SetName(known(method) + " " + route)
		span.SetAttributes(attribute.String("http.route", route))
	}
	if status >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, "")
	}
}

// Operation notes which field of the GraphQL schema was executed, and the code
// that it ended with.
func (t *Tracing) Operation(ctx context.Context, operation, code string) {
	if t == nil {
		return
	}
	trace.SpanFromContext(ctx).SetAttributes(attribute.String("graphql.operation.name", operation), attribute.String("octavo.code", code))
}

// Transport follows what an HTTP client sends, and tells its receiver of the
// trace by a traceparent header, unless the request has one.
func (t *Tracing) Transport(next http.RoundTripper) http.RoundTripper {
	if t == nil {
		return next
	}
	return transport{t, next}
}

type transport struct {
	*Tracing
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, span := t.tracer.Start(r.Context(), r.Method, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(attribute.String("http.request.method", r.Method), attribute.String("server.address", r.URL.Hostname())))
	r = r.Clone(ctx)
	if r.Header.Get("Traceparent") == "" {
		propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(r.Header))
	}
	resp, err := t.next.RoundTrip(r)
	if err == nil {
		span.SetAttributes(attribute.Int("http.response.status_code", resp.StatusCode))
		if resp.StatusCode >= http.StatusBadRequest {
			span.SetStatus(codes.Error, "")
		}
	}
	end(span, err)
	return resp, err
}

// CloseIdleConnections serves http.Client.
func (t transport) CloseIdleConnections() {
	if c, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// LogHandler adds trace_id to every line that is logged within a trace.
type LogHandler struct{ slog.Handler }

// Handle implements slog.Handler.
func (h LogHandler) Handle(ctx context.Context, line slog.Record) error {
	if about := trace.SpanContextFromContext(ctx); about.IsValid() {
		line = line.Clone()
		line.AddAttrs(slog.String("trace_id", about.TraceID().String()))
	}
	return h.Handler.Handle(ctx, line)
}

// WithAttrs implements slog.Handler.
func (h LogHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return LogHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h LogHandler) WithGroup(name string) slog.Handler { return LogHandler{h.Handler.WithGroup(name)} }
