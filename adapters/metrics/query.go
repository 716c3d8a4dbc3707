package metrics

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// gauge is one measured value.
type gauge struct {
	name, help string
	value      float64
	labels     prometheus.Labels
}

// queriedGauges are measured when the metrics are scraped. If that fails, they are left
// out and the other metrics are served.
type queriedGauges struct {
	what  string
	log   *slog.Logger
	query func(context.Context) ([]gauge, error)
}

// query adds gauges that are measured when the metrics are scraped.
func (m *Metrics) query(what string, measure func(context.Context) ([]gauge, error)) {
	m.registry.MustRegister(queriedGauges{what, m.log, measure})
}

// Describe implements prometheus.Collector as an unchecked collector: which gauges exist
// depends on the query.
func (queriedGauges) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (l queriedGauges) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	all, err := l.query(ctx)
	if err != nil {
		l.log.Warn("gauges are left out of the metrics", "of", l.what, "error", err)
		return
	}
	for _, g := range all {
		to <- prometheus.MustNewConstMetric(prometheus.NewDesc(g.name, g.help, nil, g.labels), prometheus.GaugeValue, g.value)
	}
}

// gaugeFunc adds a gauge that is read when the metrics are scraped.
func (m *Metrics) gaugeFunc(name, help string, read func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read))
}

// counterFunc is gaugeFunc for a counter.
func (m *Metrics) counterFunc(name, help string, labels prometheus.Labels, read func() float64) {
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels}, read))
}

// age is how long ago something has happened in seconds; 0 for the zero time.
func age(now, then time.Time) float64 {
	if then.IsZero() {
		return 0
	}
	return max(0, now.Sub(then).Seconds())
}
