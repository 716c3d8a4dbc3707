package metrics

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/prometheus/client_golang/prometheus"
)

// auditRecords are the limits of what a refused client adds to the audit log and to the
// mails of an account. Hitting them refuses no request, so they do not count.
const auditRecords = "record"

// countingLimiter counts the requests that a limit refuses.
type countingLimiter struct {
	auth.RateLimiter
	hit *prometheus.CounterVec
}

// CountLimits returns a limiter whose refusals are counted.
func (m *Metrics) CountLimits(l auth.RateLimiter) auth.RateLimiter {
	hit := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "octavo_limits_hit_total", Help: "Requests that a rate limit has refused, by limit.",
	}, []string{"limit"})
	m.registry.MustRegister(hit)
	return countingLimiter{l, hit}
}

// AllowRequests implements auth.RateLimiter.
func (c countingLimiter) AllowRequests(ctx context.Context, now time.Time, asks ...limit.Request) (time.Duration, error) {
	wait, err := c.RateLimiter.AllowRequests(ctx, now, asks...)
	if kinds := limitKinds(asks); wait > 0 && kinds != auditRecords {
		c.hit.WithLabelValues(kinds).Inc()
	}
	return wait, err
}

// limitKinds returns the names of the limits without their subjects. Only these few can be
// label values: there is a subject for each client and address.
func limitKinds(asks []limit.Request) string {
	var kinds []string
	for _, a := range asks {
		name := a.Name
		for _, whose := range []string{" from ", " to ", " of "} {
			name, _, _ = strings.Cut(name, whose)
		}
		if !slices.Contains(kinds, name) {
			kinds = append(kinds, name)
		}
	}
	return strings.Join(kinds, " or ")
}
