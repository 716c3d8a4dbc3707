package serving_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/inbox/serving"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/fake"
	"github.com/octavo-books/octavo/test/meminbox"
	"github.com/octavo-books/octavo/test/must"
)

const secret = "correct horse battery staple"

// harness is a running service whose targets are functions. It runs in a bubble of
// package synctest, where time advances as soon as every goroutine is blocked.
type harness struct {
	*testing.T
	svc         *serving.Service
	store       *meminbox.Inbox
	target      *target
	meter       *meter
	log         *logRecorder
	expressions inbox.CompileExpression

	end func() // stops the service and waits for it
}

// setup is what a test configures.
type setup struct {
	rules  []inbox.Rule
	config serving.Config
	down   []string                          // targets that answer 503 until a test changes it
	store  func(*meminbox.Inbox) inbox.Store // wraps the store

	expressions inbox.CompileExpression
	mailer      inbox.MailAlert
}

func rules(texts ...string) []inbox.Rule {
	var all []inbox.Rule
	for _, text := range texts {
		rule, err := inbox.ParseForward(text)
		if err != nil {
			panic(err)
		}
		all = append(all, rule)
	}
	return all
}

// run starts a service in a bubble and calls test with it.
func run(t *testing.T, s setup, test func(h *harness)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := start(t, s, meminbox.New())
		test(h)
		h.end()
	})
}

// start starts a service on a store, which may contain deliveries already.
func start(t *testing.T, s setup, store *meminbox.Inbox) *harness {
	t.Helper()
	if s.config == (serving.Config{}) {
		s.config = serving.DefaultConfig()
	}
	h := &harness{T: t, store: store, expressions: s.expressions, target: &target{answers: map[string]func(inbox.ForwardRequest) (inbox.ForwardResponse, error){}}, meter: &meter{counts: map[string]int{}}, log: &logRecorder{}}
	ports := inbox.Ports{
		Store: store, Compile: s.expressions, MailAlert: s.mailer, Forwarder: h.target, Meter: h.meter,
		Clock: clock{}.Now, IDs: ids.Next, Random: fake.NewRandom(1),
	}
	if s.store != nil {
		ports.Store = s.store(store)
	}
	for _, url := range s.down {
		h.target.answer(url, status(503))
	}
	var err error
	if h.svc, err = serving.New(ports, s.config, s.rules, secret, slog.New(slog.NewTextHandler(h.log, nil))); err != nil {
		t.Fatal(err)
	}
	must.Do(t, h.svc.Recover(t.Context()))
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { h.svc.Run(ctx) })
	h.end = sync.OnceFunc(func() {
		cancel()
		running.Wait()
	})
	return h
}

// otherProcess returns an Admin as another process has it.
func (h *harness) otherProcess() *inbox.Admin {
	return inbox.NewAdmin(inbox.Ports{Store: h.store, Compile: h.expressions, Clock: clock{}.Now, IDs: ids.Next})
}

// clock is the bubble's clock.
type clock struct{}

func (clock) Now() time.Time { return time.Now().UTC() }

var ids = &fake.IDs{}

// accept requires a delivery to be accepted.
func (h *harness) accept(id string, name webhook.EventName, payload string) {
	h.Helper()
	e := webhook.Event{ID: id, Name: name, Payload: []byte(payload)}
	if err := h.svc.Accept(h.Context(), e, e.Action()); err != nil {
		h.Fatalf("%s is not accepted: %v", id, err)
	}
}

// settle waits until every goroutine is blocked.
func (h *harness) settle() { synctest.Wait() }

// pass lets time pass and then settles.
func (h *harness) pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// job returns the last job of a delivery.
func (h *harness) job(id string) inbox.Job {
	h.Helper()
	d, err := h.svc.FindDelivery(h.Context(), "", id)
	if err != nil || len(d.Jobs) == 0 {
		h.Fatalf("%s has jobs %v, %v", id, d.Jobs, err)
	}
	return d.Jobs[len(d.Jobs)-1]
}

