package httpkit

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/octavo-books/octavo/domain/fault"
)

// record gives the request its id and source, and tells of it when it is done.
func (k *Kit) record(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		x := &Exchange{ID: requestID(r), Method: r.Method, Path: r.URL.Path}
		x.Source.IP = clientAddress(r, k.cfg.TrustedProxies)
		x.Source.UserAgent = cleanUserAgent(r.UserAgent())
		w.Header().Set("X-Request-Id", x.ID)
		rec := &recorder{ResponseWriter: w}
		defer func() {
			x.Status, x.Bytes, x.Duration = rec.status(), rec.bytes, time.Since(start)
			k.observe(r.Context(), *x)
			k.line(r.Context(), *x)
		}()
		next.ServeHTTP(rec, r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x)))
	})
}

const maxLoggedPath = 200

// line logs one request. The pattern stands for the path where there is one,
// because a path can hold a one-time token.
func (k *Kit) line(ctx context.Context, x Exchange) {
	level, route := slog.LevelInfo, x.Route
	switch {
	case x.Status >= 500:
		level = slog.LevelError
	case route == "/healthz" || route == "/readyz" || route == "/metrics":
		level = slog.LevelDebug
	case route == "":
		route = x.Path[:min(len(x.Path), maxLoggedPath)]
	}
	k.log.LogAttrs(ctx, level, "request", slog.String("request_id", x.ID), slog.String("method", x.Method),
		slog.String("route", route), slog.Int("status", x.Status), slog.Int64("bytes", x.Bytes),
		slog.Duration("took", x.Duration), slog.String("ip", x.Source.IP))
}

// headers are those that every answer has; a page that needs more than nothing
// sets a content policy of its own.
func (k *Kit) headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
		if k.cfg.Cookies.Secure {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		next.ServeHTTP(w, r)
	})
}

// recover turns a panic into an answer without a cause and a log line with one.
func (k *Kit) recover(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(p)
			}
			k.log.ErrorContext(r.Context(), "panic", "request_id", RequestID(r.Context()), "panic", p, "stack", string(debug.Stack()))
			if rec, ok := w.(*recorder); ok && rec.code != 0 {
				panic(http.ErrAbortHandler) // too late for a clean answer: cut the connection
			}
			k.stop(w, r, ErrInternal)
		}()
		next.ServeHTTP(w, r)
	})
}

// ErrInternal stands for a failure whose cause is nobody's business outside. It
// has no Kind, as any failure that is not a refusal.
var ErrInternal = fault.New(0, "internal", "Something went wrong on our side. Please try again.")

// recorder notes status and length. It passes flushing and deadlines on, so
// that streams work through it.
type recorder struct {
	http.ResponseWriter
	code  int
	bytes int64
}

func (w *recorder) WriteHeader(code int) {
	if w.code == 0 && (code >= 200 || code == http.StatusSwitchingProtocols) {
		w.code = code
	}
	w.ResponseWriter.WriteHeader(code)
}

func (w *recorder) Write(b []byte) (int, error) {
	if w.code == 0 {
		w.code = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

// Flush serves those who ask for an http.Flusher.
func (w *recorder) Flush() {
	if w.code == 0 {
		w.code = http.StatusOK
	}
	_ = http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap serves http.ResponseController.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *recorder) status() int {
	if w.code == 0 {
		return http.StatusOK
	}
	return w.code
}
