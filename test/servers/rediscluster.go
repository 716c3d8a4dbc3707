package servers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

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
