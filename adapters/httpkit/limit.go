package httpkit

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/octavo-books/octavo/domain/fault"
)

// errRateLimited refuses a client that exceeds REQUESTS_PER_SECOND.
var errRateLimited = fault.New(fault.Limited, "rate_limited", "Too many requests; please slow down.")

// maxClients bounds the memory of the limiter; beyond it the quiet ones are
// forgotten, and if all are busy new ones pass unlimited.
const maxClients = 1 << 16

// limiter allows every client a steady rate and one second's worth at once.
// It keeps one timestamp a client: when the next request would be due.
type limiter struct {
	interval time.Duration
	now      func() time.Time

	mu    sync.Mutex
	due   map[netip.Prefix]time.Time
	swept time.Time
}

// newLimiter returns nil when there is no limit.
func newLimiter(perSecond float64, now func() time.Time) *limiter {
	if perSecond <= 0 {
		return nil
	}
	interval := time.Duration(float64(time.Second) / perSecond)
	return &limiter{interval: interval, now: now, due: map[netip.Prefix]time.Time{}}
}

// wait is 0 if the client may go on, else how long it should stay away.
func (l *limiter) wait(client netip.Prefix) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	due := l.due[client]
	if due.Before(now) {
		due = now
	}
	burst := max(time.Second, l.interval)
	if over := due.Add(l.interval).Sub(now.Add(burst)); over > 0 {
		return over
	}
	if len(l.due) >= maxClients {
		l.forget(now)
	}
	if len(l.due) < maxClients {
		l.due[client] = due.Add(l.interval)
	}
	return 0
}

// forget drops the quiet ones, once a second at most, because it looks at all.
func (l *limiter) forget(now time.Time) {
	if now.Sub(l.swept) < time.Second {
		return
	}
	l.swept = now
	for client, due := range l.due {
		if due.Before(now) {
			delete(l.due, client)
		}
	}
}

func (k *Kit) limit(next http.Handler) http.Handler {
	if k.limiter == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if slices.Contains(k.cfg.Unlimited, r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		if wait := k.limiter.wait(network(Source(r.Context()).IP)); wait > 0 {
			k.stop(w, r, errRateLimited.After(wait))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// network is who shares a limit: one IPv4 address, or the /64 that one IPv6
// subscriber has to himself.
func network(ip string) netip.Prefix {
	a, err := netip.ParseAddr(ip)
	if err != nil {
		return netip.Prefix{}
	}
	bits := 32
	if a.Is6() {
		bits = 64
	}
	p, _ := a.Prefix(bits)
	return p
}

// deadline ends what a request started when it takes too long; streams live on.
func (k *Kit) deadline(next http.Handler) http.Handler {
	if k.cfg.Deadline <= 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if under(k.cfg.Streams, r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), k.cfg.Deadline)
		defer cancel()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}
