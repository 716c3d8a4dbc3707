package cachepurge_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/cachepurge"
	"github.com/octavo-books/octavo/adapters/outbound"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/poll"
)

// cache is the server that takes the purges.
type cache struct {
	*httptest.Server
	mu       sync.Mutex
	requests []purge
	answer   int           // 0: 200
	hanging  chan struct{} // closed: answer
}

type purge struct {
	method, path string
	header       http.Header
	body         string
}

func newCache(t *testing.T) *cache {
	t.Helper()
	c := &cache{hanging: make(chan struct{})}
	close(c.hanging)
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		c.mu.Lock()
		answer, hanging := c.answer, c.hanging
		if answer == 0 {
			c.requests = append(c.requests, purge{r.Method, r.URL.Path, r.Header, string(body)})
		}
		c.mu.Unlock()
		<-hanging
		if answer != 0 {
			w.WriteHeader(answer)
		}
	}))
	t.Cleanup(c.Close)
	return c
}

// hang makes the cache hold its answers until release is called.
func (c *cache) hang(t *testing.T) (release func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	hanging := make(chan struct{})
	c.hanging = hanging
	release = sync.OnceFunc(func() { close(hanging) })
	t.Cleanup(release)
	return release
}

func (c *cache) answers(status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answer = status
}

// taken returns the requests so far.
func (c *cache) taken() []purge {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.requests)
}

// purged returns the keys of all requests in Surrogate-Key.
func (c *cache) purged() []market.SurrogateKey {
	var all []market.SurrogateKey
	for _, r := range c.taken() {
		for key := range strings.FieldsSeq(r.header.Get("Surrogate-Key")) {
			all = append(all, market.SurrogateKey(key))
		}
	}
	return all
}

func (c *cache) count(key market.SurrogateKey) (n int) {
	for _, k := range c.purged() {
		if k == key {
			n++
		}
	}
	return n
}

// running runs a purger until stop is called or the test ends.
func running(t *testing.T, cfg cachepurge.Config, again time.Duration, log *slog.Logger) (p *cachepurge.Purger, stop func()) {
	t.Helper()
	p = must.Get(cachepurge.New(cfg, again, log))(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); p.WithoutPauses().Run(ctx) }()
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	return p, stop
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func TestPurger(t *testing.T) {
	contract.Purger(t, func(t *testing.T) (market.Purger, func() []market.SurrogateKey, func()) {
		c := newCache(t)
		p, _ := running(t, cachepurge.Config{URL: c.URL, Format: "varnish"}, time.Hour, quiet())
		return p, c.purged, func() { c.hang(t) }
	})
}

func TestEachCacheIsToldInItsOwnFormat(t *testing.T) {
	for format, want := range map[string]purge{
		"varnish":    {method: "PURGE", header: http.Header{"Surrogate-Key": {"book-1 seller-2"}, "Authorization": {"Bearer secret"}}},
		"fastly":     {method: "POST", header: http.Header{"Surrogate-Key": {"book-1 seller-2"}, "Fastly-Key": {"secret"}, "Accept": {"application/json"}}},
		"cloudflare": {method: "POST", header: http.Header{"Authorization": {"Bearer secret"}, "Content-Type": {"application/json"}}, body: `{"tags":["book-1","seller-2"]}`},
	} {
		c := newCache(t)
		p, _ := running(t, cachepurge.Config{URL: c.URL + "/purge", Token: "secret", Format: format}, time.Hour, quiet())
		p.Purge("seller-2", "book-1")
		poll.For(t, format+" is not told", func() bool { return len(c.taken()) > 0 })
		got := c.taken()[0]
		if got.method != want.method || got.path != "/purge" || got.body != want.body {
			t.Errorf("%s: %s %s %s", format, got.method, got.path, got.body)
		}
		for _, name := range []string{"Surrogate-Key", "Authorization", "Fastly-Key", "Accept", "Content-Type"} {
			if got.header.Get(name) != want.header.Get(name) {
				t.Errorf("%s: %s is %q, want %q", format, name, got.header.Get(name), want.header.Get(name))
			}
		}
	}
}

// The first purge may come before the cache has a response that was made before the change.
func TestEverythingIsPurgedASecondTime(t *testing.T) {
	c := newCache(t)
	p, _ := running(t, cachepurge.Config{URL: c.URL, Format: "varnish"}, 20*time.Millisecond, quiet())
	p.Purge("book-1")
	poll.For(t, "book-1 is purged only once", func() bool { return c.count("book-1") == 2 })
	p.Purge("book-2")
	poll.For(t, "book-2 is purged only once", func() bool { return c.count("book-2") == 2 })
	poll.For(t, "keys are left", func() bool { return p.CountWaiting() == 0 })
	if n := c.count("book-1"); n != 2 {
		t.Errorf("book-1 is purged %d times", n)
	}
}