func (h *harness) wantState(id, state string) {
	h.Helper()
	d, err := h.svc.FindDelivery(h.Context(), "", id)
	if err != nil || d.State() != state {
		h.Fatalf("%s is %s, %v; want %s", id, d.State(), err, state)
	}
}

// target stands for every target. It answers 200 by default.
type target struct {
	mu      sync.Mutex
	got     []inbox.ForwardRequest
	at      []time.Time
	busy    int
	busiest int
	answers map[string]func(inbox.ForwardRequest) (inbox.ForwardResponse, error) // by URL
}

func (t *target) answer(url string, fn func(inbox.ForwardRequest) (inbox.ForwardResponse, error)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.answers[url] = fn
}

func (t *target) ForwardDelivery(ctx context.Context, s inbox.ForwardRequest) (inbox.ForwardResponse, error) {
	t.mu.Lock()
	t.got, t.at = append(t.got, s), append(t.at, time.Now())
	t.busy++
	t.busiest = max(t.busiest, t.busy)
	fn := t.answers[s.URL]
	t.mu.Unlock()
	defer func() {
		t.mu.Lock()
		t.busy--
		t.mu.Unlock()
	}()
	if fn == nil {
		return inbox.ForwardResponse{Status: 200}, nil
	}
	answer, err := fn(s)
	if ctx.Err() != nil {
		return inbox.ForwardResponse{}, ctx.Err()
	}
	return answer, err
}

// sent lists the requests as "id attempt".
func (t *target) sent() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []string
	for _, s := range t.got {
		list = append(list, fmt.Sprint(s.ID, " ", s.Attempt))
	}
	return list
}

func (t *target) want(h *harness, want ...string) {
	h.Helper()
	if got := t.sent(); !slices.Equal(got, want) {
		h.Fatalf("sent %v, want %v", got, want)
	}
}

// status always answers with this code.
func status(code int) func(inbox.ForwardRequest) (inbox.ForwardResponse, error) {
	return func(inbox.ForwardRequest) (inbox.ForwardResponse, error) {
		return inbox.ForwardResponse{Status: code}, nil
	}
}

// takes answers 200 after d.
func takes(d time.Duration) func(inbox.ForwardRequest) (inbox.ForwardResponse, error) {
	return func(inbox.ForwardRequest) (inbox.ForwardResponse, error) {
		<-time.After(d)
		return inbox.ForwardResponse{Status: 200}, nil
	}
}

var errRefused = errors.New("connection refused")

// logRecorder records what the service logs.
type logRecorder struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logRecorder) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

// warnings returns the logged warnings that contain these words.
func (l *logRecorder) warnings(words string) (lines []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.text.String()) {
		if strings.Contains(line, "level=WARN") && strings.Contains(line, words) {
			lines = append(lines, line)
		}
	}
	return lines
}

// meter records the metrics.
type meter struct {
	mu     sync.Mutex
	counts map[string]int
	stats  inbox.Stats
	oldest time.Duration
	paused int
}

func (m *meter) CountDelivery(source, outcome string) {
	if source == inbox.DefaultSource {
		source = "accepted"
	}
	m.add(source + " " + outcome)
}

func (m *meter) ObserveForward(rule, outcome string, _ time.Duration) {
	m.add("forwarded " + outcome)
	m.add("forwarded by " + rule)
}

func (m *meter) ObserveBacklog(s inbox.Stats, oldest time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stats, m.oldest = s, oldest
}

func (m *meter) ObservePausedRules(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.paused = n
}

func (m *meter) CountUnmatched(source string) { m.add(source + " unmatched") }

// waiting returns the last observed backlog.
func (m *meter) waiting() (inbox.Stats, time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stats, m.oldest
}

func (m *meter) add(what string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counts[what]++
}

func (m *meter) count(what string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.counts[what]
}
