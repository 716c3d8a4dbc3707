// Package growth measures what a request costs replicas, Postgres and Redis, with
// one, two and three replicas on one Postgres and one Redis:
//
//	go test -run xxx -bench . -benchtime 4000x ./test/bench/growth
//
// Each replica has one processor to itself as far as there are enough; what is
// reported is processor time, from which requests a second of any number of
// replicas follow, also on a machine that has fewer cores than programs.
// docs/scaling.md says which of its figures were seen and which computed.
package growth_test

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/e2e"
)

func TestMain(m *testing.M) { e2e.Main(m) }

const clients = 16

func BenchmarkGrowth(b *testing.B) {
	for n := 1; n <= 3; n++ {
		b.Run(fmt.Sprint(n), func(b *testing.B) { measure(b, n) })
	}
}

func measure(b *testing.B, n int) {
	// A replica with a core of its own runs on one thread at a time.
	f := e2e.StartFleet(b, n, []string{"GOMAXPROCS=1"}, "auth", "market")
	pin(b, f)
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
		{"who am I", "GET", "/api/user/getUserData", nil, 200},
		{"post", "POST", "/api/books/postBook", e2e.Draft("Algebra", "MTH 165"), 201},
	} {
		b.Run(work.name, func(b *testing.B) {
			spread(b, f, func(url string) {
				c := student
				c.URL = url
				if a, err := c.Do(work.method, work.path, work.body); err != nil || a.Status != work.status {
					b.Errorf("%v, %d: %s", err, a.Status, a.Body)
				}
			})
		})
	}
}

// spread sends b.N requests to the replicas in turn, without the balancer.
func spread(b *testing.B, f *e2e.Fleet, request func(url string)) {
	b.Helper()
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = clients
	var next atomic.Int64
	var all sync.WaitGroup
	before := spent(b, f)
	b.ResetTimer()
	for range clients {
		all.Go(func() {
			for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
				request(f.Replicas[int(i)%len(f.Replicas)].URL)
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