func TestWhatChangesDuringAPurgeIsPurgedTogether(t *testing.T) {
	c := newCache(t)
	release := c.hang(t)
	p, _ := running(t, cachepurge.Config{URL: c.URL, Format: "varnish"}, time.Hour, quiet())
	p.Purge("book-0")
	poll.For(t, "nothing is purged", func() bool { return len(c.taken()) == 1 })
	for i := range 100 {
		p.Purge(market.SurrogateKey(fmt.Sprintf("book-%d", i%10)))
	}
	if n := len(c.taken()); n != 1 {
		t.Errorf("%d requests are in flight at the same time", n)
	}
	release()
	poll.For(t, "the rest is not purged", func() bool { return c.count("book-9") == 1 })
	if n := len(c.taken()); n != 2 {
		t.Errorf("there are %d requests, want 2", n)
	}
}

func TestAPurgeThatFailsIsRepeatedAndLoggedOnce(t *testing.T) {
	c := newCache(t)
	c.answers(http.StatusServiceUnavailable)
	var log strings.Builder
	p, stop := running(t, cachepurge.Config{URL: c.URL, Format: "varnish"}, time.Hour, slog.New(slog.NewTextHandler(&log, nil)))
	p.Purge("book-1")
	poll.For(t, "the failure is not counted", func() bool { _, failed := p.Count(); return failed >= 3 })
	if err := p.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("the check says %v", err)
	}
	c.answers(0)
	poll.For(t, "book-1 is never purged", func() bool { return c.count("book-1") == 1 })
	poll.For(t, "the check still fails", func() bool { return p.Check(t.Context()) == nil })
	stop()
	if text := log.String(); strings.Count(text, "level=WARN") != 1 || strings.Count(text, "purged again") != 1 {
		t.Errorf("the log is %s", text)
	}
}

func TestWhatIsLeftIsPurgedWhenTheProgramStops(t *testing.T) {
	c := newCache(t)
	p, stop := running(t, cachepurge.Config{URL: c.URL, Format: "varnish"}, time.Hour, quiet())
	p.Purge("book-1")
	poll.For(t, "book-1 is not purged", func() bool { return c.count("book-1") == 1 })
	stop()
	if n := c.count("book-1"); n != 2 {
		t.Errorf("after the end book-1 is purged %d times", n)
	}
}

func TestRepetitionsLeaveTheCacheAsMuchTimeAsItAsksFor(t *testing.T) {
	p, err := cachepurge.New(cachepurge.Config{URL: "http://127.0.0.1:1", Format: "varnish"}, time.Second, quiet())
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		err      error
		failures int
		want     time.Duration
	}{
		"the first failure":  {errors.New("refused"), 1, time.Second},
		"the third":          {errors.New("refused"), 3, 4 * time.Second},
		"the hundredth":      {errors.New("refused"), 100, 30 * time.Second},
		"Retry-After":        {cachepurge.Refused(429, 12*time.Second), 1, 12 * time.Second},
		"a day":              {cachepurge.Refused(429, 24*time.Hour), 1, 2 * time.Minute},
		"without a duration": {cachepurge.Refused(429, 0), 2, 2 * time.Second},
	} {
		if got := p.RetryAfter(c.err, c.failures); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestAPurgeGoesNowhereElse(t *testing.T) {
	elsewhere := newCache(t)
	redirecting := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer redirecting.Close()
	if err := cachepurge.Try(t.Context(), cachepurge.Config{URL: redirecting.URL, Format: "varnish"}); err == nil || len(elsewhere.taken()) > 0 {
		t.Errorf("a redirect is followed: %v", err)
	}
	must.Refuse(t, cachepurge.Try(t.Context(), cachepurge.Config{URL: "http://169.254.169.254", Format: "varnish"}), outbound.ErrForbidden, "the metadata service of a cloud")
}

func TestASettingThatCannotWorkIsRefused(t *testing.T) {
	for want, cfg := range map[error]cachepurge.Config{
		cachepurge.ErrURL:    {URL: "127.0.0.1:6082", Format: "varnish"},
		cachepurge.ErrFormat: {URL: "http://127.0.0.1:6082", Format: "squid"},
		cachepurge.ErrToken:  {URL: "https://api.fastly.com/service/1/purge", Format: "fastly"},
	} {
		must.Refuse(t, cfg.Validate(), want, cfg)
	}
}
