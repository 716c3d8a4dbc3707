package httpx

import (
	"bufio"
	"errors"
	"net"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/octavo-books/octavo/domain/fault"
)

// ErrInternal is the answer to a failure whose cause must not be shown. It has
// no Kind, because it is not a refusal.
var ErrInternal = fault.New(0, "internal", "Something went wrong on our side. Please try again.")

// recoverPanics logs a panic with its stack and answers ErrInternal.
func (m *Middleware) recoverPanics(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(p)
			}
			m.log.ErrorContext(r.Context(), "panic", "request_id", RequestID(r.Context()), "panic", p, "stack", string(debug.Stack()))
			if rec, ok := w.(*responseRecorder); ok && rec.code != 0 {
				panic(http.ErrAbortHandler) // part of the response is out: cut the connection, so that it cannot pass for a whole one
			}
			m.refuse(w, r, ErrInternal)
		}()
		next.ServeHTTP(w, r)
	})
}

// responseRecorder records status and size. It passes flushes and deadlines
// through, because streams need them.
type responseRecorder struct {
	http.ResponseWriter
	code  int
	bytes int64
}

func (w *responseRecorder) WriteHeader(code int) {
	if w.code == 0 && (code >= 200 || code == http.StatusSwitchingProtocols) {
		w.begin(code)
	}
	w.ResponseWriter.WriteHeader(code)
}

func (w *responseRecorder) Write(b []byte) (int, error) {
	if w.code == 0 {
		w.begin(http.StatusOK)
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

// begin notes the status and joins the lines of Vary: nginx before 1.23 heeds only the last.
func (w *responseRecorder) begin(code int) {
	w.code = code
	if vary := w.Header().Values("Vary"); len(vary) > 1 {
		w.Header().Set("Vary", strings.Join(vary, ", "))
	}
}

// Flush implements http.Flusher.
func (w *responseRecorder) Flush() {
	if w.code == 0 {
		w.begin(http.StatusOK)
	}
	_ = http.NewResponseController(w.ResponseWriter).Flush()
}

// Hijack implements http.Hijacker.
func (w *responseRecorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.begin(http.StatusOK)
	return http.NewResponseController(w.ResponseWriter).Hijack()
}

// Unwrap gives http.ResponseController access to the wrapped writer.
func (w *responseRecorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *responseRecorder) status() int {
	if w.code == 0 {
		return http.StatusOK
	}
	return w.code
}
