package queue

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// later holds messages that were put off, by when they are due. Its name shares
// the stream's slot in a cluster.
const later = "{" + Topic + "}.later"

// redisBroker needs Redis 6.2 or newer.
type redisBroker struct {
	client redis.UniversalClient
	timing timing
	redisLedger
}

// NewRedis makes a queue on Redis Streams. It asks nothing of Redis yet, and
// closes the client when it is closed. Source is the URI that events come from.
func NewRedis(client redis.UniversalClient, source string) *Queue {
	return newRedis(client, source, standardTiming())
}

func newRedis(client redis.UniversalClient, source string, t timing) *Queue {
	return &Queue{&redisBroker{client, t, redisLedger{client, t.lease}}, source, t}
}

func (b *redisBroker) publish(ctx context.Context, topic string, e envelope) error {
	ctx, cancel := context.WithTimeout(ctx, brokerTimeout)
	defer cancel()
	entry := &redis.XAddArgs{Stream: topic, Values: []any{idField, e.id, "metadata", metadata(e), "payload", e.body}}
	if topic == DeadTopic {
		entry.MaxLen, entry.Approx = deadAtMost, true
	}
	return b.client.XAdd(ctx, entry).Err()
}

// metadata is empty or, in MessagePack, a map with the reason as its one entry: the marks
// stand for a map of 1, a text of 6 bytes, and a text whose length has 16 bits.
func metadata(e envelope) []byte {
	if e.reason == "" {
		return []byte{}
	}
	m := []byte("\x81" + "\xa6reason" + "\xda")
	m = binary.BigEndian.AppendUint16(m, uint16(len(e.reason)))
	return append(m, e.reason...)
}

func (b *redisBroker) ping(ctx context.Context) error { return b.client.Ping(ctx).Err() }

func (b *redisBroker) close() error { return b.client.Close() }

// tend brings back what was put off and is due now.
func (b *redisBroker) tend(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			// While Redis is away the subscriptions tell it.
			_ = bringBack.Run(ctx, b.client, []string{later, Topic}, time.Now().UnixMilli()).Err()
		}
	}
}

// bringBack moves due messages back into the stream, in the format of publish.
var bringBack = redis.NewScript(`
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, 100)
for _, message in ipairs(due) do
  redis.call('XADD', KEYS[2], '*', '` + idField + `', 'again', 'metadata', '', 'payload', message)
  redis.call('ZREM', KEYS[1], message)
end
return #due`)

// putOff is one step, so that a crash neither loses nor doubles the message.
var putOff = redis.NewScript(`
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2])
redis.call('XACK', KEYS[2], ARGV[3], ARGV[4])
return redis.call('XDEL', KEYS[2], ARGV[4])`)

func (b *redisBroker) subscribe(ctx context.Context) (subscription, error) {
	host, _ := os.Hostname() // only for people who look at the consumers
	s := &redisSubscription{client: b.client, timing: b.timing, name: fmt.Sprintf("%s-%d-%s", host, os.Getpid(), rand.Text())}
	return s, s.join(ctx)
}

type redisSubscription struct {
	client redis.UniversalClient
	name   string
	timing timing
	swept  time.Time // when we last looked for what others left behind
}

// join makes stream and group where they are missing, also after Redis has lost
// its data; what is in the stream already is for the group.
func (s *redisSubscription) join(ctx context.Context) error {
	err := s.client.XGroupCreateMkStream(ctx, Topic, group, "0").Err()
	if err != nil && !strings.HasPrefix(err.Error(), "BUSYGROUP") {
		return err
	}
	return nil
}

func (s *redisSubscription) next(ctx context.Context) (*delivery, error) {
	m, err := s.abandoned(ctx)
	if err != nil || m != nil {
		return m, err
	}
	streams, err := s.client.XReadGroup(ctx, &redis.XReadGroupArgs{
		Group: group, Consumer: s.name, Streams: []string{Topic, ">"}, Count: 1, Block: s.timing.patience,
	}).Result()
	switch {
	case errors.Is(err, redis.Nil):
		return nil, nil
	case err != nil:
		return nil, err
	case len(streams) == 0 || len(streams[0].Messages) == 0:
		return nil, nil
	}
	return s.deliver(streams[0].Messages[0]), nil
}

// abandoned takes over a message whose consumer has died.
func (s *redisSubscription) abandoned(ctx context.Context) (*delivery, error) {
	if time.Since(s.swept) < s.timing.redelivery/8 {
		return nil, nil
	}
	found, _, err := s.client.XAutoClaim(ctx, &redis.XAutoClaimArgs{
		Stream: Topic, Group: group, Consumer: s.name, MinIdle: s.timing.redelivery, Start: "0", Count: 1,
	}).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return nil, err
	}
	if len(found) == 0 {
		s.swept = time.Now()
		return nil, nil
	}
	return s.deliver(found[0]), nil
}

func (s *redisSubscription) deliver(m redis.XMessage) *delivery {
	body, _ := m.Values["payload"].(string) // one without is no event, and refused as such
	return &delivery{
		body: []byte(body),
		done: func(ctx context.Context) error {
			_, err := s.client.TxPipelined(ctx, func(p redis.Pipeliner) error {
				p.XAck(ctx, Topic, group, m.ID)
				p.XDel(ctx, Topic, m.ID)
				return nil
			})
			return err
		},
		putOff: func(ctx context.Context, wait time.Duration) error {
			due := time.Now().Add(wait).UnixMilli()
			return putOff.Run(ctx, s.client, []string{later, Topic}, due, body, group, m.ID).Err()
		},
	}
}

// close takes our name off the list, unless a message is still in our hands.
func (s *redisSubscription) close() {
	ctx, cancel := context.WithTimeout(context.Background(), brokerTimeout)
	defer cancel()
	pending, err := s.client.XPendingExt(ctx, &redis.XPendingExtArgs{
		Stream: Topic, Group: group, Consumer: s.name, Start: "-", End: "+", Count: 1,
	}).Result()
	if err == nil && len(pending) == 0 {
		_ = s.client.XGroupDelConsumer(ctx, Topic, group, s.name).Err()
	}
}
