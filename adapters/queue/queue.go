// Package queue carries mail messages to mailers in other processes over a broker: Redis
// Streams or NATS JetStream.
//
// A Queue is a mailer.Publisher that publishes CloudEvents. A message counts as taken once
// the broker has acknowledged it. A Consumer receives messages, each of them by one consumer
// at a time. A message leaves the broker once it was sent, because it may hold a code.
package queue

import (
	"context"
	"fmt"
	"time"

	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/message"
)

// The names on the broker.
const (
	Topic     = "octavo.mail"      // messages to send
	DeadTopic = "octavo.mail.dead" // dead letters, without their codes and links
	group     = "octavo-mailer"
)

// Queue publishes messages on a broker.
type Queue struct {
	broker broker
	source string
	timing timing
}

// broker is implemented over Redis and NATS. Its errors mean that the broker is unreachable
// or refuses us.
type broker interface {
	// publish returns once the broker has stored the message.
	publish(ctx context.Context, topic string, e envelope) error
	// subscribe opens a subscription, which fetches one message at a time.
	subscribe(ctx context.Context) (subscription, error)
	// maintain does the broker's periodic work until ctx ends.
	maintain(ctx context.Context)
	ping(ctx context.Context) error
	readStats(ctx context.Context) (Stats, error)
	// consumed reports whether a mailer has asked for messages of late.
	consumed(ctx context.Context) (bool, error)
	close() error

	// The ledger records which messages were sent, across all processes, so that a message that is
	// delivered twice is sent once.

	// claim leases a message for timing.lease and counts an attempt.
	claim(ctx context.Context, id string) (entry, error)
	// markSettled records that the message must not be sent again.
	markSettled(ctx context.Context, id string) error
	// release ends the lease. If uncounted is true, the attempt does not count.
	release(ctx context.Context, id string, uncounted bool) error
}

// envelope is a message as the broker stores it, in the format of the Go library
// watermill, so that programs that use the library can publish and read mails.
type envelope struct {
	id     string
	reason string // why it became a dead letter; empty on Topic
	body   []byte // the CloudEvent
}

// idField is the name of the ID: a field on Redis, a header on NATS.
const idField = "_watermill_message_uuid"

// subscription fetches messages of Topic. Each message goes to one subscription across all
// processes.
type subscription interface {
	// next waits for a message and returns nil if none arrived for about a second. A
	// message that is neither acknowledged nor scheduled for a retry goes to another
	// subscription after timing.redelivery.
	next(ctx context.Context) (*delivery, error)
	close()
}

// delivery is a fetched message.
type delivery struct {
	body    []byte
	ack     func(ctx context.Context) error                     // removes the message
	retryIn func(ctx context.Context, wait time.Duration) error // redelivers it after the wait
}

// entry is the ledger's answer about a message.
type entry struct {
	state   state
	attempt int // of claimed; counts from 1
}

type state uint8

const (
	claimed state = iota // by this call
	leased               // by another consumer
	settled              // sent, or a dead letter
)

// PublishMessages publishes messages. Once the broker is unreachable or refuses us, the
// error of this and all later messages of the batch is mailer.ErrUnreachable.
func (q *Queue) PublishMessages(ctx context.Context, messages []message.Message) []error {
	errs := make([]error, len(messages))
	var unreachable error
	for i, m := range messages {
		if unreachable == nil {
			errs[i], unreachable = q.publish(ctx, m)
		}
		if unreachable != nil {
			errs[i] = unreachable
		}
	}
	return errs
}

func (q *Queue) publish(ctx context.Context, m message.Message) (failed, unreachable error) {
	event, err := mailer.MarshalEvent(m, q.source)
	if err != nil {
		return fmt.Errorf("%w: %w", mailer.ErrPermanent, err), nil
	}
	if err := q.broker.publish(ctx, Topic, envelope{id: id.Format(m.ID), body: event}); err != nil {
		return nil, fmt.Errorf("%w: queue: %w", mailer.ErrUnreachable, err)
	}
	return nil, nil
}

// Check returns why the broker cannot be used, or nil.
func (q *Queue) Check(ctx context.Context) error {
	if err := q.broker.ping(ctx); err != nil {
		return fmt.Errorf("queue: %w", err)
	}
	return nil
}

// Close closes the connection.
func (q *Queue) Close() error { return q.broker.close() }
