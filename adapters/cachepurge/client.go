// Package cachepurge tells a cache in front, Varnish, Fastly or Cloudflare, which of its copies
// are old, by the surrogate keys of what has changed.
//
// Package outbound checks every address. Redirects are not followed and proxies are not used,
// because both would bypass the check.
package cachepurge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/octavo-books/octavo/adapters/outbound"
	"github.com/octavo-books/octavo/application/market"
)

// requestTimeout bounds one request. A cache that hangs delays later purges by no more than this.
const requestTimeout = 5 * time.Second

// maxAnswer is how much of an answer is read so that its connection can be reused.
const maxAnswer = 64 << 10

// client sends purges. A cache usually is on this machine or in a private network.
type client struct {
	cfg  Config
	http *http.Client
}

func newClient(cfg Config) *client {
	return &client{cfg, &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       requestTimeout,
		Transport: &http.Transport{
			DialContext: outbound.Dialer{Private: true}.DialContext, ForceAttemptHTTP2: true,
			MaxIdleConnsPerHost: 1, IdleConnTimeout: 90 * time.Second, MaxResponseHeaderBytes: maxAnswer,
		},
	}}
}

// refusal is an answer that is not a success.
type refusal struct {
	status     int
	retryAfter time.Duration // 0: the cache has not said
}

func (r refusal) Error() string {
	return fmt.Sprintf("the cache answers %d %s", r.status, http.StatusText(r.status))
}

// purge sends the keys in as few requests as the format allows, one after another.
func (c *client) purge(ctx context.Context, keys []market.SurrogateKey) error {
	f := formats[c.cfg.Format]
	for len(keys) > 0 {
		n := min(len(keys), f.perRequest)
		r, err := f.request(ctx, c.cfg, keys[:n])
		if err != nil {
			return err
		}
		if err := c.send(r); err != nil {
			return err
		}
		keys = keys[n:]
	}
	return nil
}

func (c *client) send(r *http.Request) error {
	answer, err := c.http.Do(r)
	if err != nil {
		if cause := (*url.Error)(nil); errors.As(err, &cause) {
			err = cause.Err // without the URL, which names an account
		}
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	_, _ = io.CopyN(io.Discard, answer.Body, maxAnswer)
	if answer.StatusCode/100 == 2 {
		return nil
	}
	return refusal{answer.StatusCode, outbound.RetryAfter(answer.Header.Get("Retry-After"), time.Now())}
}

// Try purges a key that no response has, and returns why that fails.
func Try(ctx context.Context, cfg Config) error {
	c := newClient(cfg)
	defer c.http.CloseIdleConnections()
	return c.purge(ctx, []market.SurrogateKey{"octavo-doctor"})
}
