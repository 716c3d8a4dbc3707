// Package outagelog keeps the log readable while the database is away.
package outagelog

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
)

// handler writes one line when the database goes away and one when it is back. What would be
// logged about it in between, by every job and request, is counted and left out.
type handler struct {
	slog.Handler
	outage *outage
}

// outage is shared by the loggers that are derived from one.
type outage struct {
	every time.Duration // between probes

	mu      sync.Mutex
	probe   func(context.Context) error // nil: nobody watches a database
	ended   <-chan struct{}             // of the program
	since   time.Time                   // zero: the database is there
	back    time.Time                   // when it was back last
	leftOut int
}

const (
	probeDatabaseEvery = time.Second
	probeDatabaseFor   = 2 * time.Second
	// stragglers is how long after an outage lines may still tell of it: a failure that was
	// stored, or a request that waited.
	stragglers = 5 * time.Second
)

// New returns a handler that writes to another one.
func New(h slog.Handler) slog.Handler { return newHandler(h) }

func newHandler(h slog.Handler) handler { return handler{h, &outage{every: probeDatabaseEvery}} }

// Watch lets a log with such a handler notice when the database is back, until stop is called.
func Watch(log *slog.Logger, db *gormstore.DB) (stop func()) {
	h, ok := log.Handler().(handler)
	if !ok {
		return func() {}
	}
	ended := make(chan struct{})
	h.outage.watch(db.Ping, ended)
	return func() { close(ended) }
}

func (o *outage) watch(probe func(context.Context) error, ended <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.probe, o.ended = probe, ended
}

// Handle implements slog.Handler.
func (h handler) Handle(ctx context.Context, rec slog.Record) error {
	about := newLogged(rec)
	began, hidden := h.outage.note(about)
	switch {
	case hidden:
		return nil
	case !began:
		return h.Handler.Handle(ctx, rec)
	}
	first := slog.NewRecord(rec.Time, slog.LevelError, "the database cannot be used; what follows from that is not logged until it can", rec.PC)
	first.AddAttrs(slog.String("noticed", rec.Message), slog.Any("error", about.err))
	err := h.Handler.Handle(ctx, first)
	go h.awaitEnd() //nolint:gosec // the outage outlives the request that has noticed it
	return err
}

// note begins an outage, or reports that a line is to be left out.
func (o *outage) note(about logged) (began, hidden bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.probe == nil:
	case o.since.IsZero() && about.unavailable() && time.Since(o.back) < stragglers:
		hidden = true
	case o.since.IsZero() && about.unavailable():
		o.since, o.leftOut = time.Now(), 0
		began = true
	case !o.since.IsZero() && about.followsFromOutage():
		o.leftOut++
		hidden = true
	}
	return began, hidden
}

// awaitEnd logs the end of the outage.
func (h handler) awaitEnd() {
	tick := time.NewTicker(h.outage.every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-h.outage.ended:
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), probeDatabaseFor)
		err := h.outage.probe(ctx)
		cancel()
		if err != nil {
			continue
		}
		took, leftOut := h.outage.end()
		last := slog.NewRecord(time.Now(), slog.LevelInfo, "the database can be used again", 0)
		last.AddAttrs(slog.String("after", took.Round(time.Millisecond).String()), slog.Int("lines_left_out", leftOut))
		_ = h.Handler.Handle(context.Background(), last)
		return
	}
}

func (o *outage) end() (took time.Duration, leftOut int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	took, leftOut = time.Since(o.since), o.leftOut
	o.since, o.back = time.Time{}, time.Now()
	return took, leftOut
}

// WithAttrs implements slog.Handler.
func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{h.Handler.WithAttrs(attrs), h.outage}
}

// WithGroup implements slog.Handler.
func (h handler) WithGroup(name string) slog.Handler {
	return handler{h.Handler.WithGroup(name), h.outage}
}

// logged is what a line says that matters here.
type logged struct {
	message, name string
	status        int64
	err           error
}

func newLogged(rec slog.Record) logged {
	about := logged{message: rec.Message}
	rec.Attrs(func(a slog.Attr) bool {
		switch v := a.Value.Any().(type) {
		case error:
			about.err = v
		case string:
			if a.Key == "name" {
				about.name = v
			}
		case int64:
			if a.Key == "status" {
				about.status = v
			}
		}
		return true
	})
	return about
}

// unavailable reports whether a line says that the database cannot be used.
func (l logged) unavailable() bool { return errors.Is(l.err, gormstore.ErrUnavailable) }

// followsFromOutage reports whether a line adds nothing while the database is known to be away.
func (l logged) followsFromOutage() bool {
	switch {
	case l.err != nil:
		return errors.Is(gormstore.WrapUnavailable(l.err), gormstore.ErrUnavailable) || errors.Is(l.err, context.DeadlineExceeded)
	case l.message == "request":
		return l.status == http.StatusServiceUnavailable
	}
	return l.name == "database" // that it is up again
}
