package httpx

import (
	"context"
	"log/slog"
	"net/http"
	"time"
)

// logRequests attaches a RequestInfo to the request. When the request ends, it
// completes the RequestInfo, passes it to the observer and logs it.
func (m *Middleware) logRequests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		info := &RequestInfo{ID: requestID(r), Method: r.Method, Path: r.URL.Path}
		info.Client.IP = clientAddress(r, m.cfg.TrustedProxies)
		info.Client.UserAgent = cleanUserAgent(r.UserAgent())
		info.Client.Device = m.cookies.Device(r)
		w.Header().Set("X-Request-Id", info.ID)
		rec := &responseRecorder{ResponseWriter: w}
		defer func() {
			info.Status, info.Bytes, info.Duration = rec.status(), rec.bytes, time.Since(start)
			m.observe(r.Context(), *info)
			m.logRequest(r.Context(), *info)
		}()
		next.ServeHTTP(rec, r.WithContext(context.WithValue(r.Context(), requestInfoKey{}, info)))
	})
}

const maxLoggedPath = 200

// logRequest logs the route pattern rather than the path, because a path can
// contain a one-time token. It logs the path only if no route matched.
func (m *Middleware) logRequest(ctx context.Context, info RequestInfo) {
	level, route := slog.LevelInfo, info.Route
	switch {
	case info.Status >= 500:
		level = slog.LevelError
	case route == "/healthz" || route == "/readyz" || route == "/metrics":
		level = slog.LevelDebug
	case route == "":
		route = info.Path[:min(len(info.Path), maxLoggedPath)]
	}
	m.log.LogAttrs(ctx, level, "request", append([]slog.Attr{slog.String("request_id", info.ID), slog.String("method", info.Method),
		slog.String("route", route), slog.Int("status", info.Status), slog.Int64("bytes", info.Bytes),
		slog.String("took", info.Duration.String()), slog.String("ip", info.Client.IP)}, info.attrs...)...)
}

// LogHandler adds the request id to every record that is logged with a request's
// context, unless the record already has one.
type LogHandler struct{ slog.Handler }

// Handle implements slog.Handler.
func (h LogHandler) Handle(ctx context.Context, rec slog.Record) error {
	if id := RequestID(ctx); id != "" && !hasAttr(rec, "request_id") {
		rec = rec.Clone()
		rec.AddAttrs(slog.String("request_id", id))
	}
	return h.Handler.Handle(ctx, rec)
}

// WithAttrs implements slog.Handler.
func (h LogHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return LogHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h LogHandler) WithGroup(name string) slog.Handler {
	return LogHandler{h.Handler.WithGroup(name)}
}

func hasAttr(rec slog.Record, key string) (found bool) {
	rec.Attrs(func(a slog.Attr) bool {
		found = a.Key == key
		return !found
	})
	return found
}
