package servers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/must"
	"github.com/redis/go-redis/v9"
)

// RedisCluster starts three masters that share the keys, each with a replica
// that is promoted some seconds after its master has failed.
func RedisCluster(t testing.TB) *RedisGroup {
	t.Helper()
	c := cluster{t: t}
	g := &RedisGroup{t: t, serving: c.serving}
	for range 6 {
		bus := strconv.Itoa(Port(t))
		n := redisNode(t, "", "--save", "", "--cluster-enabled", "yes", "--cluster-port", bus,
			"--cluster-node-timeout", "2000", "--cluster-replica-validity-factor", "0", "--repl-diskless-sync-delay", "0")
		n.Restart()
		client := n.Client()
		t.Cleanup(func() { _ = client.Close() })
		g.nodes = append(g.nodes, n)
		c.nodes, c.buses, c.addresses = append(c.nodes, client), append(c.buses, bus), append(c.addresses, client.Options().Addr)
	}
	g.URL = g.nodes[0].URL + "?cluster=true&addr=" + c.addresses[1] + "&addr=" + c.addresses[2]
	g.client = func() redis.UniversalClient {
		return redis.NewClusterClient(&redis.ClusterOptions{Addrs: c.addresses, ClusterStateReloadInterval: time.Second})
	}
	c.connect()
	c.replicate()
	for _, n := range g.nodes[masters:] {
		n.awaitReplica()
	}
	g.await()
	return g
}

// masters is the number of masters; they precede their replicas in a cluster's nodes.
const masters, slots = 3, 16384

// cluster is the list of nodes of a cluster under construction.
type cluster struct {
	t                testing.TB
	nodes            []*redis.Client
	addresses, buses []string
}

// connect assigns the slots and makes all nodes know each other.
func (c *cluster) connect() {
	c.t.Helper()
	ctx := context.Background()
	for i, n := range c.nodes {
		err := n.Do(ctx, "CLUSTER", "SET-CONFIG-EPOCH", i+1).Err()
		if i < masters {
			err = errors.Join(err, n.ClusterAddSlotsRange(ctx, i*slots/masters, (i+1)*slots/masters-1).Err())
		}
		if err != nil {
			c.t.Fatalf("node %d of a cluster: %v", i, err)
		}
	}
	var invited time.Time
	until(c.t, "a cluster", func() error {
		if time.Since(invited) > 2*time.Second { // CLUSTER MEET may get lost
			invited = time.Now()
			if err := c.invite(ctx); err != nil {
				return err
			}
		}
		return c.checkMembership(ctx)
	})
}

// invite has the first node meet all others.
func (c *cluster) invite(ctx context.Context) error {
	var failures error
	for i, address := range c.addresses[1:] {
		host, port, err := net.SplitHostPort(address)
		failures = errors.Join(failures, err, c.nodes[0].Do(ctx, "CLUSTER", "MEET", host, port, c.buses[i+1]).Err())
	}
	return failures
}

// checkMembership returns nil once each node knows all others.
func (c *cluster) checkMembership(ctx context.Context) error {
	for _, n := range c.nodes {
		known, err := n.ClusterNodes(ctx).Result()
		if err != nil {
			return err
		}
		if strings.Count(known, "\n") < len(c.nodes) || strings.Contains(known, "handshake") {
			return fmt.Errorf("known: %s", known)
		}
	}
	return nil
}

// replicate makes the second half of the nodes replicas of the first.
func (c *cluster) replicate() {
	c.t.Helper()
	ctx := context.Background()
	for i, n := range c.nodes[masters:] {
		id, err := c.nodes[i].ClusterMyID(ctx).Result()
		if err == nil {
			err = n.ClusterReplicate(ctx, id).Err()
		}
		if err != nil {
			c.t.Fatalf("replica %d of a cluster: %v", i, err)
		}
	}
}

// serving asks the nodes in turn, because some may be dead.
func (c *cluster) serving(ctx context.Context, key string) (string, error) {
	var failures error
	for _, n := range c.nodes {
		slot, err := n.ClusterKeySlot(ctx, key).Result()
		ranges, err2 := n.ClusterSlots(ctx).Result() //nolint:staticcheck // CLUSTER SHARDS also names the dead
		if err := errors.Join(err, err2); err != nil {
			failures = errors.Join(failures, err)
			continue
		}
		for _, r := range ranges {
			if int(slot) >= r.Start && int(slot) <= r.End && len(r.Nodes) > 0 {
				return r.Nodes[0].Addr, nil
			}
		}
	}
	return "", errors.Join(errors.New("no master serves "+key), failures)
}

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
