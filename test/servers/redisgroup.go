package servers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// RedisGroup is several redis-servers with failover.
type RedisGroup struct {
	URL string // a value for REDIS_URL

	t      testing.TB
	nodes  []*RedisServer // that keep data
	client func() redis.UniversalClient
	// serving returns the host:port of the node that accepts writes to a key.
	serving func(ctx context.Context, key string) (string, error)
}

// Client returns a new client of the group.
func (g *RedisGroup) Client() redis.UniversalClient { return g.client() }

// Master returns the node that accepts writes to a key at present, as its peers see it. If it
// is killed, they promote another within some seconds.
func (g *RedisGroup) Master(key string) *RedisServer {
	g.t.Helper()
	var found *RedisServer
	until(g.t, "a master of "+key, func() error {
		address, err := g.serving(context.Background(), key)
		if err != nil {
			return err
		}
		for _, n := range g.nodes {
			if n.address() == address && n.process.cmd != nil {
				found = n
				return nil
			}
		}
		return fmt.Errorf("%s is not a live node", address)
	})
	return found
}

// Wipe deletes every key of the live nodes.
func (g *RedisGroup) Wipe() {
	g.t.Helper()
	for _, n := range g.nodes {
		if n.process.cmd == nil {
			continue // dead; it will copy the data of its master
		}
		client := n.Client()
		err := client.FlushAll(context.Background()).Err()
		_ = client.Close()
		if err != nil && !strings.HasPrefix(err.Error(), "READONLY") { // replicas follow
			g.t.Fatal(err)
		}
	}
}

// await waits until keys can be written, on whichever master they are.
func (g *RedisGroup) await() {
	g.t.Helper()
	client := g.client()
	defer func() { _ = client.Close() }()
	until(g.t, "a group of redis-servers", func() (err error) {
		for i := 0; i < 16 && err == nil; i++ {
			err = client.Set(context.Background(), fmt.Sprint("octavo.test.", i), 1, 0).Err()
		}
		return err
	})
	g.Wipe()
}

// info reads one line of INFO.
func info(ctx context.Context, c *redis.Client, section, name string) (string, error) {
	text, err := c.Info(ctx, section).Result()
	for line := range strings.Lines(text) {
		if key, value, _ := strings.Cut(strings.TrimSpace(line), ":"); key == name {
			return value, nil
		}
	}
	return "", err
}

// awaitReplica waits until a replica has its master's data.
func (s *RedisServer) awaitReplica() {
	s.t.Helper()
	client := s.Client()
	defer func() { _ = client.Close() }()
	until(s.t, "a replica", func() error {
		state, err := info(context.Background(), client, "replication", "master_link_status")
		if err == nil && state != "up" {
			err = fmt.Errorf("its master is %q", state)
		}
		return err
	})
}

// Settle waits until a replica has everything that was written to the master of a key so far,
// so that it survives a failover.
func (g *RedisGroup) Settle(key string) {
	g.t.Helper()
	client := g.Master(key).Client()
	defer func() { _ = client.Close() }()
	ctx, conn := context.Background(), client.Conn() // WAIT is about what its own connection wrote last
	defer func() { _ = conn.Close() }()
	until(g.t, "a replica", func() error {
		if err := conn.Set(ctx, key, "settled", 0).Err(); err != nil {
			return err
		}
		n, err := conn.Wait(ctx, 1, time.Second).Result()
		if err == nil && n < 1 {
			err = errors.New("it has not acknowledged the last write")
		}
		return err
	})
}
