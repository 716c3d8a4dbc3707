// Package queue takes mail messages over a broker to mailers in other processes:
// Redis Streams or NATS JetStream.
//
// A Queue is the mailer.Publisher that publishes CloudEvents; a message counts as
// taken once the broker has acknowledged it. A Consumer is the other end. Each message
// has one consumer at a time, and is removed from the broker once it was sent, because
// it may hold a code.
package queue

import (
	"context"
	"fmt"
	"time"

	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/message"
)

// Where messages are kept on the broker.
const (
	Topic     = "octavo.mail"      // what is to be sent
	DeadTopic = "octavo.mail.dead" // what was given up, without its code and link
	group     = "octavo-mailer"
)

// Queue publishes messages on a broker.
type Queue struct {
	broker broker
	source string
	timing timing
}

// broker is what Redis and NATS do each in its own way. Errors are the broker's:
// it is away, or does not take us.
type broker interface {
	// publish returns once the broker has the message.
	publish(ctx context.Context, topic string, e envelope) error
	// subscribe opens one place at the counter: one message at a time.
	subscribe(ctx context.Context) (subscription, error)
	// tend does what has to be done from time to time, until ctx ends.
	tend(ctx context.Context)
	ping(ctx context.Context) error
	census(ctx context.Context) (Census, error)
	close() error
	ledger
}

// envelope is a message as the broker stores it, in the format of the Go library
// watermill: programs that use it can publish and read mails, too.
type envelope struct {
	id     string
	reason string // why it was given up; empty on Topic
	body   []byte // the CloudEvent
}

// idField names the id, on Redis and as a header on NATS.
const idField = "_watermill_message_uuid"

// subscription hands out messages of Topic, each to one subscription in all
// processes.
type subscription interface {
	// next waits for a message, and returns nil when there was none for about a
	// second. Of a message that is neither done nor put off, another subscription
	// gets hold after redelivery.
	next(ctx context.Context) (*delivery, error)
	close()
}

// delivery is a message in hand.
type delivery struct {
	body   []byte
	done   func(ctx context.Context) error                     // it need not come again
	putOff func(ctx context.Context, wait time.Duration) error // it comes again after the wait
}

// ledger remembers what was sent, across all processes, so that a message that
// comes twice is sent once.
type ledger interface {
	// begin takes a message in hand for as long as lease and counts a try.
	begin(ctx context.Context, id string) (entry, error)
	// sent notes that the message need never be sent again.
	sent(ctx context.Context, id string) error
	// release gives up the lease; the try does not count if uncounted.
	release(ctx context.Context, id string, uncounted bool) error
}

// entry is what the ledger says of a message.
type entry struct {
	standing standing
	try      int // of mine: 1 at the first
}

type standing uint8

const (
	mine    standing = iota // ours to send
	busy                    // in somebody else's hands
	settled                 // sent or given up before
)

// Carry publishes messages. While the broker is away, or does not take us, they
// are mailer.ErrUnreachable, and the rest of a batch is not even tried.
func (q *Queue) PublishMessages(ctx context.Context, messages []message.Message) []error {
	errs := make([]error, len(messages))
	var away error
	for i, m := range messages {
		if away == nil {
			errs[i], away = q.carry(ctx, m)
		}
		if away != nil {
			errs[i] = away
		}
	}
	return errs
}

func (q *Queue) carry(ctx context.Context, m message.Message) (refused, away error) {
	event, err := mailer.MarshalEvent(m, q.source)
	if err != nil {
		return fmt.Errorf("%w: %w", mailer.ErrPermanent, err), nil
	}
	if err := q.broker.publish(ctx, Topic, envelope{id: id.Format(m.ID), body: event}); err != nil {
		return nil, fmt.Errorf("%w: queue: %w", mailer.ErrUnreachable, err)
	}
	return nil, nil
}

// Check says why the broker cannot be used.
func (q *Queue) Check(ctx context.Context) error {
	if err := q.broker.ping(ctx); err != nil {
		return fmt.Errorf("queue: %w", err)
	}
	return nil
}

// Close hangs up.
func (q *Queue) Close() error { return q.broker.close() }
