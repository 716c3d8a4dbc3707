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

// delayedKey is a sorted set of messages that wait for a retry, by due time. Its name
// hashes to the stream's slot in a cluster.
const delayedKey = "{" + Topic + "}.later"

// redisBroker needs Redis 6.2 or newer.
type redisBroker struct {
	client redis.UniversalClient
	timing timing
	redisLedger
}

// NewRedis makes a queue on Redis Streams. It does not connect yet. Closing the queue closes
// the client. Source becomes the source of the CloudEvents, a URI.
func NewRedis(client redis.UniversalClient, source string) *Queue {
	return newRedis(client, source, defaultTiming())
}

func newRedis(client redis.UniversalClient, source string, t timing) *Queue {
	return &Queue{&redisBroker{client, t, redisLedger{client, t.lease}}, source, t}
}

func (b *redisBroker) publish(ctx context.Context, topic string, e envelope) error {
	ctx, cancel := context.WithTimeout(ctx, brokerTimeout)
	defer cancel()
	entry := &redis.XAddArgs{Stream: topic, Values: []any{idField, e.id, "metadata", metadata(e), "payload", e.body}}
	if topic == DeadTopic {
		entry.MaxLen, entry.Approx = maxDead, true
	}
	return b.client.XAdd(ctx, entry).Err()
}

// metadata returns watermill's metadata in MessagePack: nothing, or a map with the reason.
// The prefixes are a map of one entry, a string of 6 bytes, and a string with a 16-bit
// length.
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

// maintain requeues messages whose retry is due.
func (b *redisBroker) maintain(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			// The subscriptions report an unreachable Redis.
			_ = requeueDue.Run(ctx, b.client, []string{delayedKey, Topic}, time.Now().UnixMilli()).Err()
		}
	}
}

// requeueDue moves due messages back into the stream, in the format of publish.
var requeueDue = redis.NewScript(`
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, 100)
for _, message in ipairs(due) do
  redis.call('XADD', KEYS[2], '*', '` + idField + `', 'again', 'metadata', '', 'payload', message)
  redis.call('ZREM', KEYS[1], message)
end
return #due`)

// retryIn is atomic, so that a crash neither loses nor duplicates the message.
var retryIn = redis.NewScript(`
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2])
redis.call('XACK', KEYS[2], ARGV[3], ARGV[4])
return redis.call('XDEL', KEYS[2], ARGV[4])`)

func (b *redisBroker) subscribe(ctx context.Context) (subscription, error) {
	host, _ := os.Hostname() // helps operators who list the consumers
	s := &redisSubscription{client: b.client, timing: b.timing, name: fmt.Sprintf("%s-%d-%s", host, os.Getpid(), rand.Text())}
	return s, s.createGroup(ctx)
}

type redisSubscription struct {
	client    redis.UniversalClient
	name      string
	timing    timing
	scannedAt time.Time // the last scan for messages of dead consumers
}

// createGroup creates stream and group if they are missing, also after Redis has lost its
// data. The group gets all messages that are in the stream already.
func (s *redisSubscription) createGroup(ctx context.Context) error {
	err := s.client.XGroupCreateMkStream(ctx, Topic, group, "0").Err()
	if err != nil && !strings.HasPrefix(err.Error(), "BUSYGROUP") {
		return err
	}
	return nil
}

func (s *redisSubscription) next(ctx context.Context) (*delivery, error) {
	m, err := s.claimAbandoned(ctx)
	if err != nil || m != nil {
		return m, err
	}
	streams, err := s.client.XReadGroup(ctx, &redis.XReadGroupArgs{
		Group: group, Consumer: s.name, Streams: []string{Topic, ">"}, Count: 1, Block: s.timing.fetchWait,
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

// claimAbandoned claims a message whose consumer has died.
func (s *redisSubscription) claimAbandoned(ctx context.Context) (*delivery, error) {
	if time.Since(s.scannedAt) < s.timing.redelivery/8 {
		return nil, nil
	}
	found, _, err := s.client.XAutoClaim(ctx, &redis.XAutoClaimArgs{
		Stream: Topic, Group: group, Consumer: s.name, MinIdle: s.timing.redelivery, Start: "0", Count: 1,
	}).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return nil, err
	}
	if len(found) == 0 {
		s.scannedAt = time.Now()
		return nil, nil
	}
	return s.deliver(found[0]), nil
}

func (s *redisSubscription) deliver(m redis.XMessage) *delivery {
	body, _ := m.Values["payload"].(string) // a message without one fails to decode
	return &delivery{
		body: []byte(body),
		ack: func(ctx context.Context) error {
			_, err := s.client.TxPipelined(ctx, func(p redis.Pipeliner) error {
				p.XAck(ctx, Topic, group, m.ID)
				p.XDel(ctx, Topic, m.ID)
				return nil
			})
			return err
		},
		retryIn: func(ctx context.Context, wait time.Duration) error {
			due := time.Now().Add(wait).UnixMilli()
			return retryIn.Run(ctx, s.client, []string{delayedKey, Topic}, due, body, group, m.ID).Err()
		},
	}
}

// close removes the consumer from the group, unless it still holds a message.
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
