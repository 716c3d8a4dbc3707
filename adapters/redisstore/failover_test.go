package redisstore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/redisstore"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/poll"
	"github.com/octavo-books/octavo/test/servers"
	"github.com/redis/go-redis/v9"
)

// onGroups runs a test over a cluster and over servers with sentinels.
func onGroups(t *testing.T, test func(t *testing.T, g *servers.RedisGroup)) {
	deep.NotShort(t, "starts six servers")
	t.Run("cluster", func(t *testing.T) { test(t, servers.RedisCluster(t)) })
	t.Run("sentinel", func(t *testing.T) { test(t, servers.RedisSentinel(t)) })
}

func TestContractsHoldOverAClusterAndSentinels(t *testing.T) {
	deep.Only(t, "repeats the suites over a cluster and sentinels")
	onGroups(t, func(t *testing.T, g *servers.RedisGroup) {
		contracts(t, func(testing.TB) string { g.Wipe(); return g.URL })
	})
}

func TestTheKeysOfAUserShareASlotAndUsersSpreadOverTheCluster(t *testing.T) {
	deep.NotShort(t, "starts six servers")
	g := servers.RedisCluster(t)
	k := authkit.New(t, stores(t, g.URL), nil)
	masters := map[*servers.RedisServer]bool{}
	for i := range 12 {
		email := fmt.Sprintf("p%d@rit.edu", i)
		who := k.CreateUser(t, email)
		for range 3 {
			k.CallerOf(t, k.SignIn(t, email))
		}
		masters[g.Master(fmt.Sprintf("{u%d}", who.ID))] = true
	}
	if len(masters) != 3 {
		t.Errorf("twelve users are on %d masters", len(masters))
	}
	client := g.Client().(*redis.ClusterClient)
	defer func() { _ = client.Close() }()
	err := client.ForEachMaster(t.Context(), func(ctx context.Context, node *redis.Client) error {
		keys, err := node.Keys(ctx, "*").Result()
		for _, key := range keys {
			owner, _, tagged := strings.Cut(key[strings.Index(key, "{")+1:], "}")
			slot := node.ClusterKeySlot(ctx, "{"+owner+"}").Val()
			if !tagged || node.ClusterKeySlot(ctx, key).Val() != slot {
				return fmt.Errorf("%s is in another slot than the keys of %s", key, owner)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestSessionsWorkAfterAFailover(t *testing.T) {
	onGroups(t, func(t *testing.T, g *servers.RedisGroup) {
		s := stores(t, g.URL)
		k := authkit.New(t, s, nil)
		who := k.CreateUser(t, "ada@rit.edu")
		grant := k.SignIn(t, "ada@rit.edu")
		key := fmt.Sprintf("octavo:{u%d}:test", who.ID)
		g.Settle(key)
		g.Master(key).Kill()
		deadline, token, rotations := time.Now().Add(poll.Limit), grant.RefreshToken, 0
		for rotations < 2 && time.Now().Before(deadline) {
			next, err := k.Sessions.Refresh(t.Context(), token, authkit.Firefox)
			switch {
			case err == nil:
				token = next.RefreshToken
				rotations++
			case !errors.Is(err, redisstore.ErrUnavailable):
				t.Fatalf("before a replica was promoted: %v", err)
			}
		}
		if rotations < 2 {
			t.Error("sessions do not work after the failover")
		}
	})
}
