package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Names on the server; dots are not allowed in them.
const (
	streamName     = "octavo_mail"
	deadStreamName = "octavo_mail_dead"
	ledgerName     = "octavo_mail_ledger"
)

// streams are made where they are missing. What was sent must leave its stream,
// for it may hold a code.
var streams = []jetstream.StreamConfig{
	{Name: streamName, Subjects: []string{Topic}, Retention: jetstream.WorkQueuePolicy, Duplicates: 10 * time.Minute},
	{Name: deadStreamName, Subjects: []string{DeadTopic}, MaxAge: deadFor, MaxMsgs: deadAtMost},
}

// natsBroker needs a NATS server 2.9 or newer with JetStream.
type natsBroker struct {
	conn   *nats.Conn
	js     jetstream.JetStream
	timing timing
	*natsLedger

	mu   sync.Mutex
	made bool // streams and bucket are there
}

// NewNATS makes a queue on NATS JetStream; urls may list several servers. It
// connects in the background, and again whenever the connection is lost. Source
// is the URI that events come from.
func NewNATS(urls, source string, log *slog.Logger) (*Queue, error) {
	return newNATS(urls, source, log, standardTiming())
}

// CheckNATS refuses what NewNATS could not use. It quotes no password.
func CheckNATS(urls string) error {
	for one := range strings.SplitSeq(urls, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		if err != nil || u.Scheme != "nats" && u.Scheme != "tls" || u.Hostname() == "" {
			return errors.New("must be nats://host:port, with more servers after a comma")
		}
	}
	return nil
}

func newNATS(urls, source string, log *slog.Logger, t timing) (*Queue, error) {
	conn, err := nats.Connect(urls,
		nats.Name("octavo"), nats.Timeout(2*time.Second), nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(time.Second),
		nats.ReconnectBufSize(-1), // what cannot be published now is said to be so, and waits in the outbox
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { log.Warn("NATS is away", "error", err) }),
		nats.ReconnectHandler(func(*nats.Conn) { log.Info("NATS is back") }),
	)
	if err != nil {
		return nil, fmt.Errorf("queue: %w", err)
	}
	js, err := jetstream.New(conn, jetstream.WithDefaultTimeout(brokerTimeout))
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("queue: %w", err)
	}
	return &Queue{&natsBroker{conn: conn, js: js, timing: t, natsLedger: &natsLedger{js: js, lease: t.lease}}, source, t}, nil
}

// publish gives the message its id as Nats-Msg-Id: the server drops a repeat within the
// stream's window.
func (b *natsBroker) publish(ctx context.Context, topic string, e envelope) error {
	if err := b.away(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, brokerTimeout)
	defer cancel()
	if err := b.provide(ctx); err != nil {
		return err
	}
	m := nats.NewMsg(topic)
	m.Data = e.body
	m.Header.Set(idField, e.id)
	if e.reason != "" {
		m.Header.Set("reason", e.reason)
	}
	_, err := b.js.PublishMsg(ctx, m, jetstream.WithMsgID(e.id))
	if errors.Is(err, jetstream.ErrNoStreamResponse) {
		b.forget() // the server has lost its streams
	}
	return err
}

// provide makes what is missing on the server, and leaves alone what an operator
// has made, with more replicas for one.
func (b *natsBroker) provide(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.made {
		return nil
	}
	for _, stream := range streams {
		if err := b.furnish(ctx, stream); err != nil {
			return fmt.Errorf("stream %s: %w", stream.Name, err)
		}
	}
	if err := b.open(ctx); err != nil {
		return err
	}
	b.made = true
	return nil
}

// furnish makes a stream, or looks whether one of that name will do.
func (b *natsBroker) furnish(ctx context.Context, wanted jetstream.StreamConfig) error {
	_, err := b.js.CreateStream(ctx, wanted)
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		return b.examine(ctx, wanted)
	}
	return err
}

// examine says why a stream that an operator has made will not do.
func (b *natsBroker) examine(ctx context.Context, wanted jetstream.StreamConfig) error {
	stream, err := b.js.Stream(ctx, wanted.Name)
	if err != nil {
		return err
	}
	found := stream.CachedInfo().Config
	switch {
	case !slices.Contains(found.Subjects, wanted.Subjects[0]):
		return fmt.Errorf("it takes %q, it must take %s", found.Subjects, wanted.Subjects[0])
	case found.Retention != wanted.Retention:
		return fmt.Errorf("its retention is %s, it must be %s", found.Retention, wanted.Retention)
	}
	return nil
}

func (b *natsBroker) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.made = false
}

func (b *natsBroker) ping(ctx context.Context) error {
	if err := b.away(); err != nil {
		return err
	}
	if _, err := b.js.AccountInfo(ctx); err != nil {
		return err
	}
	for _, stream := range streams {
		if err := b.examine(ctx, stream); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
			return fmt.Errorf("stream %s: %w", stream.Name, err)
		}
	}
	return nil
}

// away says why there is no connection: what the library says of an attempt to
// write is less clear.
func (b *natsBroker) away() error {
	if b.conn.IsConnected() {
		return nil
	}
	if err := b.conn.LastError(); err != nil {
		return fmt.Errorf("not connected: %w", err)
	}
	return nats.ErrDisconnected
}

func (b *natsBroker) close() error {
	b.conn.Close()
	return nil
}

// tend has nothing to do: JetStream itself brings back what was put off.
func (b *natsBroker) tend(ctx context.Context) { <-ctx.Done() }

func (b *natsBroker) subscribe(ctx context.Context) (subscription, error) {
	ctx, cancel := context.WithTimeout(ctx, brokerTimeout)
	defer cancel()
	b.forget() // what was there may be gone: that is why we subscribe again
	if err := b.provide(ctx); err != nil {
		return nil, err
	}
	consumer, err := b.js.CreateOrUpdateConsumer(ctx, streamName, jetstream.ConsumerConfig{
		Durable: group, AckPolicy: jetstream.AckExplicitPolicy, AckWait: b.timing.redelivery, MaxDeliver: -1, MaxAckPending: -1,
	})
	if err != nil {
		return nil, fmt.Errorf("consumer %s: %w", group, err)
	}
	return natsSubscription{consumer, b.timing.patience}, nil
}

type natsSubscription struct {
	consumer jetstream.Consumer
	patience time.Duration
}

func (s natsSubscription) next(context.Context) (*delivery, error) {
	batch, err := s.consumer.Fetch(1, jetstream.FetchMaxWait(s.patience))
	if err != nil {
		return nil, err
	}
	for m := range batch.Messages() {
		return &delivery{
			body:   m.Data(),
			done:   m.DoubleAck,
			putOff: func(_ context.Context, wait time.Duration) error { return m.NakWithDelay(wait) },
		}, nil
	}
	return nil, batch.Error()
}

func (natsSubscription) close() {}
