package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/poll"
)

// eventTarget gets Octavo's own events.
type eventTarget struct {
	*httptest.Server
	t   *testing.T
	mu  sync.Mutex
	ids map[string]map[string]bool // of the events, by type and id of the book
	all []string                   // the bodies
}

// ownEvent is the body of an event.
type ownEvent struct {
	ID, Type string
	Data     struct{ BookID string }
}

const eventSecret = "whsec_dGhlIHNlY3JldCBvZiB0aGUgdGVzdA=="

func newEventTarget(t *testing.T) *eventTarget {
	t.Helper()
	x := &eventTarget{t: t, ids: map[string]map[string]bool{}}
	key, err := webhook.Standard.Key(eventSecret)
	if err != nil {
		t.Fatal(err)
	}
	x.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the program was killed while it sent
		}
		x.add(r.Header, body, key.Verify(webhook.Request{Header: r.Header, Body: body}, time.Now()))
	}))
	t.Cleanup(x.Close)
	return x
}

func (x *eventTarget) add(h http.Header, body []byte, signed bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	var e ownEvent
	if err := json.Unmarshal(body, &e); err != nil || !signed || e.ID == "" || e.ID != h.Get("Webhook-Id") || h.Get("Content-Type") != "application/json" {
		x.t.Errorf("%v arrived with %v, signed: %v, %v", string(body), h, signed, err)
	}
	key := e.Type + " " + e.Data.BookID
	if x.ids[key] == nil {
		x.ids[key] = map[string]bool{}
	}
	x.ids[key][e.ID] = true
	x.all = append(x.all, string(body))
}

// missing lists which of the books have no event of this type.
func (x *eventTarget) missing(eventType string, books []string) (missing []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range books {
		if len(x.ids[eventType+" "+id]) == 0 {
			missing = append(missing, id)
		}
	}
	return missing
}

func (x *eventTarget) await(eventType string, books []string) {
	x.t.Helper()
	var missing []string
	if !poll.Until(func() bool { missing = x.missing(eventType, books); return len(missing) == 0 }) {
		x.t.Errorf("%d of %d acknowledged changes have no %s: %q", len(missing), len(books), eventType, missing[:min(len(missing), 5)])
	}
}

// rules writes a file of rules that forwards Octavo's own events to the target.
func (x *eventTarget) rules() string {
	x.t.Helper()
	file := filepath.Join(x.t.TempDir(), "rules.yaml")
	text := fmt.Sprintf("- {name: own, source: octavo, match: ['*'], url: '%s/', secret: %s}\n", x.URL, eventSecret)
	write(x.t, file, text)
	return "WEBHOOK_RULES=" + file
}

func TestEveryAcknowledgedChangeHasItsEventAfterACrash(t *testing.T) {
	t.Parallel()
	skipOverReplicas(t)
	t.Run("in one process on SQLite", func(t *testing.T) {
		x := newEventTarget(t)
		s := e2e.StartWith(t, []string{x.rules()})
		eventsSurviveCrashes(t, x, s, s)
	})
	t.Run("in two processes on Postgres", func(t *testing.T) {
		x := newEventTarget(t)
		env := []string{"DATABASE_URL=" + database.PostgresURL(t), "WEBHOOK_EVENTS=on", x.rules()}
		if out, code := e2e.Octavo(t, append(env, "DATA_DIR="+t.TempDir()), "migrate", "up"); code != 0 {
			t.Fatal(out)
		}
		eventsSurviveCrashes(t, x, e2e.StartWith(t, env, "auth", "market"), e2e.StartWith(t, env, "webhooks"))
	})
}

// eventsSurviveCrashes trades on one server and kills it and the webhook service.
func eventsSurviveCrashes(t *testing.T, x *eventTarget, s, service *e2e.Server) {
	t.Helper()
	seller, buyer := s.Student("seller@mit.edu", "Sam"), s.Student("buyer@mit.edu", "Bea")
	var done acknowledged
	for round := range 3 {
		var wg sync.WaitGroup
		for worker := range 4 {
			wg.Go(func() { trade(&done, seller, buyer, fmt.Sprintf("Event %d-%d", round, worker)) })
		}
		poll.For(t, "books are traded", func() bool { return done.count() >= 15*(round+1) })
		service.Kill()
		if s != service {
			s.Kill()
			s.Restart()
		}
		service.Restart()
		wg.Wait()
	}
	if done.count() < 15 {
		t.Fatalf("only %d books were traded", done.count())
	}
	x.await("book.posted", done.posted)
	x.await("order.placed", done.bought)
	x.mu.Lock()
	defer x.mu.Unlock()
	for change, ids := range x.ids {
		if strings.HasPrefix(change, "book.posted") && len(ids) != 1 {
			t.Errorf("%s has %d events", change, len(ids))
		}
	}
	for _, body := range x.all {
		for _, secret := range []string{e2e.Password, "@mit.edu", "pay-", seller.Token, buyer.Token, "$2a$"} {
			if strings.Contains(body, secret) {
				t.Errorf("an event contains %q: %s", secret, body)
			}
		}
	}
}

func TestEventsBetweenProcessesNeedPostgres(t *testing.T) {
	t.Parallel()
	for _, parts := range [][]string{{"serve", "auth", "market"}, {"serve", "webhooks"}} {
		out, code := e2e.Octavo(t, []string{"DATA_DIR=" + t.TempDir(), "WEBHOOK_EVENTS=on"}, parts...)
		if code != 2 || strings.Count(out, "\n") != 1 || !strings.Contains(out, "WEBHOOK_EVENTS") || !strings.Contains(out, "Postgres") {
			t.Errorf("%v: %d, %s", parts, code, out)
		}
	}
}

func TestWithoutAWebhookServiceNoEventIsWritten(t *testing.T) {
	t.Parallel()
	skipOverReplicas(t)
	s := e2e.StartWith(t, nil, "auth", "market")
	s.Student("seller@mit.edu", "Sam").Post(t, "Calculus", "MTH 161")
	if code := s.Stop(); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	db, err := gormstore.Open(t.Context(), "sqlite:"+filepath.Join(s.DataDir, "octavo.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if n, _, err := outboxstore.NewEvents(db).CountEvents(t.Context()); n != 0 || err != nil {
		t.Errorf("%d events wait for nobody, %v", n, err)
	}
}
