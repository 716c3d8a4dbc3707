// Package conformance tests the promises of the webhook receiver: as a library,
// over HTTP, and against hostile input. The name of a case is the promise.
package conformance

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
)

// cases are promises with their tests.
type cases map[string]func(*testing.T)

// behaviour and hostile list all groups of cases.
var (
	behaviour = []cases{signing, secrets, registering, dispatching, transforming, typed, failing, answers, routes, mounting, relaying}
	hostile   = []cases{hostileLibrary, hostileHTTP, hostileConnections}
)

func TestTheReceiverBehavesAsPromised(t *testing.T) { runAll(t, behaviour, 80) }

func TestTheReceiverWithstandsHostileInput(t *testing.T) { runAll(t, hostile, 30) }

func runAll(t *testing.T, groups []cases, least int) {
	count := 0
	for _, group := range groups {
		for name, check := range group {
			count++
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				check(t)
			})
		}
	}
	if count < least {
		t.Errorf("%d cases, want at least %d", count, least)
	}
}

const secret = "correct horse battery staple"

// ctx is the context of a case, with a deadline.
func ctx(t *testing.T) context.Context {
	t.Helper()
	bounded, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	return bounded
}

var silent = slog.New(slog.NewTextHandler(io.Discard, nil))

// newReceiver makes a receiver that logs nothing.
func newReceiver(t *testing.T, opts ...receiver.Option) *receiver.Receiver {
	t.Helper()
	return must.Get(receiver.New(secret, append([]receiver.Option{receiver.WithLogger(silent)}, opts...)...))(t)
}

// wantErr requires an error that wraps target.
func wantErr(t *testing.T, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Fatalf("got error %v, want %v", err, target)
	}
}

// event returns an event with the payload, {} if it is empty.
func event(name webhook.EventName, payload string) webhook.Event {
	if payload == "" {
		payload = "{}"
	}
	return webhook.Event{ID: "delivery-1", Name: name, Payload: []byte(payload)}
}

// signed returns a delivery with the right signature.
func signed(t *testing.T, r *receiver.Receiver, name webhook.EventName, payload string) receiver.Delivery {
	t.Helper()
	signature := must.Get(r.Sign([]byte(payload)))(t)
	return receiver.Delivery{ID: "delivery-1", Name: name, Payload: []byte(payload), Signature: signature}
}

// journal records lines from any goroutine.
type journal struct {
	mu    sync.Mutex
	lines []string
	grown sync.Cond
}

func newJournal() *journal {
	j := &journal{}
	j.grown.L = &j.mu
	return j
}

func (j *journal) note(line string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, line)
	j.grown.Broadcast()
}

// handler makes a handler that records line for each event.
func (j *journal) handler(line string) *receiver.Handler {
	return receiver.Func(func(context.Context, webhook.Event) error {
		j.note(line)
		return nil
	})
}

// count returns how often line was recorded.
func (j *journal) count(line string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := 0
	for _, l := range j.lines {
		if l == line {
			n++
		}
	}
	return n
}

// waitFor waits until n lines are recorded.
func (j *journal) waitFor(t *testing.T, n int) []string {
	t.Helper()
	give := time.AfterFunc(20*time.Second, func() { j.note("gave up waiting") })
	defer give.Stop()
	j.mu.Lock()
	defer j.mu.Unlock()
	for len(j.lines) < n {
		j.grown.Wait()
	}
	return append([]string(nil), j.lines...)
}

// expect requires line to be recorded n times.
func (j *journal) expect(t *testing.T, line string, n int) {
	t.Helper()
	if got := j.count(line); got != n {
		t.Fatalf("%q was recorded %d times, want %d", line, got, n)
	}
}
