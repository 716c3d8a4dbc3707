package e2e_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/e2e"
)

// crashRounds is how often the program is killed; OCTAVO_CRASH_ROUNDS=50 is the long form.
func crashRounds(t *testing.T) int {
	t.Helper()
	text := os.Getenv("OCTAVO_CRASH_ROUNDS")
	if text == "" {
		return 5
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("OCTAVO_CRASH_ROUNDS is %q", text)
	}
	return n
}

const webhookSecret = "the secret of the crash test"

// target receives forwarded deliveries. It fails now and then.
type target struct {
	*httptest.Server
	t  *testing.T
	r  *receiver.Receiver
	mu sync.Mutex
	// got counts the deliveries that it has accepted, by ID.
	got map[string]int
}

func newTarget(t *testing.T) *target {
	t.Helper()
	r, err := receiver.New(webhookSecret)
	if err != nil {
		t.Fatal(err)
	}
	x := &target{t: t, r: r, got: map[string]int{}}
	x.Server = httptest.NewServer(x)
	t.Cleanup(x.Close)
	return x
}

func (x *target) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // the program was killed while it sent
	}
	id := req.Header.Get("X-Host-Delivery")
	if ok, err := x.r.Verify(body, req.Header.Get("X-Host-Signature-256")); !ok || err != nil || string(body) != payloadOf(id) {
		x.t.Errorf("%s arrived as %q, its signature is %v, %v", id, body, ok, err)
	}
	if rand.IntN(50) == 0 {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.got[id]++
}

// missing returns the IDs that have not arrived.
func (x *target) missing(ids []string) []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	var missing []string
	for _, id := range ids {
		if x.got[id] == 0 {
			missing = append(missing, id)
		}
	}
	return missing
}

// payloadOf returns a payload of about 2 KB that contains the ID.
func payloadOf(id string) string {
	return `{"id":"` + id + `","text":"` + strings.Repeat("é1.0 ", 300) + `"}`
}

// sender posts deliveries until its context ends and records the IDs of those that were
// acknowledged.
type sender struct {
	r     *receiver.Receiver
	url   string
	mu    sync.Mutex
	acked []string
	asked int
}

func (s *sender) run(ctx context.Context, name string) {
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for i := 0; ctx.Err() == nil; i++ {
		id := fmt.Sprint(name, "-", i)
		body := payloadOf(id)
		signature, _ := s.r.Sign([]byte(body))
		req, _ := http.NewRequest(http.MethodPost, s.url+"/api/host/webhooks", strings.NewReader(body))
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("X-Host-Event", "push")
		req.Header.Set("X-Host-Delivery", id)
		req.Header.Set("X-Host-Signature-256", signature)
		answer, err := client.Do(req)
		s.note(id, answer)
		if err != nil {
			return // it was killed
		}
	}
}

func (s *sender) note(id string, answer *http.Response) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if answer == nil {
		return
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	_ = answer.Body.Close()
	if answer.StatusCode == http.StatusOK {
		s.acked = append(s.acked, id)
	}
}

func (s *sender) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.acked)
}

// The service is killed at random moments under load. Every acknowledged delivery still
// reaches the target at least once, complete and with a valid signature, and always under the
// same ID.
func TestNoAcknowledgedDeliveryIsLostInACrash(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) { crashUnderLoad(t) })
	t.Run("postgres", func(t *testing.T) {
		url := "DATABASE_URL=" + database.PostgresURL(t)
		if out, code := e2e.Octavo(t, []string{url, "DATA_DIR=" + t.TempDir()}, "migrate", "up"); code != 0 {
			t.Fatal(out)
		}
		crashUnderLoad(t, url)
	})
}

