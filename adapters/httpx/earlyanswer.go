package httpx

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"
)

const (
	// longBody is from which Content-Length on a refusal does not wait for the body.
	longBody = 64 << 10
	// maxHeld bounds a refusal; a longer one is sent as it is written.
	maxHeld = 64 << 10
	// maxUnread and drainTimeout bound what is read and discarded after a refusal, so that a client
	// that reads only after it has sent everything can read it.
	maxUnread    = 64 << 20
	drainTimeout = 15 * time.Second
)

// IsTooLong reports whether a request says itself that its body is longer than max.
func IsTooLong(r *http.Request, max int64) bool { return r.ContentLength > max }

// answerEarly sends the refusal of a request with a long body at once and whole, instead of
// after the body or never: net/http closes the connection of a client that still sends.
func (m *Middleware) answerEarly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength <= longBody {
			next.ServeHTTP(w, r)
			return
		}
		copied, unread := *r, &watchedBody{ReadCloser: r.Body} // net/http knows its own body alone
		copied.Body = unread
		held := &heldRefusal{ResponseWriter: w}
		next.ServeHTTP(held, &copied)
		if held.send(!unread.ended) && !unread.ended {
			control := http.NewResponseController(w)
			_ = control.Flush()
			if control.SetReadDeadline(time.Now().Add(drainTimeout)) == nil {
				_, _ = io.CopyN(io.Discard, r.Body, min(r.ContentLength, maxUnread))
			}
		}
	})
}

// watchedBody notes that all of a body was read.
type watchedBody struct {
	io.ReadCloser
	ended bool
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.ended = b.ended || errors.Is(err, io.EOF)
	return n, err
}

// heldRefusal holds back a refusal until it is whole. Other answers, and those that say how
// long they are, pass.
type heldRefusal struct {
	http.ResponseWriter
	code    int // of the refusal; 0: none
	body    []byte
	passing bool
}

// WriteHeader implements http.ResponseWriter.
func (w *heldRefusal) WriteHeader(code int) {
	switch {
	case w.passing || w.code != 0:
	case code >= http.StatusBadRequest && w.Header().Get("Content-Length") == "":
		w.code = code
		return
	default:
		w.passing = code >= http.StatusOK || code == http.StatusSwitchingProtocols
	}
	if w.code == 0 {
		w.ResponseWriter.WriteHeader(code)
	}
}

// Write implements http.ResponseWriter.
func (w *heldRefusal) Write(b []byte) (int, error) {
	if w.code == 0 {
		w.passing = true
		return w.ResponseWriter.Write(b)
	}
	if len(w.body)+len(b) <= maxHeld {
		w.body = append(w.body, b...)
		return len(b), nil
	}
	w.release()
	return w.ResponseWriter.Write(b)
}

// release sends what is held, and lets the rest pass.
func (w *heldRefusal) release() {
	if w.code == 0 {
		return
	}
	w.ResponseWriter.WriteHeader(w.code)
	_, _ = w.ResponseWriter.Write(w.body)
	w.code, w.body, w.passing = 0, nil, true
}

// send sends a whole refusal; false if there is none. The connection of an unread body ends
// with it.
func (w *heldRefusal) send(unread bool) bool {
	if w.code == 0 {
		return false
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(w.body)))
	if unread {
		w.Header().Set("Connection", "close")
	}
	w.release()
	return true
}

// Flush implements http.Flusher.
func (w *heldRefusal) Flush() {
	w.release()
	_ = http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap gives http.ResponseController access to the wrapped writer.
func (w *heldRefusal) Unwrap() http.ResponseWriter { return w.ResponseWriter }
