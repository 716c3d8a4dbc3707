package httpx

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// eventTimeout bounds each write to a client.
const eventTimeout = 10 * time.Second

// ErrClientGone ends a stream whose client has disconnected, or has sent more than its request.
var ErrClientGone = errors.New("httpx: the client has left the stream")

// EventStream is a response of server-sent events. It has taken its connection over from the
// server, which would keep about 40 KB for a request that is being served: the buffers, and the
// stack of everything between server and handler. A stream that waits needs one goroutine.
type EventStream struct {
	conn   net.Conn
	shared *sharedStream // over HTTP/2, where many requests share a connection
	woken  atomic.Bool
}

// OpenEventStream sends the header of a response of events. Call Go next, and return from the
// handler.
func OpenEventStream(w http.ResponseWriter, r *http.Request) (*EventStream, error) {
	if r.ProtoMajor > 1 {
		return openSharedStream(w, r)
	}
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil, err
	}
	header := w.Header().Clone()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	header.Set("X-Accel-Buffering", "no")              // stops proxies from buffering events
	_ = conn.SetDeadline(time.Now().Add(eventTimeout)) // instead of the server's
	answer := http.Response{StatusCode: http.StatusOK, ProtoMajor: 1, ProtoMinor: 1, Header: header, ContentLength: -1}
	if err := answer.Write(conn); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return &EventStream{conn: conn}, nil
}

// detached returns a context with what streams need of a request's. It does not keep the
// request and its response in memory.
func detached(ctx context.Context) context.Context {
	own := context.Background()
	if info := requestInfo(ctx); info != nil {
		own = context.WithValue(own, requestInfoKey{}, info)
	}
	if c := credentialOf(ctx); c != nil {
		own = context.WithValue(own, credentialKey{}, &credential{token: c.token, malformed: c.malformed, auth: c.auth})
	}
	return own
}

// Go calls serve in a goroutine of its own, and then closes the stream; over HTTP/2 it returns when
// the stream ends. The context of serve is not that of the request, but Reauthenticate, ClientInfo
// and RequestID know it, too. A panic is logged.
func (s *EventStream) Go(request context.Context, log *slog.Logger, serve func(context.Context)) {
	ctx := detached(request)
	if s.shared != nil {
		serve(ctx)
		return
	}
	go func() {
		defer func() { _ = s.conn.Close() }()
		defer func() {
			if p := recover(); p != nil {
				log.ErrorContext(ctx, "panic", "request_id", RequestID(ctx), "panic", p, "stack", string(debug.Stack()))
			}
		}()
		serve(ctx)
	}()
}

// Send writes whole lines of the stream. An error means that the client is gone or too slow.
func (s *EventStream) Send(lines string) error {
	if s.shared != nil {
		return s.shared.send(lines)
	}
	_ = s.conn.SetWriteDeadline(time.Now().Add(eventTimeout))
	_, err := s.conn.Write([]byte(lines))
	return err
}

// Wake ends a Wait, or the next one if there is none. It does not block.
func (s *EventStream) Wake() {
	s.woken.Store(true)
	if s.shared != nil {
		s.shared.wake()
		return
	}
	_ = s.conn.SetReadDeadline(time.Unix(1, 0)) // ends the read in Wait
}

// Wait returns true after a Wake and false after the given time, or ErrClientGone.
func (s *EventStream) Wait(until time.Time) (woken bool, err error) {
	if s.shared != nil {
		err := s.shared.wait(until)
		return err == nil && s.woken.Swap(false), err
	}
	_ = s.conn.SetReadDeadline(until)
	if s.woken.Swap(false) { // perhaps before the deadline was set
		return true, nil
	}
	_, err = s.conn.Read(make([]byte, 1))
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return false, ErrClientGone
	}
	return s.woken.Swap(false), nil
}
