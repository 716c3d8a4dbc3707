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
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/poll"
)

// crashRounds is how often the program is killed: a few times, or as often as OCTAVO_CRASH_ROUNDS says.
func crashRounds(t *testing.T) int {
	t.Helper()
	text := os.Getenv("OCTAVO_CRASH_ROUNDS")
	if text == "" {
		return deep.Else(2, 5)
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
	mu sync.Mutex
	// got counts the deliveries that it has accepted, by ID.
	got map[string]int
}

func newTarget(t *testing.T) *target {
	t.Helper()
	x := &target{t: t, got: map[string]int{}}
	x.Server = httptest.NewServer(x)
	t.Cleanup(x.Close)
	return x
}

func (x *target) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // the program was killed while it sent
	}
	webhookID, sender := req.Header.Get("Webhook-Id"), webhook.Standard
	id := strings.TrimPrefix(webhookID, req.Header.Get("X-Octavo-Source")+":")
	if id == "" {
		id, sender = req.Header.Get("X-Host-Delivery"), webhook.Host
	}
	key, err := sender.Key(webhookSecret)
	if err != nil || !key.Verify(webhook.Request{Header: req.Header, Body: body}, time.Now()) || string(body) != payloadOf(id) {
		x.t.Errorf("%s arrived as %q with another signature: %v, %v", id, body, req.Header, err)
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

// payloadOf returns a payload of about 2 KB that contains the ID, and the event for the
// senders that have it in the body.
func payloadOf(id string) string {
	return `{"id":"` + id + `","event_id":"` + id + `","type":"push","text":"` + strings.Repeat("é1.0 ", 300) + `"}`
}

// sender posts deliveries until its context ends and records the IDs of those that were
// acknowledged.
type sender struct {
	kinds map[string]*webhook.SenderKey // by the path that they deliver to
	url   string
	mu    sync.Mutex
	acked []string
	asked int
}

// everySender writes a file of sources with each sender, and returns it and the keys by the
// paths.
func everySender(t *testing.T) (file string, kinds map[string]*webhook.SenderKey) {
	t.Helper()
	custom, err := webhook.CustomSender{EventHeader: "X-Event", IDHeader: "X-Id", SignatureHeader: "X-Sig", Scheme: "hmac-sha256-hex"}.NewSender()
	if err != nil {
		t.Fatal(err)
	}
	text, kinds := "", map[string]*webhook.SenderKey{}
	for _, s := range append(webhook.Senders(), custom) {
		if !deliversAnything(s) {
			continue
		}
		path, fields := "/hooks/"+s.Name(), ""
		switch s {
		case webhook.Host:
			path = "/api/host/webhooks"
		case custom:
			fields = ", eventHeader: X-Event, idHeader: X-Id, signatureHeader: X-Sig, scheme: hmac-sha256-hex"
		}
		if s != webhook.Host {
			text += fmt.Sprintf("- {name: from-%s, path: %s, sender: %s, secrets: [%s]%s}\n", s.Name(), path, s.Name(), webhookSecret, fields)
		}
		if kinds[path], err = s.Key(webhookSecret); err != nil {
			t.Fatal(err)
		}
	}
	file = filepath.Join(t.TempDir(), "sources.yaml")
	write(t, file, text)
	return file, kinds
}

// deliversAnything reports whether the sender takes any text as a secret and the payload of
// payloadOf as a delivery, at any URL.
func deliversAnything(s *webhook.Sender) bool {
	k, err := s.Key(webhookSecret)
	if err != nil || s.UsesURL() {
		return false
	}
	signed, err := k.SignRequest(webhook.Event{ID: "id-7", Name: "push", Payload: []byte(payloadOf("id-7"))}, time.Now())
	if err != nil {
		return false
	}
	e, err := s.Event(signed)
	return err == nil && e.ID == "id-7" && k.Verify(signed, time.Now())
}

func (s *sender) run(ctx context.Context, name, path string) {
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for i := 0; ctx.Err() == nil; i++ {
		id := fmt.Sprint(name, "-", i)
		body := payloadOf(id)
		signed, _ := s.kinds[path].SignRequest(webhook.Event{ID: id, Name: "push", Payload: []byte(body)}, time.Now())
		req, _ := http.NewRequest(http.MethodPost, s.url+path, strings.NewReader(body))
		req.Header = signed.Header
		req.Header.Set("Content-Type", "application/json")
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

// The service is killed at random moments while every sender delivers. Every acknowledged
// delivery still reaches the target at least once, complete and with a valid signature, and
// always under the same ID.
func TestNoAcknowledgedDeliveryIsLostInACrash(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) { crashUnderLoad(t) })
	t.Run("postgres", func(t *testing.T) {
		url := onPostgres(t)[0]
		crashUnderLoad(t, url)
	})
}

func crashUnderLoad(t *testing.T, env ...string) {
	x := newTarget(t)
	sources, kinds := everySender(t)
	s := e2e.StartWith(t, append(env, "WEBHOOK_SECRET="+webhookSecret, "WEBHOOK_SOURCES="+sources, "WEBHOOK_FORWARD=*="+x.URL), "webhooks")
	load := &sender{kinds: kinds, url: s.URL}
	for round := range crashRounds(t) {
		load.untilKilled(t, s, round)
		s.Restart()
	}
	var missing []string
	if !poll.Until(func() bool { missing = x.missing(load.acked); return len(missing) == 0 }) {
		t.Errorf("%d of %d acknowledged deliveries are lost: %q", len(missing), len(load.acked), missing[:min(len(missing), 10)])
	}
	if code := s.Stop(); code != 0 {
		t.Errorf("it ended with %d, want 0", code)
	}
	arrived, twice := x.counts()
	for path := range kinds {
		if !slices.ContainsFunc(load.acked, func(id string) bool { return strings.HasSuffix(id[:strings.LastIndexByte(id, '-')], path) }) {
			t.Errorf("nothing of %s was acknowledged", path)
		}
	}
	t.Logf("%d acknowledged of %d sent, %d arrived, %d of them more than once", len(load.acked), load.asked, arrived, twice)
}

// untilKilled posts from every sender at once and kills the program at a random moment.
func (s *sender) untilKilled(t *testing.T, server *e2e.Server, round int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	before := s.count()
	for path := range s.kinds {
		wg.Go(func() { s.run(ctx, fmt.Sprint(round, "-", path), path) })
	}
	poll.For(t, "50 deliveries are acknowledged", func() bool { return s.count() >= before+50 })
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

// They are due at once after a restart. Another replica gets them long before the lease expires.
func TestDeliveriesInFlightInAKilledProcessAreSentAtOnce(t *testing.T) {
	t.Parallel()
	url := onPostgres(t)[0]
	x := &hangingTarget{hang: true, arrived: make(chan string, 10), release: make(chan struct{})}
	target := newServer(t, x)
	t.Cleanup(func() { close(x.release) })
	rules := filepath.Join(t.TempDir(), "rules.yaml")
	write(t, rules, "- {match: push, url: '"+target+"', timeout: 4m}\n")
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
	case <-time.After(poll.Limit):
		t.Fatalf("no %q arrived", want)
	}
}
