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

// handle sees one message through: sent, dropped, buried or put off. It reports
// whether the mail server was away, in which case the message comes again after
// ifAway. An error means that the broker failed; then the message comes again.
func (c *Consumer) handle(ctx context.Context, d *delivery, ifAway time.Duration) (unreachable bool, err error) {
	ctx, land := c.flight(ctx)
	defer land()
	m, err := mailer.UnmarshalEvent(d.body)
	if err == nil && m.Expired(c.clock.Now()) {
		err = errExpired
	}
	if err != nil {
		return false, c.bury(ctx, d, m, err)
	}
	e, err := c.broker.begin(ctx, id.Format(m.ID))
	switch {
	case err != nil:
		return false, err
	case e.standing == settled:
		return false, d.done(ctx)
	case e.standing == busy:
		return false, d.putOff(ctx, c.timing.lease)
	}
	return c.send(ctx, d, m, e.try, ifAway)
}

// send counts no try when the message is not to blame: nobody was there, or we
// stopped.
func (c *Consumer) send(ctx context.Context, d *delivery, m message.Message, try int, ifAway time.Duration) (unreachable bool, err error) {
	failure := c.mailer.PublishMessages(ctx, []message.Message{m})[0]
	stopped := errors.Is(ctx.Err(), context.Canceled)
	unreachable = errors.Is(failure, mailer.ErrUnreachable)
	if unreachable {
		c.mailAway.note(failure)
	} else {
		c.mailAway.note(nil)
	}
	switch {
	case failure == nil:
		return false, c.settle(ctx, d, m)
	case unreachable || stopped:
		return unreachable, c.giveBack(ctx, d, m, true, ifAway)
	case errors.Is(failure, mailer.ErrPermanent) || try >= mailer.MaxAttempts:
		return false, c.bury(ctx, d, m, failure)
	}
	c.log.Warn("a mail could not be sent yet", "id", m.ID, "kind", m.Kind, "tries", try, "error", failure)
	c.meter.CountOutcome(m.Kind, mailer.Retry)
	return false, c.giveBack(ctx, d, m, false, mailer.Backoff(try, rand.Float64()))
}

// settle insists on the note that the mail was sent, for without it the mail
// would be sent again.
func (c *Consumer) settle(ctx context.Context, d *delivery, m message.Message) error {
	c.meter.CountOutcome(m.Kind, mailer.Sent)
	var err error
	for ctx.Err() == nil {
		if err = c.broker.sent(ctx, id.Format(m.ID)); err == nil {
			return d.done(ctx)
		}
		c.queueAway.note(err)
		sleep(ctx, firstPause/4)
	}
	return err
}

// giveBack lets the message come again. That it is free comes first: should the
// broker fail between, it comes again all the same.
func (c *Consumer) giveBack(ctx context.Context, d *delivery, m message.Message, uncounted bool, wait time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), brokerTimeout)
	defer cancel()
	if err := c.broker.release(ctx, id.Format(m.ID), uncounted); err != nil {
		return err
	}
	return d.putOff(ctx, wait)
}

// longestReason bounds, in bytes, what a mail server can make the broker store. On Redis
// its length is written in 16 bits.
const longestReason = 500

// bury puts aside what will never be sent, for people to see.
func (c *Consumer) bury(ctx context.Context, d *delivery, m message.Message, why error) error {
	c.log.Error("a mail is dead", "id", m.ID, "kind", m.Kind, "reason", why)
	c.meter.CountOutcome(m.Kind, mailer.Dead)
	dead := envelope{id: cryptorand.Text(), reason: text.Line(why.Error(), longestReason), body: withoutSecrets(d.body)}
	if m.ID != 0 {
		dead.id = id.Format(m.ID)
	}
	if err := c.broker.publish(ctx, DeadTopic, dead); err != nil {
		return err
	}
	if m.ID != 0 {
		if err := c.broker.sent(ctx, id.Format(m.ID)); err != nil {
			return err
		}
	}
	return d.done(ctx)
}

// withoutSecrets is the event without what opens a door; nothing of a body that
// is no event, for who knows what is in it.
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

// flight outlives ctx by the grace, and is over before anybody else may take the
// message.
func (c *Consumer) flight(ctx context.Context) (context.Context, func()) {
	flight, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.timing.handling)
	stop := context.AfterFunc(ctx, func() {
		sleep(flight, c.config.Grace)
		cancel()
	})
	return flight, func() { stop(); cancel() }
}
