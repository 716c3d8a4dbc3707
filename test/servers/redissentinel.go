package servers

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/must"
	"github.com/redis/go-redis/v9"
)

// The name of the group that the sentinels watch, and the password of its
// servers; the sentinels have none.
const masterName, redisPassword = "octavo", "not-a-secret"

// RedisSentinel starts a master with one replica, which three sentinels promote
// some seconds after the master has failed.
func RedisSentinel(t testing.TB) *RedisGroup {
	t.Helper()
	g := &RedisGroup{t: t}
	options := []string{"--save", "", "--requirepass", redisPassword, "--masterauth", redisPassword, "--repl-diskless-sync-delay", "0"}
	master := redisNode(t, redisPassword, options...)
	master.Restart()
	watched := strings.Replace(master.address(), ":", " ", 1)
	replica := redisNode(t, redisPassword, append(options, "--replicaof", watched)...)
	replica.Restart()
	replica.awaitReplica()
	g.nodes = []*RedisServer{master, replica}

	var sentinels []string
	for range 3 {
		sentinels = append(sentinels, sentinel(t, watched))
	}
	for _, address := range sentinels {
		awaitSentinel(t, address)
	}
	g.URL = "redis://" + sentinels[0] + "?master_name=" + masterName + "&password=" + redisPassword + "&addr=" + sentinels[1] + "&addr=" + sentinels[2]
	g.client = func() redis.UniversalClient {
		return redis.NewFailoverClient(&redis.FailoverOptions{MasterName: masterName, SentinelAddrs: sentinels, Password: redisPassword})
	}
	g.serving = func(ctx context.Context, _ string) (string, error) {
		client := redis.NewSentinelClient(&redis.Options{Addr: sentinels[0]})
		defer func() { _ = client.Close() }()
		address, err := client.GetMasterAddrByName(ctx, masterName).Result()
		if err != nil || len(address) != 2 {
			return "", fmt.Errorf("the sentinel says %q, %w", address, err)
		}
		return net.JoinHostPort(address[0], address[1]), nil
	}
	g.await()
	return g
}

// sentinel starts a sentinel that watches a master, given as "host port". The sentinel writes
// its state into its configuration file.
func sentinel(t testing.TB, master string) (address string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "sentinel.conf")
	config := fmt.Sprintf("sentinel monitor %[1]s %[2]s 2\nsentinel auth-pass %[1]s %[3]s\n"+
		"sentinel down-after-milliseconds %[1]s 1000\nsentinel failover-timeout %[1]s 1000\n", masterName, master, redisPassword)
	must.Do(t, os.WriteFile(file, []byte(config), 0o600))
	s := redisNode(t, "")
	s.process.args = append([]string{file, "--sentinel"}, s.process.args...)
	s.Restart()
	return s.address()
}

// awaitSentinel waits until a sentinel knows the replica and the other sentinels.
func awaitSentinel(t testing.TB, address string) {
	t.Helper()
	client := redis.NewSentinelClient(&redis.Options{Addr: address})
	defer func() { _ = client.Close() }()
	until(t, "a sentinel", func() error {
		known, err := client.Master(context.Background(), masterName).Result()
		if err == nil && (known["num-slaves"] != "1" || known["num-other-sentinels"] != "2") {
			err = fmt.Errorf("it knows %s replicas and %s other sentinels", known["num-slaves"], known["num-other-sentinels"])
		}
		return err
	})
}
