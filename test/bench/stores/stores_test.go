// Package stores measures the cost of Redis and of the broker. docs/scaling.md uses the
// results.
//
//	go test -run xxx -bench . -benchtime 2s ./test/bench/stores
package stores_test

import (
	"context"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/queue"
	"github.com/octavo-books/octavo/adapters/redisstore"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/servers"
)

var ctx = context.Background()

func connect(b *testing.B, url string) *redisstore.Client {
	b.Helper()
	client, err := redisstore.Connect(url)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = client.Close() })
	return client
}

// info reads a number from Redis' INFO.
func info(b *testing.B, c *redisstore.Client, name string) float64 {
	b.Helper()
	for line := range strings.Lines(c.Redis.Info(ctx).Val()) {
		if key, value, _ := strings.Cut(strings.TrimSpace(line), ":"); key == name {
			n, err := strconv.ParseFloat(value, 64)
			if err != nil {
				b.Fatal(err)
			}
			return n
		}
	}
	b.Fatalf("INFO has no %s", name)
	return 0
}

// onRedis also reports the cost of an operation in Redis.
func onRedis(b *testing.B, client *redisstore.Client, op func(i int)) {
	b.Helper()
	cpu := func() float64 { return info(b, client, "used_cpu_user") + info(b, client, "used_cpu_sys") }
	before, i := cpu(), 0
	for b.Loop() {
		op(i)
		i++
	}
	b.ReportMetric((cpu()-before)/float64(i)*1e6, "redis-µs/op")
}

func newSession(i int) session.Session {
	now := time.Now().UTC()
	return session.Session{
		ID: user.SessionID(i + 1), User: user.ID(382_000_000_000_000_000 + i), CreatedAt: now,
		Lifetime: session.Lifetime{LastUsedAt: now, IdleTimeout: session.IdleTimeoutRemembered, AbsoluteExpiry: now.Add(session.AbsoluteTimeout)}, IP: "203.0.113.217",
		UserAgent: "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
		Device:    session.Device{Browser: "Chrome", OS: "Windows"}, Family: session.TokenFamily{RotatedAt: now},
	}
}

var nothing = auth.SessionEffects{
	Added:   func(auth.KnownDevices) auth.SideEffects { return auth.SideEffects{} },
	Evicted: func([]user.SessionID) auth.SideEffects { return auth.SideEffects{} },
}

// withoutEffects are accounts that nothing happens to.
type withoutEffects struct{ redisstore.Accounts }

func (withoutEffects) Atomically(ctx context.Context, fn func(context.Context, auth.Stores) error) error {
	return fn(ctx, auth.Stores{Store: noEffects{}})
}

type noEffects struct{ auth.Store }

func (noEffects) RecordSideEffects(context.Context, auth.SideEffects) error { return nil }

func BenchmarkSession(b *testing.B) {
	server := servers.Redis(b)
	client := connect(b, server.URL)
	sessions := redisstore.NewSessions(client, withoutEffects{})
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	const kept = 20_000
	empty := info(b, client, "used_memory")
	for i := range kept {
		must(sessions.AddSession(ctx, newSession(i), 10, nothing))
	}
	size := (info(b, client, "used_memory") - empty) / kept
	one := newSession(0)
	b.Run("begin", func(b *testing.B) {
		onRedis(b, client, func(i int) { must(sessions.AddSession(ctx, newSession(kept+i), 10, nothing)) })
		b.ReportMetric(size, "redis-bytes/session")
	})
	b.Run("find", func(b *testing.B) {
		onRedis(b, client, func(int) {
			_, err := sessions.FindSession(ctx, one.User, one.ID)
			must(err)
		})
	})
	b.Run("rotate", func(b *testing.B) {
		n := int64(0)
		onRedis(b, client, func(int) {
			now, _, err := sessions.RotateToken(ctx, auth.PresentedToken{User: one.User, Session: one.ID, Number: n, At: time.Now()}, nil)
			must(err)
			n = now.Family.Newest
		})
	})
	b.Run("touch", func(b *testing.B) {
		onRedis(b, client, func(i int) {
			must(sessions.TouchSession(ctx, one.User, one.ID, auth.SessionUse{TokenNumber: int64(i), At: time.Now(), IP: one.IP}))
		})
	})
}

func BenchmarkLimit(b *testing.B) {
	client := connect(b, servers.Redis(b).URL)
	limits, rule := redisstore.NewRateLimiter(client), limit.Rule{Burst: 600, Period: time.Minute}
	empty := info(b, client, "used_memory")
	onRedis(b, client, func(i int) {
		name := strconv.Itoa(i)
		if _, err := limits.AllowRequests(ctx, time.Now(), limit.Request{Name: "sign-ins from " + name, Rule: rule}, limit.Request{Name: "sign-in failures of somebody@campus.edu from " + name, Rule: rule}); err != nil {
			b.Fatal(err)
		}
	})
	b.ReportMetric((info(b, client, "used_memory")-empty)/float64(client.Redis.DBSize(ctx).Val()), "redis-bytes/name")
}

// sink accepts every message immediately.
type sink struct{ got sync.WaitGroup }

func (s *sink) PublishMessages(_ context.Context, messages []message.Message) []error {
	for range messages {
		s.got.Done()
	}
	return make([]error, len(messages))
}

type noMeter struct{}

func (noMeter) CountOutcome(message.Kind, mailer.Outcome) {}

func BenchmarkQueue(b *testing.B) {
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	for name, open := range map[string]func(b *testing.B) (*queue.Queue, error){
		"redis": func(b *testing.B) (*queue.Queue, error) {
			return queue.NewRedis(connect(b, servers.Redis(b).URL).Redis, "https://books.example.edu"), nil
		},
		"nats": func(b *testing.B) (*queue.Queue, error) {
			return queue.NewNATS(servers.NATS(b).URL, "https://books.example.edu", log)
		},
	} {
		b.Run(name+"/publish to settled", func(b *testing.B) {
			q, err := open(b)
			if err != nil {
				b.Fatal(err)
			}
			to := &sink{}
			c, err := queue.NewConsumer(q, to, system.Clock{}, noMeter{}, log, queue.DefaultConsumerConfig())
			if err != nil {
				b.Fatal(err)
			}
			running, stop := context.WithCancel(ctx)
			var all sync.WaitGroup
			all.Go(func() { c.Run(running) })
			id := int64(0)
			for b.Loop() {
				to.got.Add(1)
				id++
				if err := q.PublishMessages(ctx, []message.Message{{ID: id, Kind: message.BookSold, To: "ada@u.rochester.edu", Lang: "en", CreatedAt: time.Now()}})[0]; err != nil {
					b.Fatal(err)
				}
			}
			to.got.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
			stop()
			all.Wait()
		})
	}
}
