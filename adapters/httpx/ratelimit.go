package httpx

import (
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/octavo-books/octavo/domain/fault"
)

// errRateLimited answers a client that exceeds REQUESTS_PER_SECOND.
var errRateLimited = fault.New(fault.Limited, "rate_limited", "Too many requests. Please slow down.")

// maxClients bounds the limiter's memory. At the bound idle clients are dropped;
// if all are active, new clients are not limited.
const maxClients = 1 << 16

// limiter allows each client a steady rate and bursts of one second's worth (the
// generic cell rate algorithm). It stores one timestamp per client: the time at
// which the next request is due.
type limiter struct {
	interval time.Duration
	now      func() time.Time

	mu       sync.Mutex
	due      map[netip.Prefix]time.Time
	lastDrop time.Time
}

// newLimiter returns nil if there is no limit.
func newLimiter(perSecond float64, now func() time.Time) *limiter {
	if perSecond <= 0 {
		return nil
	}
	interval := time.Duration(float64(time.Second) / perSecond)
	return &limiter{interval: interval, now: now, due: map[netip.Prefix]time.Time{}}
}

// wait returns 0 if the request is allowed, else the time until the next one is.
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
		l.dropIdle(now)
	}
	if len(l.due) < maxClients {
		l.due[client] = due.Add(l.interval)
	}
	return 0
}

// dropIdle scans all clients, so it does so at most once a second.
func (l *limiter) dropIdle(now time.Time) {
	if now.Sub(l.lastDrop) < time.Second {
		return
	}
	l.lastDrop = now
	for client, due := range l.due {
		if due.Before(now) {
			delete(l.due, client)
		}
	}
}

func (m *Middleware) limitRate(next http.Handler) http.Handler {
	if m.limiter == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if slices.Contains(m.cfg.UnlimitedPaths, r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		if wait := m.limiter.wait(network(ClientInfo(r.Context()).IP)); wait > 0 {
			m.refuse(w, r, errRateLimited.After(wait))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// network returns the unit of limiting: one IPv4 address, or the /64 that an IPv6
// subscriber has to itself.
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
