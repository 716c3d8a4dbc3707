//go:build linux

// Package growth measures what a request costs replicas, Postgres and Redis, with
// one, two and three replicas on one Postgres and one Redis:
//
//	go test -run xxx -bench Growth -benchtime 3000x ./test/bench/growth
//	go test -run xxx -bench Shares -benchtime 5s ./test/bench/growth
//
// BenchmarkGrowth gives one core to all replicas and the others to all other processes.
// It reports processor time, from which docs/scaling.md computes the requests per second
// of any number of replicas. BenchmarkShares limits each replica to the same small share
// of a core, so that the replicas are the bottleneck and requests per second grow with
// their number; it needs root and control groups. docs/scaling.md says which of its
// figures are measured, simulated or computed.
package growth_test

import (
	"fmt"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/e2e"
)

func TestMain(m *testing.M) { e2e.Main(m) }

const clients = 16 // of each replica

func BenchmarkGrowth(b *testing.B) {
	for n := 1; n <= 3; n++ {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f := start(b, n)
			pin(b, f)
			measure(b, f, func(b *testing.B, run func()) { run() })
		})
	}
}

func BenchmarkShares(b *testing.B) {
	all, err := newShares(b, 3)
	if err != nil { // the testing package does not print skips of benchmarks
		fmt.Fprintln(os.Stderr, "A share of a core needs root and the cpu controller of control groups:", err)
		b.SkipNow()
	}
	for n := 1; n <= 3; n++ {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f := start(b, n)
			for i, p := range f.Replicas {
				all[i].addProcess(b, p.PID())
			}
			measure(b, f, all[:n].watch)
		})
	}
}

// start runs replicas with one thread each: they share a core, or have one each.
func start(b *testing.B, n int) *e2e.Fleet {
	b.Helper()
	return e2e.StartFleet(b, n, []string{"GOMAXPROCS=1"}, "auth", "market")
}

// measure runs each kind of request within around.
func measure(b *testing.B, f *e2e.Fleet, around func(b *testing.B, run func())) {
	student := f.Student("ada@mit.edu", "Ada")
	var id string
	for i := range 200 {
		id = student.Post(b, fmt.Sprintf("Calculus %d", i), "MTH 161")
	}
	for _, work := range []struct {
		name, method, path string
		body               any
		status             int
	}{
		{"first page", "GET", "/api/books/getBooksNoToken/20/0", nil, 200},
		{"one book", "GET", "/api/books/getBook/" + id, nil, 200},
		{"own account", "GET", "/api/user/getUserData", nil, 200},
		{"post", "POST", "/api/books/postBook", e2e.Draft("Algebra", "MTH 165"), 201},
	} {
		b.Run(work.name, func(b *testing.B) {
			around(b, func() {
				spread(b, f, func(url string) {
					c := student
					c.URL = url
					if a, err := c.Do(work.method, work.path, work.body); err != nil || a.Status != work.status {
						b.Errorf("%v, %d, want %d: %s", err, a.Status, work.status, a.Body)
					}
				})
			})
		})
	}
}

// spread sends b.N requests without the balancer. Each replica has its own clients, so that a
// slow replica does not delay the others.
func spread(b *testing.B, f *e2e.Fleet, request func(url string)) {
	b.Helper()
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = clients
	var asked atomic.Int64
	var all sync.WaitGroup
	before := spent(b, f)
	b.ResetTimer()
	for i := range clients * len(f.Replicas) {
		url := f.Replicas[i%len(f.Replicas)].URL
		all.Go(func() {
			for asked.Add(1) <= int64(b.N) {
				request(url)
			}
		})
	}
	all.Wait()
	b.StopTimer()
	after, ops := spent(b, f), float64(b.N)
	for who := range after {
		b.ReportMetric((after[who]-before[who]).Seconds()/ops*1e6, who+"-µs/op")
	}
	b.ReportMetric(ops/b.Elapsed().Seconds(), "requests/s")
	b.ReportMetric((after["replica"]-before["replica"]).Seconds()/b.Elapsed().Seconds(), "cores-of-replicas")
}

// spent is the processor time that each kind of program has used.
func spent(b *testing.B, f *e2e.Fleet) map[string]time.Duration {
	b.Helper()
	all := map[string]time.Duration{"postgres": used(b, postgres(b, f.Database)...), "redis": used(b, redis(b, f.Redis))}
	for _, p := range f.Replicas {
		all["replica"] += used(b, p.PID())
	}
	return all
}