func crashUnderLoad(t *testing.T, env ...string) {
	x := newTarget(t)
	s := e2e.StartWith(t, append(env, "WEBHOOK_SECRET="+webhookSecret, "WEBHOOK_FORWARD=push="+x.URL), "webhooks")
	load := &sender{r: x.r, url: s.URL}
	for round := range crashRounds(t) {
		load.untilKilled(t, s, round)
		s.Restart()
	}
	missing := x.missing(load.acked)
	for deadline := time.Now().Add(2 * time.Minute); len(missing) > 0 && time.Now().Before(deadline); missing = x.missing(load.acked) {
		<-time.After(50 * time.Millisecond)
	}
	if len(missing) > 0 {
		t.Errorf("%d of %d acknowledged deliveries are lost: %.10q", len(missing), len(load.acked), missing)
	}
	if code := s.Stop(); code != 0 {
		t.Errorf("it ended with %d", code)
	}
	arrived, twice := x.counts()
	t.Logf("%d acknowledged of %d sent, %d arrived, %d of them more than once", len(load.acked), load.asked, arrived, twice)
}

// untilKilled posts from eight senders and kills the program at a random moment.
func (s *sender) untilKilled(t *testing.T, server *e2e.Server, round int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	before := s.count()
	for worker := range 8 {
		wg.Go(func() { s.run(ctx, fmt.Sprint(round, "-", worker)) })
	}
	for deadline := time.Now().Add(30 * time.Second); s.count() < before+50 && time.Now().Before(deadline); {
		<-time.After(time.Millisecond)
	}
	<-time.After(rand.N(150 * time.Millisecond))
	server.Kill()
	cancel()
	wg.Wait()
}

// counts returns how many IDs have arrived, and how many of them more than once.
func (x *target) counts() (arrived, twice int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, n := range x.got {
		if n > 1 {
			twice++
		}
	}
	return len(x.got), twice
}

// They are due at once after a restart, and for another replica long before the lease expires.
func TestDeliveriesInFlightInAKilledProcessAreSentAtOnce(t *testing.T) {
	t.Parallel()
	url := "DATABASE_URL=" + database.PostgresURL(t)
	if out, code := e2e.Octavo(t, []string{url, "DATA_DIR=" + t.TempDir()}, "migrate", "up"); code != 0 {
		t.Fatal(out)
	}
	x := &hangingTarget{hang: true, arrived: make(chan string, 10), release: make(chan struct{})}
	target := newServer(t, x)
	t.Cleanup(func() { close(x.release) })
	rules := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(rules, []byte("- {match: push, url: '"+target+"', timeout: 4m}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{url, "WEBHOOK_SECRET=" + webhookSecret, "WEBHOOK_RULES=" + rules}
	first := e2e.StartWith(t, env, "webhooks")
	second := e2e.StartWith(t, env, "webhooks")
	send := func(s *e2e.Server, id string) {
		t.Helper()
		if out, code := s.Octavo("webhooks", "send", "push", "--secret", webhookSecret, "--id", id, "--to", s.URL+"/api/host/webhooks"); code != 0 {
			t.Fatal(out)
		}
	}
	send(first, "for the other")
	x.wait(t, "for the other 1")
	first.Kill()
	x.wait(t, "for the other 2")
	second.Kill()
	x.answer()
	second.Restart()
	x.wait(t, "for the other 3")
}

// hangingTarget does not answer until answer is called.
type hangingTarget struct {
	mu      sync.Mutex
	hang    bool
	arrived chan string // id and attempt
	release chan struct{}
}

func (x *hangingTarget) ServeHTTP(_ http.ResponseWriter, req *http.Request) {
	_, _ = io.Copy(io.Discard, req.Body)
	x.arrived <- req.Header.Get("X-Host-Delivery") + " " + req.Header.Get("X-Host-Attempt")
	x.mu.Lock()
	hang := x.hang
	x.mu.Unlock()
	if hang {
		select {
		case <-x.release:
		case <-req.Context().Done():
		}
	}
}

func (x *hangingTarget) answer() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.hang = false
}

func (x *hangingTarget) wait(t *testing.T, want string) {
	t.Helper()
	select {
	case got := <-x.arrived:
		if got != want {
			t.Fatalf("%q arrived, want %q", got, want)
		}
	case <-time.After(60 * time.Second):
		t.Fatalf("no %q arrived", want)
	}
}
