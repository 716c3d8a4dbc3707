package telemetry

import (
	"context"
	"log/slog"
	"strconv"
	"sync"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// watcher sees spans end and leave, and logs once when they begin to get lost and
// once when they get out again.
type watcher struct {
	sdktrace.SpanExporter
	log  *slog.Logger
	room int

	mu        sync.Mutex
	under     int // ended, and neither sent nor known to be lost
	lost      int
	inTrouble bool
}

// readRoom is how many spans may be under way at most: the queue of the SDK, a
// batch in hand and one in the making. Beyond it the SDK has dropped some.
func readRoom(env func(string) string) int {
	return number(env("OTEL_BSP_MAX_QUEUE_SIZE"), 2048) + 2*number(env("OTEL_BSP_MAX_EXPORT_BATCH_SIZE"), 512)
}

func number(text string, otherwise int) int {
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return n
	}
	return otherwise
}

// ExportSpans implements sdktrace.SpanExporter. The failure is said here, once.
func (w *watcher) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := w.SpanExporter.ExportSpans(ctx, spans)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.under = max(0, w.under-len(spans))
	switch {
	case err != nil:
		w.lose(len(spans), err.Error())
	case w.inTrouble:
		w.log.Info("traces are getting out again", "lost", w.lost)
		w.inTrouble, w.lost = false, 0
	}
	return nil
}

func (w *watcher) lose(n int, why string) {
	w.lost += n
	if !w.inTrouble {
		w.log.Warn("traces are lost", "because", why)
	}
	w.inTrouble = true
}

// ends tells the watcher of spans that end. It stands before the SDK's queue.
type ends struct{ *watcher }

// OnStart implements sdktrace.SpanProcessor.
func (ends) OnStart(context.Context, sdktrace.ReadWriteSpan) {}

// OnEnd implements sdktrace.SpanProcessor.
func (e ends) OnEnd(s sdktrace.ReadOnlySpan) {
	if !s.SpanContext().IsSampled() {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.under < e.room {
		e.under++
		return
	}
	e.lose(1, "the collector is too slow")
}

// ForceFlush implements sdktrace.SpanProcessor.
func (ends) ForceFlush(context.Context) error { return nil }

// Shutdown implements sdktrace.SpanProcessor.
func (ends) Shutdown(context.Context) error { return nil }
