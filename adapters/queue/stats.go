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

// Stats measures the backlog of a queue.
type Stats struct {
	Waiting  int       // including those in flight and those that wait for a retry
	InFlight int       // claimed by mailers
	Oldest   time.Time // when the oldest waiting one was published or requeued; zero if none waits
}

// ReadStats counts the messages on the broker.
func (q *Queue) ReadStats(ctx context.Context) (Stats, error) { return q.broker.readStats(ctx) }

func (b *redisBroker) readStats(ctx context.Context) (Stats, error) {
	var waiting, delayed *redis.IntCmd
	var oldest *redis.XMessageSliceCmd
	_, err := b.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		waiting, delayed, oldest = p.XLen(ctx, Topic), p.ZCard(ctx, delayedKey), p.XRangeN(ctx, Topic, "-", "+", 1)
		return nil
	})
	if err != nil {
		return Stats{}, err
	}
	c := Stats{Waiting: int(waiting.Val() + delayed.Val())}
	if first := oldest.Val(); len(first) > 0 {
		c.Oldest = idTime(first[0].ID)
	}
	pending, err := b.client.XPending(ctx, Topic, group).Result()
	if err != nil && !redis.HasErrorPrefix(err, "NOGROUP") { // no mailer has created the group yet
		return Stats{}, err
	}
	if pending != nil {
		c.InFlight = int(pending.Count)
	}
	return c, nil
}

// idTime returns the time in the ID of a stream entry, "<ms>-<n>".
func idTime(id string) time.Time {
	text, _, _ := strings.Cut(id, "-")
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

func (b *natsBroker) readStats(ctx context.Context) (Stats, error) {
	stream, err := b.js.Stream(ctx, streamName)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return Stats{}, nil
	}
	if err != nil {
		return Stats{}, err
	}
	state := stream.CachedInfo().State
	c := Stats{Waiting: int(state.Msgs)}
	if c.Waiting > 0 {
		c.Oldest = state.FirstTime
	}
	consumer, err := stream.Consumer(ctx, group)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return c, nil
	}
	if err != nil {
		return Stats{}, err
	}
	c.InFlight = consumer.CachedInfo().NumAckPending
	return c, nil
}

// CountMessages is ReadStats in pieces.
func (q *Queue) CountMessages(ctx context.Context) (waiting, inFlight int, oldest time.Time, err error) {
	s, err := q.ReadStats(ctx)
	return s.Waiting, s.InFlight, s.Oldest, err
}
