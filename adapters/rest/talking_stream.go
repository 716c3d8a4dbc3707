package rest

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/rest/openstreams"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

func (h *Handler) streamOperations() feature {
	return feature{streams: map[string]gin.HandlerFunc{"/api/user/notifications/stream": h.streamNotifications}}
}

var (
	errTooManyStreams = fault.New(fault.Limited, "too_many_streams", "You have too many open streams. Close one first.").
				After(30 * time.Second)
	errLastEventID = fault.New(fault.Invalid, "invalid_fields", "Some fields are missing or invalid.").
			WithField("Last-Event-ID", "Must be the ID of a notification.")
)

// streamNotifications serves GET /api/user/notifications/stream.
func (h *Handler) streamNotifications(c *gin.Context) {
	ctx := c.Request.Context()
	caller := callerOf(ctx)
	last, err := h.resumeAt(ctx, caller, c.GetHeader("Last-Event-ID"))
	if httpx.IsHead(ctx) && err == nil {
		c.Header("Content-Type", "text/event-stream")
		return
	}
	if err == nil && !h.streams.Reserve(caller.ID) {
		err = errTooManyStreams
	}
	if err != nil {
		h.abortWithError(c, err)
		return
	}
	out, err := httpx.OpenEventStream(c.Writer, c.Request)
	if err != nil {
		h.streams.Release(caller.ID)
		return // the client is gone
	}
	s := &stream{handler: h, by: caller, last: last, out: out}
	s.open = openstreams.Stream{By: caller, End: s.end}
	h.streams.Add(&s.open, httpx.Draining(ctx))
	out.Go(ctx, h.log, s.serve)
}

// resumeAt returns the id after which the stream starts. It is never above the latest
// id: after a restore from a backup, the client would wait for ids in the future.
func (h *Handler) resumeAt(ctx context.Context, caller user.Caller, header string) (notification.ID, error) {
	n, ok := id.Parse(header)
	if !ok && header != "" && header != "0" {
		return 0, errLastEventID
	}
	latest, err := h.Notifications.LatestID(ctx, caller)
	if header == "" {
		return latest, err
	}
	return min(notification.ID(n), latest), err
}

// stream is one open connection.
type stream struct {
	handler *Handler
	by      user.Caller
	last    notification.ID
	out     *httpx.EventStream
	open    openstreams.Stream
	ended   atomic.Bool // the session has ended, or the server stops
}

// end makes the stream end.
func (s *stream) end() {
	s.ended.Store(true)
	s.out.Wake()
}

// serve runs the stream. Its error is not logged: the client reconnects, and that request
// reports it.
func (s *stream) serve(ctx context.Context) {
	defer s.handler.streams.Release(s.by.ID)
	defer s.handler.streams.Remove(&s.open)
	defer s.handler.Notifications.Subscribe(s.by, s.out.Wake)()
	_ = s.run(ctx)
}

// run sends notifications until the client disconnects, the server shuts down, the session
// ends or the token expires. While nothing happens it reads nothing.
func (s *stream) run(ctx context.Context) error {
	err := s.out.Send(": connected\nretry: 3000\n\n")
	if err == nil {
		err = s.writeNew(ctx)
	}
	beat := time.Now().Add(s.handler.cfg.Heartbeat)
	for err == nil && !s.ended.Load() {
		var woken bool
		switch woken, err = s.out.Wait(beat); {
		case err != nil || s.ended.Load():
		case woken:
			err = s.writeNew(ctx)
		default:
			err = s.heartbeat(ctx)
			beat = time.Now().Add(s.handler.cfg.Heartbeat)
		}
	}
	return err
}

// writeNew writes all new notifications.
func (s *stream) writeNew(ctx context.Context) error {
	for {
		batch, err := s.next(ctx)
		if err != nil || len(batch) == 0 {
			return err
		}
		for _, n := range batch {
			data, err := json.Marshal(notificationOf(n))
			if err != nil {
				return err
			}
			if err := s.out.Send(fmt.Sprintf("event: notification\nid: %s\ndata: %s\n\n", n.ID, data)); err != nil {
				return err
			}
			s.last = n.ID
		}
	}
}

// next returns the next batch. It checks the token again before it returns any.
func (s *stream) next(ctx context.Context) ([]notification.Notification, error) {
	ctx, cancel := context.WithTimeout(ctx, ioTimeout)
	defer cancel()
	batch, err := s.handler.Notifications.ListAfter(ctx, s.by, s.last)
	if err == nil && len(batch) > 0 {
		err = httpx.Reauthenticate(ctx)
	}
	return batch, err
}

// heartbeat keeps the connection open, and ends it when the token has expired.
func (s *stream) heartbeat(ctx context.Context) error {
	if until := s.by.Expires; !until.IsZero() && !s.handler.clock.Now().Before(until) {
		return user.ErrUnauthenticated
	}
	s.handler.streams.Beat(ctx)
	return s.out.Send(": alive\n\n")
}

// ioTimeout bounds each read from the store.
const ioTimeout = 10 * time.Second
