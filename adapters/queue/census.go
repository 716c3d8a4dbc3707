package queue

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/redis/go-redis/v9"
)

// Census is how full the queue is.
type Census struct {
	Waiting int       // with those in hand, and those put off
	InHand  int       // of mailers
	Oldest  time.Time // when the one that waits longest was published or put off last; zero if none waits
}

// Census counts what is on the broker.
func (q *Queue) Census(ctx context.Context) (Census, error) { return q.broker.census(ctx) }

func (b *redisBroker) census(ctx context.Context) (Census, error) {
	var waiting, putOff *redis.IntCmd
	var oldest *redis.XMessageSliceCmd
	_, err := b.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		waiting, putOff, oldest = p.XLen(ctx, Topic), p.ZCard(ctx, later), p.XRangeN(ctx, Topic, "-", "+", 1)
		return nil
	})
	if err != nil {
		return Census{}, err
	}
	c := Census{Waiting: int(waiting.Val() + putOff.Val())}
	if first := oldest.Val(); len(first) > 0 {
		c.Oldest = idTime(first[0].ID)
	}
	pending, err := b.client.XPending(ctx, Topic, group).Result()
	if err != nil && !redis.HasErrorPrefix(err, "NOGROUP") { // no mailer has come yet
		return Census{}, err
	}
	if pending != nil {
		c.InHand = int(pending.Count)
	}
	return c, nil
}

// idTime is the time in the id of a stream's entry, "<ms>-<n>".
func idTime(id string) time.Time {
	text, _, _ := strings.Cut(id, "-")
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

func (b *natsBroker) census(ctx context.Context) (Census, error) {
	stream, err := b.js.Stream(ctx, streamName)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return Census{}, nil
	}
	if err != nil {
		return Census{}, err
	}
	state := stream.CachedInfo().State
	c := Census{Waiting: int(state.Msgs)}
	if c.Waiting > 0 {
		c.Oldest = state.FirstTime
	}
	consumer, err := stream.Consumer(ctx, group)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return c, nil
	}
	if err != nil {
		return Census{}, err
	}
	c.InHand = consumer.CachedInfo().NumAckPending
	return c, nil
}
