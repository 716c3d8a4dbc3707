package queue

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/octavo-books/octavo/test/servers"
	"github.com/redis/go-redis/v9"
)

const source = "https://books.example.edu"

// place is a broker for a test, and how to look into it from outside.
type place struct {
	dial  func(t *testing.T) *Queue                 // also while it is away
	raw   func(t *testing.T, topic string) []string // bodies of all messages of a topic
	put   func(t *testing.T, body string)           // as another program would
	kill  func()                                    // nil where it cannot be killed
	again func()
	wipe  func(t *testing.T)
}

// soon is how tests wait: a message whose consumer died comes again within three
// seconds. Less would make repeats of what a busy machine takes its time over.
func soon() timing {
	return timing{handling: 2 * time.Second, lease: 2200 * time.Millisecond, redelivery: 2400 * time.Millisecond, patience: 50 * time.Millisecond}
}

func discard() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// everywhere runs a test on each broker.
func everywhere(t *testing.T, test func(t *testing.T, p place)) {
	t.Parallel()
	t.Run("miniredis", func(t *testing.T) {
		m := miniredis.RunT(t)
		test(t, redisPlace(clientOf(t, "redis://"+m.Addr())))
	})
	realOnes(t, test)
}

func realOnes(t *testing.T, test func(t *testing.T, p place)) {
	t.Run("redis", func(t *testing.T) {
		s := servers.Redis(t)
		p := redisPlace(clientOf(t, s.URL))
		p.kill, p.again = s.Kill, s.Again
		test(t, p)
	})
	t.Run("nats", func(t *testing.T) {
		s := servers.NATS(t)
		p := natsPlace(s.URL)
		p.kill, p.again = s.Kill, s.Again
		test(t, p)
	})
}

// onGroups runs a test over Redis servers that stand in for each other; there
// kill ends the master of the queue for good.
func onGroups(t *testing.T, test func(t *testing.T, p place)) {
	if testing.Short() {
		t.Skip("starts six servers")
	}
	for name, start := range map[string]func(testing.TB) *servers.RedisGroup{"cluster": servers.RedisCluster, "sentinel": servers.RedisSentinel} {
		t.Run(name, func(t *testing.T) {
			g := start(t)
			p := redisPlace(g.Client)
			p.kill, p.again = func() { g.Settle("{" + Topic + "}.test"); g.Master(Topic).Kill() }, func() {}
			p.wipe = func(*testing.T) { g.Wipe() }
			test(t, p)
		})
	}
}

func clientOf(t *testing.T, url string) func() redis.UniversalClient {
	t.Helper()
	options, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	return func() redis.UniversalClient { return redis.NewClient(options) }
}

func redisPlace(connect func() redis.UniversalClient) place {
	client := func(t *testing.T) redis.UniversalClient {
		c := connect()
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	return place{
		dial: func(t *testing.T) *Queue { return newRedis(client(t), source, soon()) },
		raw: func(t *testing.T, topic string) []string {
			entries, err := client(t).XRange(t.Context(), topic, "-", "+").Result()
			if err != nil {
				t.Fatal(err)
			}
			var bodies []string
			for _, e := range entries {
				bodies = append(bodies, e.Values["payload"].(string))
			}
			return bodies
		},
		put: func(t *testing.T, body string) {
			if err := client(t).XAdd(t.Context(), &redis.XAddArgs{Stream: Topic, Values: map[string]any{"payload": body}}).Err(); err != nil {
				t.Fatal(err)
			}
		},
		wipe: func(t *testing.T) {
			if err := client(t).FlushAll(t.Context()).Err(); err != nil {
				t.Fatal(err)
			}
		},
	}
}

func natsPlace(url string) place {
	dial := func(t *testing.T) *Queue {
		q, err := newNATS(url, source, discard(), soon())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = q.Close() })
		return q
	}
	js := func(t *testing.T) jetstream.JetStream {
		return place{dial: dial}.open(t).broker.(*natsBroker).js
	}
	return place{
		dial: dial,
		raw: func(t *testing.T, topic string) []string {
			name := map[string]string{Topic: streamName, DeadTopic: deadStreamName}[topic]
			return natsBodies(t, js(t), name)
		},
		put: func(t *testing.T, body string) {
			if _, err := js(t).Publish(t.Context(), Topic, []byte(body)); err != nil {
				t.Fatal(err)
			}
		},
		wipe: func(t *testing.T) {
			for _, name := range []string{streamName, deadStreamName, "KV_" + ledgerName} {
				if err := js(t).DeleteStream(t.Context(), name); err != nil {
					t.Fatal(err)
				}
			}
		},
	}
}

func natsBodies(t *testing.T, js jetstream.JetStream, name string) []string {
	stream, err := js.Stream(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	info, err := stream.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var bodies []string
	for n := info.State.FirstSeq; n <= info.State.LastSeq; n++ {
		if m, err := stream.GetMsg(t.Context(), n); err == nil { // some are gone
			bodies = append(bodies, string(m.Data))
		}
	}
	return bodies
}

// open waits for the broker.
func (p place) open(t *testing.T) *Queue {
	t.Helper()
	q := p.dial(t)
	eventually(t, "a connection", func() bool { return q.Check(context.Background()) == nil })
	return q
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); <-time.After(5 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("never: %s", what)
}
