package assembly

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/metrics"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/prometheus/client_golang/prometheus"
)

// notes are limited without anybody being refused: they are how often the audit
// log keeps that a client was.
const notes = "record"

// countedLimits counts what limits refuse.
type countedLimits struct {
	auth.RateLimiter
	hit *prometheus.CounterVec
}

func countLimits(l auth.RateLimiter, m *metrics.Metrics) auth.RateLimiter {
	hit := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "octavo_limits_hit_total", Help: "What was refused because it was done too often, by what was to be done.",
	}, []string{"limit"})
	m.Registry().MustRegister(hit)
	return countedLimits{l, hit}
}

// AllowRequests implements auth.RateLimiter.
func (c countedLimits) AllowRequests(ctx context.Context, now time.Time, asks ...limit.Request) (time.Duration, error) {
	wait, err := c.RateLimiter.AllowRequests(ctx, now, asks...)
	if sorts := sortsOf(asks); wait > 0 && sorts != notes {
		c.hit.WithLabelValues(sorts).Inc()
	}
	return wait, err
}

// sortsOf are the names of limits that were asked together, without whose they
// are: of those there are few.
func sortsOf(asks []limit.Request) string {
	var sorts []string
	for _, a := range asks {
		name := a.Name
		for _, whose := range []string{" from ", " to ", " of "} {
			name, _, _ = strings.Cut(name, whose)
		}
		if !slices.Contains(sorts, name) {
			sorts = append(sorts, name)
		}
	}
	return strings.Join(sorts, " or ")
}
