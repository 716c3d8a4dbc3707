package webhookdurable_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/webhookdurable"
	hooks "github.com/octavo-books/octavo/adapters/webhookhttp"
	"github.com/octavo-books/octavo/test/poll"
)

// journal notes what handlers have seen.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) note(line string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, line)
}

func (j *journal) is(want ...string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Equal(j.lines, want)
}

// open opens an inbox that is closed at the end of the test.
func open(t *testing.T, path string, r *hooks.Receiver, o webhookdurable.Options) *webhookdurable.Inbox {
	t.Helper()
	i, err := webhookdurable.OpenWith(path, r, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = i.Close() })
	return i
}

// deliver sends a delivery and requires the status.
func deliver(t *testing.T, r *hooks.Receiver, id string, want int) {
	t.Helper()
	answer := httptest.NewRecorder()
	req := hooks.SignedRequest("hush", "http://hooks.example/x", hooks.Event{ID: id, Name: "push", Payload: []byte(`{"ref":"main"}`)}, r.Sender())
	hooks.Endpoint(r, hooks.Options{}).ServeHTTP(answer, req)
	if answer.Code != want {
		t.Fatalf("%s: answered %d %s, want %d", id, answer.Code, answer.Body, want)
	}
}

func TestADeliveryIsHandledUntilItsHandlersSucceedAndOnlyOnce(t *testing.T) {
	r, j := hooks.Must("hush", hooks.WithSender(hooks.GitHub)), &journal{}
	tries := 0
	r.Handle("push", func(_ context.Context, e hooks.Event) error {
		if tries++; tries == 1 {
			return errors.New("the disk is full")
		}
		j.note(e.ID + " " + e.Header["X-Github-Event"] + " " + string(e.Payload))
		return nil
	})
	open(t, filepath.Join(t.TempDir(), "hooks.db"), r, webhookdurable.Options{Concurrency: 1})
	deliver(t, r, "7", http.StatusOK)
	deliver(t, r, "7", http.StatusOK)
	poll.For(t, "the handler has run", func() bool { return j.is(`7 push {"ref":"main"}`) })
	deliver(t, r, "7", http.StatusOK)
	deliver(t, r, "8", http.StatusOK)
	poll.For(t, "the handler has run", func() bool { return j.is(`7 push {"ref":"main"}`, `8 push {"ref":"main"}`) })
}

// A program that dies between the answer and the handler handles the delivery when it starts again.
func TestWhatWasAcknowledgedIsHandledAfterARestart(t *testing.T) {
	path, begun := filepath.Join(t.TempDir(), "hooks.db"), make(chan struct{})
	first := hooks.Must("hush")
	first.Handle("push", func(ctx context.Context, _ hooks.Event) error {
		close(begun)
		return hooks.Retry(time.Second)
	})
	i := open(t, path, first, webhookdurable.Options{})
	deliver(t, first, "7", http.StatusOK)
	<-begun
	if err := i.Close(); err != nil {
		t.Fatal(err)
	}
	deliver(t, first, "8", http.StatusServiceUnavailable)
	second, j := hooks.Must("hush"), &journal{}
	second.Handle("push", func(_ context.Context, e hooks.Event) error { j.note(e.ID); return nil })
	open(t, path, second, webhookdurable.Options{})
	poll.For(t, "the handler has run", func() bool { return j.is("7") })
}

func TestADeadLetterIsListedAndCanBeHandledAgain(t *testing.T) {
	r, j := hooks.Must("hush"), &journal{}
	var mended sync.Map
	r.Handle("push", func(_ context.Context, e hooks.Event) error {
		if _, ok := mended.Load("yes"); !ok {
			return hooks.WithStatus(errors.New("no such branch"), http.StatusGone)
		}
		j.note(e.ID)
		return nil
	})
	i := open(t, filepath.Join(t.TempDir(), "hooks.db"), r, webhookdurable.Options{})
	deliver(t, r, "7", http.StatusOK)
	var dead []webhookdurable.Dead
	poll.For(t, "the handler has run", func() bool {
		var err error
		dead, err = i.DeadLetters(t.Context())
		return err == nil && len(dead) == 1
	})
	if d := dead[0]; d.ID != "7" || d.Event != "push" || d.Tries != 1 || d.Error == "" {
		t.Errorf("got %+v", d)
	}
	mended.Store("yes", true)
	if err := i.Redeliver(t.Context(), "7"); err != nil {
		t.Fatal(err)
	}
	poll.For(t, "the handler has run", func() bool { return j.is("7") })
}

func TestAnInboxThatCannotBeOpenedIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hooks.db")
	for name, c := range map[string]struct {
		path string
		r    *hooks.Receiver
		o    webhookdurable.Options
	}{
		"a missing folder":   {filepath.Join(t.TempDir(), "no", "such", "folder", "hooks.db"), hooks.Must("hush"), webhookdurable.Options{}},
		"no path":            {"", hooks.Must("hush"), webhookdurable.Options{}},
		"no receiver":        {path, nil, webhookdurable.Options{}},
		"a long timeout":     {path, hooks.Must("hush"), webhookdurable.Options{Timeout: time.Hour}},
		"a path without end": {path, hooks.Must("hush"), webhookdurable.Options{OrderBy: "repository."}},
	} {
		if _, err := webhookdurable.OpenWith(c.path, c.r, c.o); err == nil || strings.Contains(err.Error(), "rule") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAFileHasOneInboxAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hooks.db")
	i := open(t, path, hooks.Must("hush"), webhookdurable.Options{})
	if _, err := webhookdurable.Open(path, hooks.Must("hush")); !errors.Is(err, webhookdurable.ErrInUse) {
		t.Errorf("a second one: %v", err)
	}
	if err := i.Redeliver(t.Context(), "7"); !errors.Is(err, webhookdurable.ErrNotFound) {
		t.Errorf("an unknown delivery: %v", err)
	}
	if err := i.Close(); err != nil {
		t.Fatal(err)
	}
	if err := i.Redeliver(t.Context(), "7"); !errors.Is(err, webhookdurable.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
	if _, err := i.DeadLetters(t.Context()); !errors.Is(err, webhookdurable.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
	open(t, path, hooks.Must("hush"), webhookdurable.Options{})
}
