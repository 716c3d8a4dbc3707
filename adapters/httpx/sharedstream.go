package httpx

import (
	"io"
	"net/http"
	"time"
)

// sharedStream is an event stream over HTTP/2. Its connection has other requests, too, so the server
// keeps it, and the handler waits for the end of the stream.
type sharedStream struct {
	out     http.ResponseWriter
	control *http.ResponseController
	gone    <-chan struct{}
	woken   chan struct{}
}

func openSharedStream(w http.ResponseWriter, r *http.Request) (*EventStream, error) {
	s := &sharedStream{out: w, control: http.NewResponseController(w), gone: r.Context().Done(), woken: make(chan struct{}, 1)}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	return &EventStream{shared: s}, s.send("")
}

// send leaves no deadline behind: over HTTP/2 it would end the stream although nobody writes.
func (s *sharedStream) send(lines string) error {
	_ = s.control.SetWriteDeadline(time.Now().Add(eventTimeout))
	if _, err := io.WriteString(s.out, lines); err != nil {
		return err
	}
	if err := s.control.Flush(); err != nil {
		return err
	}
	return s.control.SetWriteDeadline(time.Time{})
}

func (s *sharedStream) wake() {
	select {
	case s.woken <- struct{}{}:
	default:
	}
}

// wait returns after a wake or at the given time, or ErrClientGone.
func (s *sharedStream) wait(until time.Time) error {
	later := time.NewTimer(time.Until(until))
	defer later.Stop()
	select {
	case <-s.gone:
		return ErrClientGone
	case <-s.woken:
	case <-later.C:
	}
	return nil
}
