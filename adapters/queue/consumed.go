package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// ErrNoMailer says that mails wait on the broker and nobody takes them.
var ErrNoMailer = errors.New("no mailer takes the mails that wait: run octavo serve mailer with the same QUEUE_URL")

// CheckMailers returns ErrNoMailer if messages wait for more than a minute and no mailer has asked
// for one of late. A broker that cannot be asked is for Check to report.
func (q *Queue) CheckMailers(ctx context.Context) error {
	stats, err := q.ReadStats(ctx)
	if err != nil || stats.Oldest.IsZero() || time.Since(stats.Oldest) < q.timing.unconsumed {
		return nil //nolint:nilerr // as above
	}
	if consumed, err := q.broker.consumed(ctx); err != nil || consumed {
		return nil //nolint:nilerr // as above
	}
	return fmt.Errorf("%w: the oldest was published %s ago", ErrNoMailer, time.Since(stats.Oldest).Round(time.Second))
}

// consumed finds a consumer that is not idle for longer than one that handles a message. Those of
// killed mailers stay in the group.
func (b *redisBroker) consumed(ctx context.Context) (bool, error) {
	all, err := b.client.XInfoConsumers(ctx, Topic, group).Result()
	if err != nil {
		return false, nil //nolint:nilerr // no mailer has created the group yet, or the broker is down
	}
	for _, c := range all {
		if c.Idle < b.timing.redelivery {
			return true, nil
		}
	}
	return false, nil
}

// consumed looks for requests that wait for a message, and for messages that mailers have.
func (b *natsBroker) consumed(ctx context.Context) (bool, error) {
	consumer, err := b.js.Consumer(ctx, streamName, group)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	info := consumer.CachedInfo()
	return info.NumWaiting > 0 || info.NumAckPending > 0, nil
}
