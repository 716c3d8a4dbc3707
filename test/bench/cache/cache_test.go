//go:build linux

// Package cache measures what purging a cache in front costs, and what the cache saves:
//
//	go test -run xxx -bench Post -benchtime 3000x -count 5 ./test/bench/cache
//	go test -run xxx -bench Varnish -benchtime 1x ./test/bench/cache
package cache_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/servers"
)

func TestMain(m *testing.M) { e2e.Main(m) }

// market is a program behind Varnish.
type market struct {
	*e2e.Server
	varnish *servers.VarnishServer
	sellers []e2e.Client
	posted  atomic.Int64
}

func start(b *testing.B, purging bool) *market {
	b.Helper()
	v := servers.Varnish(b)
	env := []string{"LOG_LEVEL=error", "TRUSTED_PROXIES=127.0.0.1/32"}
	if purging {
		env = append(env, "CACHE_PURGE_URL="+v.Purges)
	}
	m := &market{Server: e2e.StartWith(b, env, "market"), varnish: v}
	text := must.Get(os.ReadFile("../../../docs/recipes/varnish.md"))(b)
	vcl := regexp.MustCompile("(?s)```vcl\n(.*?)```").FindStringSubmatch(string(text))[1]
	v.Start(strings.Replace(vcl, `"3000"`, `"`+strings.TrimPrefix(m.URL, "http://127.0.0.1:")+`"`, 1))
	connections := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	for i := range 8 {
		c := m.Student(fmt.Sprintf("seller%d@campus.edu", i), "Ada")
		c.HTTP = connections
		m.sellers = append(m.sellers, c)
	}
	return m
}

// post posts a book of one of a few hundred titles.
func (m *market) post(b *testing.B) {
	n := int(m.posted.Add(1))
	body := e2e.Draft(fmt.Sprintf("Title number %d", n%400), fmt.Sprintf("MTH %d", 100+n%200))
	m.sellers[n%len(m.sellers)].Must(b, http.StatusCreated, "POST", "/api/books/postBook", body)
}

// cpu returns the processor time of the program's threads from the scheduler's counter.
func (m *market) cpu(b *testing.B) (used time.Duration) {
	threads := must.Get(filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", m.PID())))(b)
	for _, file := range threads {
		var ns int64
		if text, err := os.ReadFile(file); err == nil {
			_, _ = fmt.Sscan(string(text), &ns)
		}
		used += time.Duration(ns)
	}
	return used
}

func BenchmarkPost(b *testing.B) {
	for name, purging := range map[string]bool{"plain": false, "purging": true} {
		b.Run(name, func(b *testing.B) {
			m := start(b, purging)
			for range 200 {
				m.post(b)
			}
			before := m.cpu(b)
			b.ResetTimer()
			var all sync.WaitGroup
			var done atomic.Int64
			for range 8 {
				all.Go(func() {
					for done.Add(1) <= int64(b.N) {
						m.post(b)
					}
				})
			}
			all.Wait()
			b.ReportMetric(float64(m.cpu(b)-before)/float64(b.N)/1e3, "cpu-µs/post")
		})
	}
}

// Rates of BenchmarkVarnish.
const postsPerSecond, readsPerSecond = 100, 1000

// BenchmarkVarnish reads what visitors read while others post. A third of the reads is a first
// page, a third a search or a filter, of which there are 50, and a third one of 300 books.
func BenchmarkVarnish(b *testing.B) {
	m, long := start(b, true), 20*time.Second
	if testing.Short() {
		long = time.Second
	}
	var books []string
	for range 300 {
		books = append(books, m.sellers[0].Post(b, "Optics", "PHY 143"))
	}
	var reads, hits, posts atomic.Int64
	var all sync.WaitGroup
	at := func(rate int, do func()) {
		ticks := time.NewTicker(time.Second / time.Duration(rate))
		defer ticks.Stop()
		for end := time.Now().Add(long); time.Now().Before(end); <-ticks.C {
			do()
		}
	}
	for range 20 {
		all.Go(func() {
			at(readsPerSecond/20, func() {
				reads.Add(1)
				if m.read(b, books) {
					hits.Add(1)
				}
			})
		})
	}
	for range 10 {
		all.Go(func() { at(postsPerSecond/10, func() { m.post(b); posts.Add(1) }) })
	}
	all.Wait()
	b.ReportMetric(float64(reads.Load())/long.Seconds(), "reads/s")
	b.ReportMetric(float64(posts.Load())/long.Seconds(), "posts/s")
	b.ReportMetric(100*float64(hits.Load())/float64(reads.Load()), "%hits")
	for line := range strings.Lines(m.metrics(b)) {
		if strings.HasPrefix(line, `octavo_cache_purges_total{outcome="sent"}`) {
			var n float64
			_, _ = fmt.Sscan(line[strings.LastIndex(line, " "):], &n)
			b.ReportMetric(n/long.Seconds(), "purges/s")
		}
	}
}

func (m *market) metrics(b *testing.B) string {
	return string(e2e.Client{URL: m.URL}.Must(b, http.StatusOK, "GET", "/metrics", nil).Body)
}

// read reports whether Varnish answers from its cache.
func (m *market) read(b *testing.B, books []string) bool {
	path := "/"
	switch rand.IntN(3) {
	case 1:
		path = fmt.Sprintf("/api/books/getAllBooks?course=MTH+%d", 100+rand.IntN(50))
	case 2:
		path = "/book?id=" + books[rand.IntN(len(books))]
	}
	r, err := http.NewRequest(http.MethodGet, m.varnish.URL+path, nil)
	if err != nil {
		b.Error(err)
		return false
	}
	answer, err := m.sellers[0].HTTP.Do(r)
	if err != nil {
		b.Error(err)
		return false
	}
	defer func() { _ = answer.Body.Close() }()
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.Header.Get("X-Cache-Status") == "HIT"
}
