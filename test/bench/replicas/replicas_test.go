// Package replicas measures what a request costs a replica, beside one, two and
// three of them on one Postgres and one Redis:
//
//	go test -run xxx -bench . -benchtime 2000x ./test/bench/replicas
//
// Processor time is what is reported: requests a second and core follow from it,
// also on a machine that has fewer cores than replicas.
package replicas_test

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

func BenchmarkReplicas(b *testing.B) {
	for n := 1; n <= 3; n++ {
		b.Run(fmt.Sprint(n), func(b *testing.B) { measure(b, n) })
	}
}

func measure(b *testing.B, n int) {
	f := e2e.StartFleet(b, n, nil, "auth", "market")
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
	cpu := func() (sum time.Duration) {
		for _, p := range f.Replicas {
			sum += p.CPU()
		}
		return sum
	}
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = clients
	var next atomic.Int64
	var all sync.WaitGroup
	before := cpu()
	b.ResetTimer()
	for range clients {
		all.Go(func() {
			for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
				request(f.Replicas[int(i)%len(f.Replicas)].URL)
			}
		})
	}
	all.Wait()
	b.ReportMetric((cpu()-before).Seconds()/float64(b.N)*1e6, "replica-µs/op")
}
