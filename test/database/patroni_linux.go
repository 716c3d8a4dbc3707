package database

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/servers"
)

// Cluster is three nodes with Postgres, Patroni and etcd, whose commits wait for one of the two
// standbys, and a HAProxy that leads to the primary.
type Cluster struct {
	URL   string // of the primary, through HAProxy
	Hosts string // a URL that names the nodes, past HAProxy
	Nodes []*Member

	t testing.TB
}

// Member is a node of a Cluster.
type Member struct {
	*servers.Node
	Patroni *servers.Service
	data    string
}

// NewCluster starts a cluster with an empty database. The timeouts are Patroni's defaults.
func NewCluster(t testing.TB) *Cluster {
	t.Helper()
	patroni := servers.Need(t, "patroni", "apt-get install patroni", "patroni")
	etcd := servers.Need(t, "etcd", "apt-get install etcd-server", "etcd")
	bin, err := servers.PostgresPrograms()
	if err != nil {
		servers.Missing(t, "Postgres", install)
	}
	c := &Cluster{t: t}
	for _, n := range servers.Nodes(t, 3, "256m") {
		c.Nodes = append(c.Nodes, &Member{Node: n, data: filepath.Join(n.Disk, "data")})
	}
	for _, m := range c.Nodes {
		c.startEtcd(m, etcd)
	}
	for _, m := range c.Nodes {
		file := filepath.Join(m.Dir, "patroni.yml")
		must.Do(t, os.WriteFile(file, []byte(c.settings(m, bin)), 0o644))
		m.Patroni = m.Service("patroni", patroni, file)
		m.Patroni.Start()
	}
	c.AwaitWhole()
	c.balance()
	return c
}

// startEtcd starts the member of etcd with longer timeouts than the defaults, for busy machines.
func (c *Cluster) startEtcd(m *Member, path string) {
	var all []string
	for _, o := range c.Nodes {
		all = append(all, o.Name+"=http://"+o.Address+":2380")
	}
	peer, client := "http://"+m.Address+":2380", "http://"+m.Address+":2379"
	m.Service("etcd", path, "--name", m.Name, "--data-dir", filepath.Join(m.Dir, "etcd"), "--log-level", "error", "--enable-v2",
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--listen-client-urls", client, "--advertise-client-urls", client,
		"--initial-cluster", strings.Join(all, ","), "--heartbeat-interval", "250", "--election-timeout", "2500",
	).Start()
}

// settings returns Patroni's settings of a node. Small segments of the log let a full disk show soon.
// Patroni 3.0.2 is asked for version 2 of etcd's API: with version 3 a primary that was cut off takes the
// lock back from its successor when it returns, and what the successor has acknowledged is lost.
func (c *Cluster) settings(m *Member, bin string) string {
	var etcds []string
	for _, o := range c.Nodes {
		etcds = append(etcds, o.Address+":2379")
	}
	return fmt.Sprintf(`scope: octavo
name: %[1]s
restapi: {listen: "%[2]s:8008", connect_address: "%[2]s:8008"}
etcd: {hosts: [%[3]s]}
bootstrap:
  dcs:
    ttl: 30
    loop_wait: 10
    retry_timeout: 10
    synchronous_mode: true
    postgresql:
      use_pg_rewind: true
      parameters: {max_connections: 300, shared_buffers: 32MB, max_wal_size: 48MB, min_wal_size: 8MB, wal_keep_size: 32MB}
  initdb: [{encoding: UTF8}, {locale: C.UTF-8}, data-checksums, {wal-segsize: "1"}]
postgresql:
  listen: "%[2]s:5432"
  connect_address: "%[2]s:5432"
  data_dir: %[4]s
  bin_dir: %[5]s
  pgpass: %[6]s
  parameters: {unix_socket_directories: "", dynamic_shared_memory_type: sysv}
  pg_hba: ["host all all 198.18.0.0/15 trust", "host replication all 198.18.0.0/15 trust"]
  authentication:
    superuser: {username: octavo}
    replication: {username: replicator}
    rewind: {username: rewind}
`, m.Name, m.Address, strings.Join(etcds, ","), m.data, bin, filepath.Join(m.Dir, "pgpass"))
}

// balance starts a HAProxy with the settings of Patroni's documentation, but asks each second.
func (c *Cluster) balance() {
	c.t.Helper()
	address, hosts := servers.Address(c.t), []string{}
	settings := `global
	maxconn 1000
defaults
	mode tcp
	timeout connect 3s
	timeout client 1h
	timeout server 1h
listen primary
	bind ` + address + `
	option httpchk OPTIONS /primary
	http-check expect status 200
	default-server inter 1s fall 3 rise 2 on-marked-down shutdown-sessions
`
	for _, m := range c.Nodes {
		settings += fmt.Sprintf("\tserver %s %s:5432 maxconn 300 check port 8008\n", m.Name, m.Address)
		hosts = append(hosts, m.Address+":5432")
	}
	servers.HAProxy(c.t, address, settings)
	c.URL = "postgres://octavo@" + address + "/postgres?sslmode=disable"
	c.Hosts = "postgres://octavo@" + strings.Join(hosts, ",") + "/postgres?sslmode=disable&target_session_attrs=read-write"
	must.Do(c.t, awaitPostgres(c.URL))
}

