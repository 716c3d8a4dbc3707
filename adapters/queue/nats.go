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

// The names of streams and bucket. NATS allows no dots in them.
const (
	streamName     = "octavo_mail"
	deadStreamName = "octavo_mail_dead"
	ledgerName     = "octavo_mail_ledger"
)

// streams are created if they are missing. A sent message must leave its stream, because it
// may hold a code.
var streams = []jetstream.StreamConfig{
	{Name: streamName, Subjects: []string{Topic}, Retention: jetstream.WorkQueuePolicy, Duplicates: 10 * time.Minute},
	{Name: deadStreamName, Subjects: []string{DeadTopic}, MaxAge: keepDead, MaxMsgs: maxDead},
}

// natsBroker needs a NATS server 2.9 or newer with JetStream.
type natsBroker struct {
	conn   *nats.Conn
	js     jetstream.JetStream
	timing timing
	*natsLedger

	mu      sync.Mutex
	ensured bool // streams and bucket exist
}

// NewNATS makes a queue on NATS JetStream. urls may list several servers. The queue connects
// in the background and reconnects whenever it loses the connection. Source becomes the
// source of the CloudEvents, a URI.
func NewNATS(urls, source string, log *slog.Logger) (*Queue, error) {
	return newNATS(urls, source, log, defaultTiming())
}

// CheckNATS returns an error for URLs that NewNATS cannot use. The error quotes no password.
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
		nats.Name("octavo"), nats.Timeout(2*time.Second), nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1),
		nats.ReconnectWait(time.Second),
		nats.ReconnectBufSize(-1), // publishing without a connection fails at once; the message waits in the outbox
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { log.Warn("NATS is unreachable", "error", err) }),
		nats.ReconnectHandler(func(*nats.Conn) { log.Info("NATS is reachable again") }),
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

// publish sends the ID as Nats-Msg-Id, so that the server drops duplicates within the
// stream's window.
func (b *natsBroker) publish(ctx context.Context, topic string, e envelope) error {
	if err := b.connectionError(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, brokerTimeout)
	defer cancel()
	if err := b.ensureStreams(ctx); err != nil {
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
		b.invalidate() // the server has lost its streams
	}
	return err
}

// ensureStreams creates what is missing on the server. It does not change streams that an
// operator has made, for example with more replicas.
func (b *natsBroker) ensureStreams(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ensured {
		return nil
	}
	for _, stream := range streams {
		if err := b.ensureStream(ctx, stream); err != nil {
			return fmt.Errorf("stream %s: %w", stream.Name, err)
		}
	}
	if err := b.open(ctx); err != nil {
		return err
	}
	b.ensured = true
	return nil
}

// ensureStream creates a stream, or checks the one of that name.
func (b *natsBroker) ensureStream(ctx context.Context, wanted jetstream.StreamConfig) error {
	_, err := b.js.CreateStream(ctx, wanted)
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		return b.checkStream(ctx, wanted)
	}
	return err
}

// checkStream returns why a stream that an operator has made cannot be used, or nil.
func (b *natsBroker) checkStream(ctx context.Context, wanted jetstream.StreamConfig) error {
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

func (b *natsBroker) invalidate() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ensured = false
}

func (b *natsBroker) ping(ctx context.Context) error {
	if err := b.connectionError(); err != nil {
		return err
	}
	if _, err := b.js.AccountInfo(ctx); err != nil {
		return err
	}
	for _, stream := range streams {
		if err := b.checkStream(ctx, stream); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
			return fmt.Errorf("stream %s: %w", stream.Name, err)
		}
	}
	return nil
}

// connectionError returns why there is no connection. It is clearer than the library's
// error of an attempt to write.
func (b *natsBroker) connectionError() error {
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

// maintain has nothing to do: JetStream redelivers by itself.
func (b *natsBroker) maintain(ctx context.Context) { <-ctx.Done() }

func (b *natsBroker) subscribe(ctx context.Context) (subscription, error) {
	ctx, cancel := context.WithTimeout(ctx, brokerTimeout)
	defer cancel()
	b.invalidate() // a new subscription may follow the loss of all streams
	if err := b.ensureStreams(ctx); err != nil {
		return nil, err
	}
	consumer, err := b.js.CreateOrUpdateConsumer(ctx, streamName, jetstream.ConsumerConfig{
		Durable: group, AckPolicy: jetstream.AckExplicitPolicy, AckWait: b.timing.redelivery, MaxDeliver: -1, MaxAckPending: -1,
	})
	if err != nil {
		return nil, fmt.Errorf("consumer %s: %w", group, err)
	}
	return natsSubscription{consumer, b.timing.fetchWait}, nil
}

type natsSubscription struct {
	consumer  jetstream.Consumer
	fetchWait time.Duration
}

func (s natsSubscription) next(context.Context) (*delivery, error) {
	batch, err := s.consumer.Fetch(1, jetstream.FetchMaxWait(s.fetchWait))
	if err != nil {
		return nil, err
	}
	for m := range batch.Messages() {
		return &delivery{
			body:    m.Data(),
			ack:     m.DoubleAck,
			retryIn: func(_ context.Context, wait time.Duration) error { return m.NakWithDelay(wait) },
		}, nil
	}
	return nil, batch.Error()
}

func (natsSubscription) close() {}
