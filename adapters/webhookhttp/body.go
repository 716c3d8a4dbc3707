package webhookhttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"time"
)

var (
	errTooLarge = errors.New("the body is too large")
	errSlow     = errors.New("the body did not arrive in time")
)

const (
	// maxTrusted limits the memory that is allocated for a Content-Length before the
	// body arrives; the buffer of a longer body grows as it arrives.
	maxTrusted = 64 << 10
	// maxDiscard is how much of an unread body net/http discards by itself.
	maxDiscard = 256 << 10
	// maxDrain is how much of a refused body is read and discarded, so that a client
	// that is still sending can read the answer.
	maxDrain = 256 << 20
)

// readBody reads a body of at most max bytes that arrives before the deadline.
// The errors are errTooLarge, errSlow or the connection's.
func readBody(w http.ResponseWriter, req *http.Request, max int64, deadline time.Time) ([]byte, error) {
	if req.ContentLength > max {
		return nil, errTooLarge
	}
	control := http.NewResponseController(w)
	if control.SetReadDeadline(deadline) == nil {
		defer func() { _ = control.SetReadDeadline(time.Time{}) }()
	} // otherwise not a network connection: the loop checks the deadline after each read
	capacity := req.ContentLength
	if capacity < 0 || capacity > maxTrusted {
		capacity = maxTrusted
	}
	body := make([]byte, 0, capacity)
	for {
		if len(body) == cap(body) {
			body = append(body, 0)[:len(body)]
		}
		n, err := req.Body.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case int64(len(body)) > max:
			return nil, errTooLarge
		case err == io.EOF:
			return body, nil
		case isTimeout(err), err == nil && time.Now().After(deadline):
			return nil, errSlow
		case err != nil:
			return nil, err
		}
	}
}

func isTimeout(err error) bool {
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded)
}

// isLong reports whether net/http would close the connection if the body stayed unread.
func isLong(req *http.Request) bool {
	return req.ContentLength < 0 || req.ContentLength > maxDiscard
}

// drain reads what a client still sends after the answer. Without it, the kernel resets
// the connection and the client may never see the answer. A client that waits for
// "100 Continue" sends nothing.
func drain(w http.ResponseWriter, req *http.Request, deadline time.Time) {
	control := http.NewResponseController(w)
	if control.Flush() != nil || req.Header.Get("Expect") != "" {
		return
	}
	if control.SetReadDeadline(deadline) == nil {
		_, _ = io.CopyN(io.Discard, req.Body, maxDrain)
	}
}
