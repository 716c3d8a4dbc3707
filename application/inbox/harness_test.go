package inbox_test

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
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/fake"
	"github.com/octavo-books/octavo/test/memstore/meminbox"
)

const secret = "correct horse battery staple"

// harness is a running service whose targets are functions. It lives in a bubble
// of package synctest: an hour passes at once when everybody waits for it.
type harness struct {
	*testing.T
	svc    *inbox.Service
	store  *meminbox.Inbox
	target *target
	meter  *meter
	log    *logbook
	end    func() // stops the service and waits for it
}

// setup is what a test changes.
type setup struct {
	rules  []inbox.Rule
	config inbox.Config
	store  func(*meminbox.Inbox) inbox.Store // wraps the store
	queue  func(*meminbox.Inbox) inbox.Queue // wraps the queue

	ruleStore func(*meminbox.Inbox) inbox.RuleStore // wraps the store of rules
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

// run starts a service in a bubble and hands it to test.
func run(t *testing.T, s setup, test func(h *harness)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := start(t, s, meminbox.New())
		test(h)
		h.end()
	})
}

// start starts a service on a store that may hold something already.
func start(t *testing.T, s setup, store *meminbox.Inbox) *harness {
	t.Helper()
	if s.config == (inbox.Config{}) {
		s.config = inbox.DefaultConfig()
	}
	h := &harness{T: t, store: store, target: &target{answers: map[string]func(inbox.Shipment) (inbox.Answer, error){}}, meter: &meter{counts: map[string]int{}}, log: &logbook{}}
	ports := inbox.Ports{
		Store: store, Queue: store, Archive: store, Rules: store, Keeper: store, Sender: h.target, Meter: h.meter,
		Clock: clock{}, IDs: ids, Random: fake.NewRandom(1),
	}
	if s.store != nil {
		ports.Store = s.store(store)
	}
	if s.queue != nil {
		ports.Queue = s.queue(store)
	}
	if s.ruleStore != nil {
		ports.Rules = s.ruleStore(store)
	}
	var err error
	if h.svc, err = inbox.New(ports, s.config, s.rules, secret, slog.New(slog.NewTextHandler(h.log, nil))); err != nil {
		t.Fatal(err)
	}
	if err := h.svc.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { h.svc.Run(ctx) })
	h.end = sync.OnceFunc(func() {
		cancel()
		running.Wait()
	})
	return h
}

// clock is the bubble's.
type clock struct{}

func (clock) Now() time.Time { return time.Now().UTC() }

var ids = &fake.IDs{}

// accept takes a delivery in and requires it to be acknowledged.
func (h *harness) accept(id string, name webhook.EventName, payload string) {
	h.Helper()
	e := webhook.Event{ID: id, Name: name, Payload: []byte(payload)}
	if err := h.svc.Accept(h.Context(), e, e.Action()); err != nil {
		h.Fatalf("%s is not accepted: %v", id, err)
	}
}

// settle waits until nothing moves any more but time.
func (h *harness) settle() { synctest.Wait() }

// pass lets time pass and then waits until everything has settled.
func (h *harness) pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// job is the one job of a delivery.
func (h *harness) job(id string) inbox.Job {
	h.Helper()
	d, err := h.svc.Find(h.Context(), id)
	if err != nil || len(d.Jobs) == 0 {
		h.Fatalf("%s has jobs %v, %v", id, d.Jobs, err)
	}
	return d.Jobs[len(d.Jobs)-1]
}

func (h *harness) wantState(id, state string) {
	h.Helper()
	d, err := h.svc.Find(h.Context(), id)
	if err != nil || d.State() != state {
		h.Fatalf("%s is %s, %v; want %s", id, d.State(), err, state)
	}
}

// target is every target. It answers 200 unless told otherwise.
type target struct {
	mu      sync.Mutex
	got     []inbox.Shipment
	at      []time.Time
	busy    int
	busiest int
	answers map[string]func(inbox.Shipment) (inbox.Answer, error) // by URL
}

func (t *target) answer(url string, fn func(inbox.Shipment) (inbox.Answer, error)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.answers[url] = fn
}

func (t *target) Send(ctx context.Context, s inbox.Shipment) (inbox.Answer, error) {
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
		return inbox.Answer{Status: 200}, nil
	}
	answer, err := fn(s)
	if ctx.Err() != nil {
		return inbox.Answer{}, ctx.Err()
	}
	return answer, err
}

// sent lists what came, as "id attempt".
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

// status answers always the same.
func status(code int) func(inbox.Shipment) (inbox.Answer, error) {
	return func(inbox.Shipment) (inbox.Answer, error) { return inbox.Answer{Status: code}, nil }
}

// takes answers 200 after a while.
func takes(d time.Duration) func(inbox.Shipment) (inbox.Answer, error) {
	return func(inbox.Shipment) (inbox.Answer, error) {
		<-time.After(d)
		return inbox.Answer{Status: 200}, nil
	}
}

var errRefused = errors.New("connection refused")

// logbook is what the service has logged.
type logbook struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logbook) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

// warnings are the lines that warn of something with these words.
func (l *logbook) warnings(words string) (lines []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.text.String()) {
		if strings.Contains(line, "level=WARN") && strings.Contains(line, words) {
			lines = append(lines, line)
		}
	}
	return lines
}

// meter counts.
type meter struct {
	mu     sync.Mutex
	counts map[string]int
	stats  inbox.Stats
	oldest time.Duration
}

func (m *meter) Accepted(outcome string) { m.add("accepted " + outcome) }

func (m *meter) Forwarded(rule, outcome string, _ time.Duration) {
	m.add("forwarded " + outcome)
	m.add("forwarded by " + rule)
}

func (m *meter) Waiting(s inbox.Stats, oldest time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stats, m.oldest = s, oldest
}

// waiting is what was told last.
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
