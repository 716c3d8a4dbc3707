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
	errTooManyStreams = fault.New(fault.Limited, "too_many_streams", "You have too many open streams; close one first.").After(30 * time.Second)
	errLastEventID    = fault.New(fault.Invalid, "invalid_fields", "Some fields are missing or not valid.").
				WithField("Last-Event-ID", "Must be the id of a notification.")
)

// streams counts the open streams of each person in this process.
type streams struct {
	mu   sync.Mutex
	open map[user.ID]int
	most int
}

func newStreams(most int) *streams { return &streams{open: map[user.ID]int{}, most: most} }

func (s *streams) enter(id user.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[id] >= s.most {
		return false
	}
	s.open[id]++
	return true
}

func (s *streams) leave(id user.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[id]--; s.open[id] == 0 {
		delete(s.open, id)
	}
}

// streamNotifications serves GET /api/user/notifications/stream.
func (e *Edge) streamNotifications(c *gin.Context) {
	ctx := c.Request.Context()
	caller := by(ctx)
	last, err := e.resumeAt(ctx, caller, c.GetHeader("Last-Event-ID"))
	if err == nil && !e.streams.enter(caller.ID) {
		err = errTooManyStreams
	}
	if err != nil {
		e.refuse(c, err)
		return
	}
	defer e.streams.leave(caller.ID)
	ring, stop := e.Notifications.Subscribe(caller)
	defer stop()
	h := c.Writer.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // proxies must not hold events back
	s := stream{edge: e, by: caller, last: last, w: c.Writer, control: http.NewResponseController(c.Writer)}
	// The reason for which a stream ends is nobody's business: clients connect
	// again, and are told then.
	_ = s.run(ctx, ring)
}

// resumeAt is the number after which the stream begins. A number that nothing has
// had, as after a restore from a backup, is no reason to wait until it comes.
func (e *Edge) resumeAt(ctx context.Context, caller user.Caller, header string) (notification.ID, error) {
	n, ok := id.Parse(header)
	if !ok && header != "" && header != "0" {
		return 0, errLastEventID
	}
	latest, err := e.Notifications.LatestID(ctx, caller)
	if header == "" {
		return latest, err
	}
	return min(notification.ID(n), latest), err
}

// stream is one open connection.
type stream struct {
	edge    *Edge
	by      user.Caller
	last    notification.ID
	w       http.ResponseWriter
	control *http.ResponseController
}

// run tells what happens until the client leaves, the server stops or the token
// no longer holds.
func (s *stream) run(ctx context.Context, ring <-chan struct{}) error {
	heartbeat := time.NewTicker(s.edge.cfg.Heartbeat)
	defer heartbeat.Stop()
	look := time.NewTicker(s.edge.cfg.Look)
	defer look.Stop()
	if err := s.write(": connected\nretry: 3000\n\n"); err != nil {
		return err
	}
	for {
		if err := s.tell(ctx); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-httpx.Draining(ctx):
			return nil
		case <-ring:
		case <-look.C:
		case <-heartbeat.C:
			if err := s.beat(ctx); err != nil {
				return err
			}
		}
	}
}

// tell writes all that is new.
func (s *stream) tell(ctx context.Context) error {
	for {
		news, err := s.news(ctx)
		if err != nil || len(news) == 0 {
			return err
		}
		for _, n := range news {
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

// news is what is new, provided that the token still holds.
func (s *stream) news(ctx context.Context) ([]notification.Notification, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	news, err := s.edge.Notifications.ListAfter(ctx, s.by, s.last)
	if err == nil && len(news) > 0 {
		err = httpx.Reauthenticate(ctx)
	}
	return news, err
}

func (s *stream) beat(ctx context.Context) error {
	if err := httpx.Reauthenticate(ctx); err != nil {
		return err
	}
	return s.write(": alive\n\n")
}

// patience is how long a client may take to read what was written, and a store to
// say what comes next.
const patience = 10 * time.Second

func (s *stream) write(text string) error {
	// Servers without deadlines, as in tests, are fine too.
	_ = s.control.SetWriteDeadline(time.Now().Add(patience))
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	return s.control.Flush()
}
