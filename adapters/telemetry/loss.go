package telemetry

import (
	"context"
	"log/slog"
	"strconv"
	"sync"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// lossReporter counts spans between their end and their export. It logs once when
// spans begin to be lost and once when exports succeed again.
type lossReporter struct {
	sdktrace.SpanExporter
	log      *slog.Logger
	capacity int

	mu      sync.Mutex
	pending int // ended, but neither exported nor counted as lost
	lost    int
	losing  bool
}

// readCapacity returns how many spans the SDK can hold: its queue, the batch that
// it exports and the batch that it fills. Beyond that it has dropped some.
func readCapacity(env func(string) string) int {
	return positiveOr(env("OTEL_BSP_MAX_QUEUE_SIZE"), 2048) + 2*positiveOr(env("OTEL_BSP_MAX_EXPORT_BATCH_SIZE"), 512)
}

func positiveOr(text string, fallback int) int {
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return n
	}
	return fallback
}

// ExportSpans implements sdktrace.SpanExporter. It logs the failure itself and
// returns nil, because the SDK would log every one.
func (w *lossReporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := w.SpanExporter.ExportSpans(ctx, spans)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending = max(0, w.pending-len(spans))
	switch {
	case err != nil:
		w.recordLoss(len(spans), err.Error())
	case w.losing:
		w.log.Info("traces are exported again", "lost", w.lost)
		w.losing, w.lost = false, 0
	}
	return nil
}

func (w *lossReporter) recordLoss(n int, reason string) {
	w.lost += n
	if !w.losing {
		w.log.Warn("traces are lost", "reason", reason)
	}
	w.losing = true
}

// endedSpans passes ended spans to the lossReporter. It must be registered before
// the SDK's queue.
type endedSpans struct{ *lossReporter }

// OnStart implements sdktrace.SpanProcessor.
func (endedSpans) OnStart(context.Context, sdktrace.ReadWriteSpan) {}

// OnEnd implements sdktrace.SpanProcessor.
func (e endedSpans) OnEnd(s sdktrace.ReadOnlySpan) {
	if !s.SpanContext().IsSampled() {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.pending < e.capacity {
		e.pending++
		return
	}
	e.recordLoss(1, "the collector is too slow")
}

// ForceFlush implements sdktrace.SpanProcessor.
func (endedSpans) ForceFlush(context.Context) error { return nil }

// Shutdown implements sdktrace.SpanProcessor.
func (endedSpans) Shutdown(context.Context) error { return nil }
