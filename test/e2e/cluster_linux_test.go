package e2e_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/servers"
)

// clusterVariable is the environment variable that makes the test below run.
const clusterVariable = "OCTAVO_CLUSTER"

// run is three replicas of the program on a cluster, with people who use it.
type run struct {
	t       *testing.T
	cluster *database.Cluster
	fleet   *e2e.Fleet
	load    *load
	outages []outage
}

func TestNothingAcknowledgedIsLostWhileTheClusterBreaks(t *testing.T) {
	if os.Getenv(clusterVariable) == "" {
		t.Skip("takes minutes and needs root: go tool task test:cluster")
	}
	post := servers.SMTP(t)
	r := &run{t: t, cluster: database.NewCluster(t)}
	url := "http://" + servers.Address(t)
	redis := servers.RedisSentinel(t)
	r.fleet = e2e.StartFleetAt(t, 3, url, []string{
		"DATABASE_URL=" + r.databaseURL(), "REDIS_URL=" + redis.URL, "QUEUE_URL=" + redis.URL,
		"SMTP_URL=" + post.URL, "MAIL_FROM=octavo@example.edu", "WEBHOOK_SECRET=" + webhookSecret, "WEBHOOK_API_TOKEN=token of the operator",
		"LIMIT_SIGN_UPS=1000000/1h", "LIMIT_SIGN_INS=1000000/1m",
	})
	balanceReplicas(t, r.fleet)
	r.load = startLoad(t, r.fleet)
	for _, f := range r.faults() {
		if only := os.Getenv("OCTAVO_CLUSTER_FAULT"); strings.Contains(f.name, only) {
			r.suffer(f)
		}
	}
	r.load.end()
	fmt.Fprintf(os.Stdout, "\n%s\n", table(r.outages))
	r.fleet.AwaitReady()
	d := r.load.journal
	t.Logf("%d posted, %d bought, %d signed up, %d delivered, answers: %v", len(d.posted), len(d.buyer), len(r.load.signedUp), len(r.load.delivered), d.statuses)
	checkAcknowledged(t, r.fleet, d, r.load.traders, post)
	r.load.checkSignUps(t, r.fleet)
	r.load.checkDeliveries(t, r.fleet)
}

// databaseURL leads to the primary through HAProxy or, if the variable says so, names all nodes.
func (r *run) databaseURL() string {
	if os.Getenv(clusterVariable) == "hosts" {
		return r.cluster.Hosts
	}
	return r.cluster.URL
}

// balanceReplicas starts a HAProxy that sends requests to the replicas that are ready or, if
// none is, to those that are alive, because their 503 says more than that of HAProxy.
func balanceReplicas(t *testing.T, f *e2e.Fleet) {
	t.Helper()
	address := strings.TrimPrefix(f.URL, "http://")
	var all strings.Builder
	for i, p := range f.Replicas {
		fmt.Fprintf(&all, "\tserver replica%d %s check\n", i+1, strings.TrimPrefix(p.URL, "http://"))
	}
	servers.HAProxy(t, address, `global
	maxconn 1000
defaults
	mode http
	timeout connect 3s
	timeout client 70s
	timeout server 70s
	retries 3
	option redispatch
	default-server inter 1s fall 2 rise 1
frontend people
	bind `+address+`
	http-request set-header X-Forwarded-For %[src] unless { path_beg /dev/ }
	http-after-response set-header `+e2e.Gone+` true unless { res.hdr(X-Request-Id) -m found }
	use_backend ready if { nbsrv(ready) gt 0 }
	default_backend alive
backend ready
	option httpchk GET /readyz
`+all.String()+`backend alive
	option httpchk GET /healthz
`+all.String())
}

// fault is something that happens to the cluster. cause returns when the cluster has reacted,
// with a function that repairs what was broken.
type fault struct {
	name  string
	cause func() (heal func())
}

func (r *run) faults() []fault {
	c := r.cluster
	return []fault{
		{"the primary's disk is full, and has space again 20 s later", r.fillDisk},
		{"a standby crashes", func() func() {
			s := c.Standby()
			heal := s.Crash()
			c.AwaitOtherStandby(s)
			return heal
		}},
		{"switchover on purpose", func() func() {
			c.Switchover(c.Primary(), c.Standby())
			return func() {}
		}},
		{"three replicas are upgraded in turn", func() func() { r.upgrade(); return func() {} }},
		{"the primary crashes", r.toPrimary((*database.Member).Crash)},
		{"the primary is cut off", r.toPrimary(func(m *database.Member) func() { return m.CutOff() })},
		{"the primary is cut off from the other nodes only", r.toPrimary(func(m *database.Member) func() { return m.CutOffFrom(c.Others(m)...) })},
	}
}

// toPrimary does something to the primary and waits for another one.
func (r *run) toPrimary(do func(*database.Member) func()) func() func() {
	return func() func() {
		p := r.cluster.Primary()
		heal := do(p)
		r.cluster.AwaitOther(p)
		r.t.Logf("%s is no longer the primary, %s is", p.Name, r.cluster.Primary().Name)
		return heal
	}
}

// fillDisk fills the primary's disk until people notice, and for 20 s longer.
func (r *run) fillDisk() func() {
	begun, free := time.Now(), r.cluster.Primary().FillDisk()
	r.until("failure on a full disk", func() bool { return r.load.journal.outage("", begun).failing > 0 })
	<-time.After(20 * time.Second)
	free()
	return func() {}
}

// upgrade stops one replica after the other as an operator does, and starts it again.
func (r *run) upgrade() {
	for _, p := range r.fleet.Replicas {
		p.Signal(syscall.SIGTERM)
		if code := p.Wait(); code != 0 {
			r.t.Errorf("a replica ended with %d, want 0", code)
		}
		p.Restart()
	}
}

// suffer causes a fault under load, waits until it is over, and records what clients saw.
func (r *run) suffer(f fault) {
	r.t.Helper()
	d, begun := r.load.journal, time.Now()
	r.until("calm before: "+f.name, func() bool { return d.settled(begun) })
	begun = time.Now()
	heal := f.cause()
	r.until("calm after: "+f.name, func() bool { return d.settled(begun) })
	o := d.outage(f.name, begun)
	r.t.Logf("%s: %.1f s without a write, failures until %.1f s: %v", o.fault, o.silence.Seconds(), o.failing.Seconds(), o.failures)
	r.outages = append(r.outages, o)
	heal()
	r.cluster.AwaitWhole()
	r.t.Logf("%s: repaired after %s", o.fault, time.Since(begun).Round(time.Second))
}

func (r *run) until(what string, ok func() bool) {
	r.t.Helper()
	for deadline := time.Now().Add(4 * time.Minute); !ok(); <-time.After(200 * time.Millisecond) {
		if time.Now().After(deadline) {
			r.t.Fatalf("there is no %s", what)
		}
	}
}

// load is many people who use the program at the same time.
type load struct {
	url     string
	journal *journal
	traders []*trader // with the buyers
	stop    chan struct{}
	running sync.WaitGroup

	signedUp  []string             // addresses; under journal.mu, as the next
	delivered map[string]time.Time // when an ID was acknowledged
}
