package queue

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/poll"
	"github.com/octavo-books/octavo/test/servers"
	"github.com/redis/go-redis/v9"
)

const source = "https://books.example.edu"

// testBroker is a broker for a test, with functions that inspect it from outside.
type testBroker struct {
	dial    func(t *testing.T) *Queue                 // also while it is down
	raw     func(t *testing.T, topic string) []string // returns the bodies of all messages of a topic
	put     func(t *testing.T, body string)           // publishes as another program would
	kill    func()                                    // nil where it cannot be killed
	restart func()
	wipe    func(t *testing.T)
}

// shortTiming redelivers a message of a dead consumer within three seconds. A shorter time
// would duplicate messages on a busy machine.
func shortTiming() timing {
	return timing{handling: 2 * time.Second, lease: 2200 * time.Millisecond, redelivery: 2400 * time.Millisecond, fetchWait: 50 * time.Millisecond, unconsumed: 100 * time.Millisecond}
}

func discard() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// onEachBroker runs a test on each broker.
func onEachBroker(t *testing.T, test func(t *testing.T, p testBroker)) {
	t.Parallel()
	t.Run("miniredis", func(t *testing.T) {
		m := miniredis.RunT(t)
		test(t, redisTestBroker(clientOf(t, "redis://"+m.Addr())))
	})
	onRealBrokers(t, test)
}

func onRealBrokers(t *testing.T, test func(t *testing.T, p testBroker)) {
	t.Run("redis", func(t *testing.T) {
		s := servers.Redis(t)
		p := redisTestBroker(clientOf(t, s.URL))
		p.kill, p.restart = s.Kill, s.Restart
		test(t, p)
	})
	t.Run("nats", func(t *testing.T) {
		s := servers.NATS(t)
		p := natsTestBroker(s.URL)
		p.kill, p.restart = s.Kill, s.Restart
		test(t, p)
	})
}

// onRedisGroups runs a test on a cluster and on a group with sentinels. There kill ends the
// queue's master for good.
func onRedisGroups(t *testing.T, test func(t *testing.T, p testBroker)) {
	deep.NotShort(t, "starts six servers")
	for name, start := range map[string]func(testing.TB) *servers.RedisGroup{"cluster": servers.RedisCluster, "sentinel": servers.RedisSentinel} {
		t.Run(name, func(t *testing.T) {
			g := start(t)
			p := redisTestBroker(g.Client)
			p.kill, p.restart = func() { g.Settle("{" + Topic + "}.test"); g.Master(Topic).Kill() }, func() {}
			p.wipe = func(*testing.T) { g.Wipe() }
			test(t, p)
		})
	}
}

func clientOf(t *testing.T, url string) func() redis.UniversalClient {
	t.Helper()
	options := must.Get(redis.ParseURL(url))(t)
	return func() redis.UniversalClient { return redis.NewClient(options) }
}

func redisTestBroker(connect func() redis.UniversalClient) testBroker {
	client := func(t *testing.T) redis.UniversalClient {
		c := connect()
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	return testBroker{
		dial: func(t *testing.T) *Queue { return newRedis(client(t), source, shortTiming()) },
		raw: func(t *testing.T, topic string) []string {
			entries := must.Get(client(t).XRange(t.Context(), topic, "-", "+").Result())(t)
			var bodies []string
			for _, e := range entries {
				bodies = append(bodies, e.Values["payload"].(string))
			}
			return bodies
		},
		put: func(t *testing.T, body string) {
			must.Do(t, client(t).XAdd(t.Context(), &redis.XAddArgs{Stream: Topic, Values: map[string]any{"payload": body}}).Err())
		},
		wipe: func(t *testing.T) { must.Do(t, client(t).FlushAll(t.Context()).Err()) },
	}
}

func natsTestBroker(url string) testBroker {
	dial := func(t *testing.T) *Queue {
		q := must.Get(newNATS(url, source, discard(), shortTiming()))(t)
		t.Cleanup(func() { _ = q.Close() })
		return q
	}
	js := func(t *testing.T) jetstream.JetStream { return testBroker{dial: dial}.open(t).broker.(*natsBroker).js }
	return testBroker{
		dial: dial,
		raw: func(t *testing.T, topic string) []string {
			name := map[string]string{Topic: streamName, DeadTopic: deadStreamName}[topic]
			return natsBodies(t, js(t), name)
		},
		put: func(t *testing.T, body string) { must.Get(js(t).Publish(t.Context(), Topic, []byte(body)))(t) },
		wipe: func(t *testing.T) {
			for _, name := range []string{streamName, deadStreamName, "KV_" + ledgerName} {
				must.Do(t, js(t).DeleteStream(t.Context(), name))
			}
		},
	}
}

func natsBodies(t *testing.T, js jetstream.JetStream, name string) []string {
	stream := must.Get(js.Stream(t.Context(), name))(t)
	info := must.Get(stream.Info(t.Context()))(t)
	var bodies []string
	for n := info.State.FirstSeq; n <= info.State.LastSeq; n++ {
		if m, err := stream.GetMsg(t.Context(), n); err == nil { // some are gone
			bodies = append(bodies, string(m.Data))
		}
	}
	return bodies
}

// open waits for the broker.
func (p testBroker) open(t *testing.T) *Queue {
	t.Helper()
	q := p.dial(t)
	poll.For(t, "a connection", func() bool { return q.Check(context.Background()) == nil })
	return q
}
