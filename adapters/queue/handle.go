package queue

import (
	"context"
	cryptorand "crypto/rand"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/text"
)

var errExpired = errors.New("expired before it could be sent")

// handle sends one message, drops it, moves it to the dead letters, or schedules a retry.
// It reports whether the mail server was unreachable; the message is then redelivered after
// unreachableWait. An error means that the broker failed and will redeliver the message.
func (c *Consumer) handle(ctx context.Context, d *delivery, unreachableWait time.Duration) (unreachable bool, err error) {
	ctx, cancel := c.handlingContext(ctx)
	defer cancel()
	m, err := mailer.UnmarshalEvent(d.body)
	if err == nil && m.Expired(c.clock.Now()) {
		err = errExpired
	}
	if err != nil {
		return false, c.deadLetter(ctx, d, m, err)
	}
	e, err := c.broker.claim(ctx, id.Format(m.ID))
	switch {
	case err != nil:
		return false, err
	case e.state == settled:
		return false, d.ack(ctx)
	case e.state == leased:
		return false, d.retryIn(ctx, c.timing.lease)
	}
	return c.send(ctx, d, m, e.attempt, unreachableWait)
}

// send does not count an attempt that failed through no fault of the message: because the
// mail server was unreachable or the consumer is shutting down.
func (c *Consumer) send(
	ctx context.Context, d *delivery, m message.Message, attempt int, unreachableWait time.Duration,
) (unreachable bool, err error) {
	failure := c.mailer.PublishMessages(ctx, []message.Message{m})[0]
	stopped := errors.Is(ctx.Err(), context.Canceled)
	unreachable = errors.Is(failure, mailer.ErrUnreachable)
	if unreachable {
		c.mailOutage.report(failure)
	} else {
		c.mailOutage.report(nil)
	}
	switch {
	case failure == nil:
		return false, c.markSent(ctx, d, m)
	case unreachable || stopped:
		return unreachable, c.release(ctx, d, m, true, unreachableWait)
	case errors.Is(failure, mailer.ErrPermanent) || attempt >= mailer.MaxAttempts:
		return false, c.deadLetter(ctx, d, m, failure)
	}
	c.log.Warn("mail failed and will be retried", "id", m.ID, "kind", m.Kind, "attempts", attempt, "error", failure)
	c.meter.CountOutcome(m.Kind, mailer.Retry)
	return false, c.release(ctx, d, m, false, mailer.Backoff(attempt, rand.Float64()))
}

// markSent retries until the broker has recorded that the mail was sent. Without the record
// the mail would be sent again.
func (c *Consumer) markSent(ctx context.Context, d *delivery, m message.Message) error {
	c.meter.CountOutcome(m.Kind, mailer.Sent)
	var err error
	for ctx.Err() == nil {
		if err = c.broker.markSettled(ctx, id.Format(m.ID)); err == nil {
			return d.ack(ctx)
		}
		c.queueOutage.report(err)
		sleep(ctx, firstPause/4)
	}
	return err
}

// release schedules a retry. It ends the lease first: if the broker fails in between, the
// message is redelivered all the same.
func (c *Consumer) release(ctx context.Context, d *delivery, m message.Message, uncounted bool, wait time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), brokerTimeout)
	defer cancel()
	if err := c.broker.release(ctx, id.Format(m.ID), uncounted); err != nil {
		return err
	}
	return d.retryIn(ctx, wait)
}

// maxReason bounds, in bytes, what a mail server can make the broker store. The format on
// Redis has 16 bits for its length.
const maxReason = 500

// deadLetter moves a message that will never be sent to DeadTopic, for operators to read.
func (c *Consumer) deadLetter(ctx context.Context, d *delivery, m message.Message, cause error) error {
	c.log.Error("mail became a dead letter", "id", m.ID, "kind", m.Kind, "reason", cause)
	c.meter.CountOutcome(m.Kind, mailer.Dead)
	dead := envelope{id: cryptorand.Text(), reason: text.Line(cause.Error(), maxReason), body: withoutSecrets(d.body)}
	if m.ID != 0 {
		dead.id = id.Format(m.ID)
	}
	if err := c.broker.publish(ctx, DeadTopic, dead); err != nil {
		return err
	}
	if m.ID != 0 {
		if err := c.broker.markSettled(ctx, id.Format(m.ID)); err != nil {
			return err
		}
	}
	return d.ack(ctx)
}

// withoutSecrets removes code and link from an event. A body that is not an event becomes
// "{}", because it may hold a secret anywhere.
func withoutSecrets(body []byte) []byte {
	var event map[string]json.RawMessage
	var data map[string]json.RawMessage
	if json.Unmarshal(body, &event) != nil || json.Unmarshal(event["data"], &data) != nil {
		return []byte("{}")
	}
	delete(data, "code")
	delete(data, "link")
	var err error
	if event["data"], err = json.Marshal(data); err != nil {
		return []byte("{}")
	}
	clean, err := json.Marshal(event)
	if err != nil {
		return []byte("{}")
	}
	return clean
}

// handlingContext outlives ctx by the shutdown grace and ends before another consumer can
// claim the message.
func (c *Consumer) handlingContext(ctx context.Context) (context.Context, func()) {
	handling, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.timing.handling)
	stop := context.AfterFunc(ctx, func() {
		sleep(handling, c.config.ShutdownGrace)
		cancel()
	})
	return handling, func() { stop(); cancel() }
}
