package assembly

import (
	"context"
	"log/slog"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/metrics"
	"github.com/octavo-books/octavo/application/courier"
	"github.com/prometheus/client_golang/prometheus"
)

// outboxGauges count the outbox whenever somebody looks.
type outboxGauges struct {
	outbox                *outboxstore.Outbox
	clock                 courier.Clock
	log                   *slog.Logger
	waiting, dead, oldest *prometheus.Desc
}

// watchOutbox adds the outbox's depth and age to the metrics.
func watchOutbox(o *outboxstore.Outbox, clock courier.Clock, log *slog.Logger, m *metrics.Metrics) error {
	describe := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc("octavo_outbox_"+name, help, nil, nil)
	}
	return m.Registry().Register(&outboxGauges{
		outbox: o, clock: clock, log: log,
		waiting: describe("waiting", "Messages that wait to be sent."),
		dead:    describe("dead", "Messages that were given up."),
		oldest:  describe("oldest_seconds", "Age of the oldest message that waits, 0 when none does."),
	})
}

// Describe implements prometheus.Collector.
func (g *outboxGauges) Describe(to chan<- *prometheus.Desc) {
	to <- g.waiting
	to <- g.dead
	to <- g.oldest
}

// Collect implements prometheus.Collector. While the database does not answer
// the gauges are left out and the rest is shown.
func (g *outboxGauges) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	c, err := g.outbox.Census(ctx)
	if err != nil {
		g.log.Warn("count the outbox", "error", err)
		return
	}
	age := 0.0
	if !c.Oldest.IsZero() {
		age = max(0, g.clock.Now().Sub(c.Oldest).Seconds())
	}
	to <- prometheus.MustNewConstMetric(g.waiting, prometheus.GaugeValue, float64(c.Waiting))
	to <- prometheus.MustNewConstMetric(g.dead, prometheus.GaugeValue, float64(c.Dead))
	to <- prometheus.MustNewConstMetric(g.oldest, prometheus.GaugeValue, age)
}
