package mailer_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

// publisher publishes every message for which fail returns nil.
type publisher struct {
	mu        sync.Mutex
	published []message.Message
	attempts  int
	fail      func(attempt int, m message.Message) error
	last      time.Time
}

func (c *publisher) PublishMessages(_ context.Context, messages []message.Message) []error {
	errs := make([]error, len(messages))
	for i, m := range messages {
		c.mu.Lock()
		c.attempts++
		c.last = time.Now()
		attempt := c.attempts
		c.mu.Unlock()
		if c.fail != nil {
			errs[i] = c.fail(attempt, m)
		}
		if errs[i] == nil {
			c.mu.Lock()
			c.published = append(c.published, m)
			c.mu.Unlock()
		}
	}
	return errs
}

// count returns the number of attempts and the time of the last.
func (c *publisher) count() (int, time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.attempts, c.last
}

// first returns the message that was published first.
func (c *publisher) first() message.Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.published[0]
}

func (c *publisher) ids() []int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []int64
	for _, m := range c.published {
		all = append(all, m.ID)
	}
	return all
}

type wallClock struct{}

func (wallClock) Now() time.Time { return time.Now() }

// meter records outcomes.
type meter struct {
	mu       sync.Mutex
	outcomes []mailer.Outcome
}

func (m *meter) CountOutcome(_ message.Kind, o mailer.Outcome) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.outcomes = append(m.outcomes, o)
}

// fixture runs a relay on an outbox in memory, in the fake time of synctest.
type fixture struct {
	store
	relay        *mailer.Relay
	unsubscriber *mailer.Unsubscriber
	ended        []string // subscriptions
	meter        *meter
	log          *strings.Builder
	stop         func()
}

func start(t *testing.T, c mailer.Publisher, config mailer.Config) *fixture {
	t.Helper()
	return startOn(t, newOutbox(), c, config)
}

// store is an outbox in memory, or a faulty one that wraps it.
type store interface {
	mailer.Outbox
	mailer.OptOutStore
	AddMessages(ctx context.Context, messages ...message.Message) error
}

// EndSubscription is mailer.EndSubscription.
func (b *fixture) EndSubscription(_ context.Context, subscription string) error {
	b.ended = append(b.ended, subscription)
	return nil
}

func startOn(t *testing.T, outbox store, c mailer.Publisher, config mailer.Config) *fixture {
	t.Helper()
	b := &fixture{store: outbox, meter: &meter{}, log: &strings.Builder{}}
	b.unsubscriber = mailer.NewUnsubscriber(outbox, b.EndSubscription, openSealer{}, wallClock{}.Now, "https://octavo.example/unsubscribe")
	relay := must.Get(mailer.NewRelay(mailer.Deps{
		Clock: wallClock{}.Now, Meter: b.meter, Jitter: func() float64 { return 0.5 }, Log: slog.New(slog.NewTextHandler(b.log, nil)),
		DefaultLinks: map[message.Kind]string{message.BookSold: "https://octavo.example/sales"},
	}, outbox, c, b.unsubscriber, config))(t)
	b.relay = relay
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { relay.Run(ctx); close(done) }()
	b.stop = func() { cancel(); <-done }
	return b
}

func oneWorker() mailer.Config {
	config := mailer.DefaultConfig()
	config.Workers = 1
	return config
}

func (b *fixture) add(t *testing.T, messages ...message.Message) {
	t.Helper()
	for i := range messages {
		messages[i].CreatedAt = time.Now()
	}
	must.Do(t, b.AddMessages(t.Context(), messages...))
}

func (b *fixture) stats(t *testing.T) mailer.OutboxStats {
	t.Helper()
	return must.Get(b.ReadStats(t.Context()))(t)
}

type openSealer struct{}

func (openSealer) Seal(b []byte) ([]byte, error) { return slices.Concat([]byte("sealed"), b), nil }

func (openSealer) Open(b []byte) ([]byte, error) {
	if plain, ok := strings.CutPrefix(string(b), "sealed"); ok {
		return []byte(plain), nil
	}
	return nil, errors.New("not sealed here")
}

func sale(id int64) message.Message {
	return message.Message{ID: id, Kind: message.BookSold, To: "ann@x.edu", Lang: user.EN}
}