// state is what Patroni says about a node.
type state struct {
	Name, Role, State string
	Lag               any
}

// states returns what the only primary says about all nodes: one that was cut off may think that nothing
// has changed. It returns nil if there is none, or more than one.
func (c *Cluster) states() []state {
	var primaries []*Member
	for _, m := range c.Nodes {
		if leads(m) {
			primaries = append(primaries, m)
		}
	}
	if len(primaries) != 1 {
		return nil
	}
	resp, err := (&http.Client{Timeout: 2 * time.Second}).Get("http://" + primaries[0].Address + ":8008/cluster")
	if err != nil {
		return nil
	}
	defer func() { _ = resp.Body.Close() }()
	var answer struct{ Members []state }
	if json.NewDecoder(resp.Body).Decode(&answer) != nil {
		return nil
	}
	return answer.Members
}

// member returns the node that has a role: leader or sync_standby.
func (c *Cluster) member(role string) *Member {
	for _, s := range c.states() {
		if s.Role == role {
			return c.Nodes[slices.IndexFunc(c.Nodes, func(m *Member) bool { return m.Name == s.Name })]
		}
	}
	return nil
}

// Primary waits for a primary and returns it.
func (c *Cluster) Primary() *Member { return c.await("leader") }

// Standby waits for the standby that commits wait for, and returns it.
func (c *Cluster) Standby() *Member { return c.await("sync_standby") }

func (c *Cluster) await(role string) (m *Member) {
	c.t.Helper()
	c.until("a "+role, func() bool { m = c.member(role); return m != nil })
	return m
}

// AwaitOther waits until another node than m is the primary.
func (c *Cluster) AwaitOther(m *Member) {
	c.t.Helper()
	c.until("another primary", func() bool {
		for _, o := range c.Nodes {
			if o != m && leads(o) {
				return true
			}
		}
		return false
	})
}

// AwaitOtherStandby waits until commits wait for another standby than m.
func (c *Cluster) AwaitOtherStandby(m *Member) {
	c.t.Helper()
	c.until("another synchronous standby", func() bool { s := c.member("sync_standby"); return s != nil && s != m })
}

// Others returns the nodes but m.
func (c *Cluster) Others(m *Member) (others []*servers.Node) {
	for _, o := range c.Nodes {
		if o != m {
			others = append(others, o.Node)
		}
	}
	return others
}

// leads asks a node itself, as HAProxy does.
func leads(m *Member) bool {
	resp, err := (&http.Client{Timeout: time.Second}).Get("http://" + m.Address + ":8008/primary")
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// AwaitWhole waits until the primary has two standbys that follow it, one of them synchronously.
func (c *Cluster) AwaitWhole() {
	c.t.Helper()
	c.until("a primary with two standbys", func() bool {
		roles := map[string]int{}
		for _, s := range c.states() {
			lag, known := s.Lag.(float64)
			if s.State == "running" || s.State == "streaming" {
				if s.Role == "leader" || known && lag < 1<<20 {
					roles[s.Role]++
				}
			}
		}
		return roles["leader"] == 1 && roles["sync_standby"] == 1 && roles["replica"] == 1
	})
}

func (c *Cluster) until(what string, ok func() bool) {
	c.t.Helper()
	for deadline := time.Now().Add(4 * time.Minute); !ok(); <-time.After(200 * time.Millisecond) {
		if time.Now().After(deadline) {
			c.t.Fatalf("the cluster did not get %s: %+v", what, c.states())
		}
	}
}

// Crash kills Patroni and Postgres of a node, until heal is called.
func (m *Member) Crash() (heal func()) {
	m.Patroni.Kill()
	m.KillFile(filepath.Join(m.data, "postmaster.pid"))
	return m.Patroni.Start
}

// Switchover makes a standby the primary, as an operator does.
func (c *Cluster) Switchover(from, to *Member) {
	c.t.Helper()
	out, err := exec.Command("patronictl", "-c", filepath.Join(from.Dir, "patroni.yml"), "switchover",
		"--leader", from.Name, "--candidate", to.Name, "--force", "octavo").CombinedOutput()
	if err != nil {
		c.t.Fatalf("patronictl switchover: %v: %s", err, out)
	}
}
