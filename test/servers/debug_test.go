package servers_test

import (
	"context"
	"testing"
	"time"
	"github.com/redis/go-redis/v9"

	"github.com/octavo-books/octavo/test/servers"
)

func TestDebug(t *testing.T) {
	g := servers.RedisCluster(t)
	c := g.Client()
	defer func() { _ = c.Close() }()
	ctx := context.Background()
	t.Log(c.Set(ctx, "a", 1, 0).Err())
	m := g.Master("a")
	peer := g.Master("c")
	t.Log(m.URL, peer.URL)
	m.Kill()
	pc := peer.Client()
	t0 := time.Now()
	for time.Since(t0) < 8*time.Second {
		t1 := time.Now()
		err := c.Set(ctx, "a", 2, 0).Err()
		t.Log(time.Since(t0), time.Since(t1), err)
		sl, _ := pc.ClusterSlots(ctx).Result()
		t.Log(sl, pc.ClusterInfo(ctx).Val()[:40])
		_ = redis.Nil
		<-time.After(300 * time.Millisecond)
	}
	t.Log(pc.ClusterNodes(ctx).Val())
}
