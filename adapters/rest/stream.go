package rest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

var (
	errTooManyStreams = fault.New(fault.Limited, "too_many_streams", "You have too many open streams. Close one first.").After(30 * time.Second)
	errLastEventID    = fault.New(fault.Invalid, "invalid_fields", "Some fields are missing or invalid.").
				WithField("Last-Event-ID", "Must be the ID of a notification.")
)

// streams limits the open streams of each person in this process.
type streams struct {
	mu   sync.Mutex
	open map[user.ID]int
	max  int
}

func newStreams(maxPerUser int) *streams { return &streams{open: map[user.ID]int{}, max: maxPerUser} }

func (s *streams) acquire(id user.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[id] >= s.max {
		return false
	}
	s.open[id]++
	return true
}

func (s *streams) release(id user.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[id]--; s.open[id] == 0 {
		delete(s.open, id)
	}
}

// streamNotifications serves GET /api/user/notifications/stream.
func (h *Handler) streamNotifications(c *gin.Context) {
	ctx := c.Request.Context()
	caller := callerOf(ctx)
	last, err := h.resumeAt(ctx, caller, c.GetHeader("Last-Event-ID"))
	if err == nil && !h.streams.acquire(caller.ID) {
		err = errTooManyStreams
	}
	if err != nil {
		h.abortWithError(c, err)
		return
	}
	defer h.streams.release(caller.ID)
	signal, stop := h.Notifications.Subscribe(caller)
	defer stop()
	header := c.Writer.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("X-Accel-Buffering", "no") // stops proxies from buffering events
	s := stream{handler: h, by: caller, last: last, w: c.Writer, control: http.NewResponseController(c.Writer)}
	// The error is not logged: the client reconnects, and that request reports it.
	_ = s.run(ctx, signal)
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
	w       http.ResponseWriter
	control *http.ResponseController
}

// run sends notifications until the client disconnects, the server shuts down or the
// token is no longer valid.
func (s *stream) run(ctx context.Context, signal <-chan struct{}) error {
	heartbeat := time.NewTicker(s.handler.cfg.Heartbeat)
	defer heartbeat.Stop()
	if err := s.write(": connected\nretry: 3000\n\n"); err != nil {
		return err
	}
	for {
		if err := s.writeNew(ctx); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-httpx.Draining(ctx):
			return nil
		case <-signal:
		case <-heartbeat.C:
			if err := s.heartbeat(ctx); err != nil {
				return err
			}
		}
	}
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
			if err := s.write(fmt.Sprintf("event: notification\nid: %s\ndata: %s\n\n", n.ID, data)); err != nil {
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

func (s *stream) heartbeat(ctx context.Context) error {
	if err := httpx.Reauthenticate(ctx); err != nil {
		return err
	}
	return s.write(": alive\n\n")
}

// ioTimeout bounds each write to the client and each read from the store.
const ioTimeout = 10 * time.Second

func (s *stream) write(text string) error {
	// Test servers do not support deadlines; ignore that error.
	_ = s.control.SetWriteDeadline(time.Now().Add(ioTimeout))
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	return s.control.Flush()
}
