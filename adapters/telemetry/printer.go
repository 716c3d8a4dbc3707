package telemetry

import (
	"context"
	"encoding/json"
	"io"
	"sync"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// printer writes one line of JSON per span.
type printer struct {
	mu sync.Mutex
	to io.Writer
}

// ExportSpans implements sdktrace.SpanExporter.
func (p *printer) ExportSpans(_ context.Context, spans []sdktrace.ReadOnlySpan) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range spans {
		attributes := map[string]any{}
		for _, a := range s.Attributes() {
			attributes[string(a.Key)] = a.Value.AsInterface()
		}
		line := map[string]any{
			"trace_id": s.SpanContext().TraceID().String(), "span_id": s.SpanContext().SpanID().String(),
			"name": s.Name(), "kind": s.SpanKind().String(), "start": s.StartTime(), "took": s.EndTime().Sub(s.StartTime()).String(),
			"attributes": attributes, "status": s.Status().Code.String(),
		}
		if s.Parent().IsValid() {
			line["parent_id"] = s.Parent().SpanID().String()
		}
		if err := json.NewEncoder(p.to).Encode(line); err != nil {
			return err
		}
	}
	return nil
}

// Shutdown implements sdktrace.SpanExporter.
func (*printer) Shutdown(context.Context) error { return nil }
