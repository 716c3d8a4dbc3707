package inboxhttp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/inbox"
)

// Streamed is a delivery in the stream. A body is text unless that would not be read back
// to the byte; then it is base64.
type Streamed struct {
	ID         string            `json:"id"`
	Name       string            `json:"name"` // Delivery.Name
	Source     string            `json:"source"`
	Event      string            `json:"event"`
	Action     *string           `json:"action"`
	ReceivedAt time.Time         `json:"receivedAt"`
	Header     map[string]string `json:"header"` // of the sender, to be forwarded; null for the sender host
	Body       *string           `json:"body,omitempty"`
	BodyBase64 []byte            `json:"bodyBase64,omitempty"` // neither if the stored body is damaged
}

// streamed converts a delivery of the feed.
func streamed(d inbox.Delivery) Streamed {
	v := Streamed{
		ID: d.SenderID(), Name: d.Name(), Source: d.Source, Event: string(d.Event), Action: optional(d.Action), ReceivedAt: d.ReceivedAt,
		Header: d.Header,
	}
	if text := string(d.Payload); utf8.Valid(d.Payload) && len(d.Payload) > 0 {
		v.Body = &text
	} else {
		v.BodyBase64 = d.Payload
	}
	return v
}

// Payload returns the body, nil if the stored one is damaged.
func (s Streamed) Payload() []byte {
	if s.Body != nil {
		return []byte(*s.Body)
	}
	return s.BodyBase64
}

// stream serves the deliveries that are accepted from now on, or after the one of
// Last-Event-ID, as server-sent events, until the client leaves or the server stops.
func (h *handler) stream(w http.ResponseWriter, r *http.Request) {
	follow, err := parseFollow(r)
	if err != nil {
		h.writeError(w, r, err)
		return
	}
	ctx, stop := untilDraining(r.Context())
	defer stop()
	s := &stream{w: w, control: http.NewResponseController(w)}
	err = h.admin.FollowDeliveries(ctx, follow, s)
	if err == nil || s.began || ctx.Err() != nil {
		return // the client reconnects, and that request reports the error
	}
	h.writeError(w, r, err)
}

// untilDraining returns a context that also ends when the server begins to stop.
func untilDraining(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithCancel(ctx)
	go func() {
		select {
		case <-httpx.Draining(ctx):
			stop()
		case <-ctx.Done():
		}
	}()
	return ctx, stop
}

// parseFollow parses the parameters of the stream; an empty value counts as absent.
func parseFollow(r *http.Request) (f inbox.Follow, err error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return f, inbox.ErrQuery
	}
	for name, all := range values {
		switch {
		case name != "source" && name != "event":
			return f, inbox.ErrQuery.WithField(strconv.Quote(name), "is not a parameter of the stream")
		case name == "source" && len(all) > 1:
			return f, inbox.ErrQuery.WithField(name, "is given more than once")
		}
	}
	f = inbox.Follow{After: -1, Source: values.Get("source"), Match: strings.Trim(strings.Join(values["event"], "\n"), "\n")}
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		if f.After, err = strconv.ParseInt(last, 10, 64); err != nil || f.After < 0 {
			return f, inbox.ErrQuery.WithField("Last-Event-ID", "must be the id of an event of this stream")
		}
	}
	return f, nil
}

// The limits of writing. A client that takes less than a piece in writeTimeout is dropped.
const (
	writeTimeout = 10 * time.Second
	pieceSize    = 64 << 10
)

// stream writes events to one client.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	began   bool
}

// Progress implements inbox.Follower: the id tells the client where to resume.
func (s *stream) Progress(position int64) error {
	if s.began {
		return s.write(fmt.Appendf(nil, ": alive\nid: %d\n\n", position))
	}
	s.began = true
	// The server's timeout for reading a request would end its context. Test servers do not
	// support deadlines; ignore that error.
	_ = s.control.SetReadDeadline(time.Time{})
	header := s.w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Accel-Buffering", "no") // stops proxies from buffering events
	return s.write(fmt.Appendf(nil, ": connected\nretry: 1000\nid: %d\n\n", position))
}

// Deliver implements inbox.Follower.
func (s *stream) Deliver(d inbox.FeedDelivery) error {
	var event bytes.Buffer
	fmt.Fprintf(&event, "event: delivery\nid: %d\ndata: ", d.Position)
	data := json.NewEncoder(&event) // writes one line
	data.SetEscapeHTML(false)
	if err := data.Encode(streamed(d.Delivery)); err != nil {
		return err
	}
	event.WriteByte('\n')
	return s.write(event.Bytes())
}

// write writes piece by piece, each with a deadline of its own.
func (s *stream) write(text []byte) error {
	for len(text) > 0 {
		// Test servers do not support deadlines; ignore that error.
		_ = s.control.SetWriteDeadline(time.Now().Add(writeTimeout))
		n, err := s.w.Write(text[:min(len(text), pieceSize)])
		if err != nil {
			return err
		}
		text = text[n:]
	}
	err := s.control.Flush()
	_ = s.control.SetWriteDeadline(time.Time{}) // over HTTP/2 it would end a stream to which nobody writes
	return err
}
