package servers_test

import (
	"context"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/servers"
)

func TestAGroupOfRedisServersPromotesAnother(t *testing.T) {
	for name, start := range map[string]func(testing.TB) *servers.RedisGroup{"cluster": servers.RedisCluster, "sentinel": servers.RedisSentinel} {
		t.Run(name, func(t *testing.T) {
			t0 := time.Now()
			g := start(t)
			t.Log("started", time.Since(t0))
			c := g.Client()
			defer func() { _ = c.Close() }()
			if err := c.Set(context.Background(), "a", 1, 0).Err(); err != nil {
				t.Fatal(err)
			}
			m := g.Master("a")
			t0 = time.Now()
			m.Kill()
			for time.Since(t0) < 20*time.Second && c.Set(context.Background(), "a", 2, 0).Err() != nil {
				<-time.After(5 * time.Millisecond)
			}
			t.Log("failed over", time.Since(t0))
			if g.Master("a") == m {
				t.Error("the same")
			}
		})
	}
}
