package outagelog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/test/poll"
)

type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Split(strings.TrimSpace(l.text.String()), "\n")
}

func TestWhileTheDatabaseIsAwayTheLogHasOneLineAtItsBeginningAndOneAtItsEnd(t *testing.T) {
	var out lines
	h := newHandler(slog.NewTextHandler(&out, nil))
	h.outage.every = time.Millisecond
	log := slog.New(h)
	var back atomic.Bool
	away := fmt.Errorf("%w: dial tcp 127.0.0.1:5432: connection refused", gormstore.ErrUnavailable)
	log.Warn("before anybody watches", "error", away)
	h.outage.watch(func(context.Context) error {
		if back.Load() {
			return nil
		}
		return away
	}, t.Context().Done())
	for range 200 {
		log.Warn("delete expired rows", "error", away)
		log.With("component", "market").Error("request", "route", "/api/books", "status", 503)
		log.Warn("a dependency is down", "name", "database", "error", away)
	}
	log.Warn("something else", "error", errors.New("boom"))
	log.Info("request", "route", "/healthz", "status", 200)
	back.Store(true)
	if !poll.Until(func() bool { return strings.Contains(strings.Join(out.all(), "\n"), "can be used again") }) {
		t.Fatalf("the end is not logged: %q", out.all())
	}
	log.Warn("a dependency is down", "name", "jobs", "error", away) // as it was found before
	log.Error("request", "route", "/api/books", "status", 503)
	want := []string{"before anybody watches", "the database cannot be used; what follows", "something else", "/healthz", "lines_left_out=599", "status=503"}
	got := out.all()
	if len(got) != len(want) {
		t.Fatalf("%d lines: %q", len(got), got)
	}
	for i, text := range want {
		if !strings.Contains(got[i], text) {
			t.Errorf("line %d is %s, want %s", i+1, got[i], text)
		}
	}
}
