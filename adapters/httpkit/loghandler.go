package httpkit

import (
	"context"
	"log/slog"
)

// LogHandler adds the request id to every line that is logged with the context
// of a request and does not bear it already.
type LogHandler struct{ slog.Handler }

// Handle implements slog.Handler.
func (h LogHandler) Handle(ctx context.Context, line slog.Record) error {
	if id := RequestID(ctx); id != "" && !bears(line, "request_id") {
		line = line.Clone()
		line.AddAttrs(slog.String("request_id", id))
	}
	return h.Handler.Handle(ctx, line)
}

// WithAttrs implements slog.Handler.
func (h LogHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return LogHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h LogHandler) WithGroup(name string) slog.Handler {
	return LogHandler{h.Handler.WithGroup(name)}
}

func bears(line slog.Record, key string) (found bool) {
	line.Attrs(func(a slog.Attr) bool {
		found = a.Key == key
		return !found
	})
	return found
}
