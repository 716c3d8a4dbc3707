package assembly

import (
	"time"

	"github.com/octavo-books/octavo/adapters/metrics"
	"github.com/octavo-books/octavo/adapters/webhookhttp"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/prometheus/client_golang/prometheus"
)

// webhookObserver returns the function that records the outcome and duration of every answer to
// a delivery of a source.
type webhookObserver func(source string) func(webhookhttp.Outcome, time.Duration)

// forgetSource removes the metrics of a source that no longer exists.
type forgetSource func(source string)

// inboxMeter counts deliveries for Prometheus.
type inboxMeter struct {
	accepted, forwarded *prometheus.CounterVec
	unmatched           *prometheus.CounterVec
	forwardSeconds      *prometheus.HistogramVec
	open, dead, oldest  prometheus.Gauge
	paused              prometheus.Gauge
}

func newInboxMeter(m *metrics.Metrics) (inbox.Meter, webhookObserver, forgetSource) {
	i := &inboxMeter{
		accepted: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "octavo_webhook_deliveries_total", Help: "Verified deliveries by source and outcome: stored, duplicate (seen before), redelivered (seen before and sent again), conflict (another body under a known ID), full or failed.",
		}, []string{"source", "outcome"}),
		unmatched: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "octavo_webhook_unmatched_total", Help: "Stored deliveries that no rule took when they arrived, by source.",
		}, []string{"source"}),
		forwarded: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "octavo_webhook_forwards_total", Help: "Attempts to forward by rule and outcome: delivered, failed, dead or gone.",
		}, []string{"rule", "outcome"}),
		forwardSeconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "octavo_webhook_forward_seconds", Help: "Response time of the target of a rule.", Buckets: prometheus.DefBuckets,
		}, []string{"rule"}),
		open:   prometheus.NewGauge(prometheus.GaugeOpts{Name: "octavo_webhook_open", Help: "Jobs, one for each delivery and target, that wait to be forwarded."}),
		dead:   prometheus.NewGauge(prometheus.GaugeOpts{Name: "octavo_webhook_dead", Help: "Jobs that were given up and not redelivered."}),
		oldest: prometheus.NewGauge(prometheus.GaugeOpts{Name: "octavo_webhook_oldest_seconds", Help: "Age of the oldest waiting delivery, 0 if none waits."}),
		paused: prometheus.NewGauge(prometheus.GaugeOpts{Name: "octavo_webhook_paused_rules", Help: "Forwarding rules that are paused, by the file of rules or an operator."}),
	}
	answers := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "octavo_webhook_answer_seconds", Help: "Response time to the senders of deliveries, by source and outcome.", Buckets: prometheus.DefBuckets,
	}, []string{"source", "outcome"})
	m.Registry().MustRegister(i.accepted, i.unmatched, i.forwarded, i.forwardSeconds, i.open, i.dead, i.oldest, i.paused, answers)
	observe := func(source string) func(webhookhttp.Outcome, time.Duration) {
		return func(o webhookhttp.Outcome, took time.Duration) {
			answers.WithLabelValues(source, string(o)).Observe(took.Seconds())
		}
	}
	return i, observe, func(source string) {
		answers.DeletePartialMatch(prometheus.Labels{"source": source})
		i.accepted.DeletePartialMatch(prometheus.Labels{"source": source})
		i.unmatched.DeletePartialMatch(prometheus.Labels{"source": source})
	}
}

// CountDelivery implements inbox.Meter.
func (i *inboxMeter) CountDelivery(source, outcome string) {
	i.accepted.WithLabelValues(source, outcome).Inc()
}

// CountUnmatched implements inbox.Meter.
func (i *inboxMeter) CountUnmatched(source string) { i.unmatched.WithLabelValues(source).Inc() }

// ObserveForward implements inbox.Meter.
func (i *inboxMeter) ObserveForward(rule, outcome string, took time.Duration) {
	i.forwarded.WithLabelValues(rule, outcome).Inc()
	i.forwardSeconds.WithLabelValues(rule).Observe(took.Seconds())
}

// ObserveBacklog implements inbox.Meter.
func (i *inboxMeter) ObserveBacklog(s inbox.Stats, oldest time.Duration) {
	i.open.Set(float64(s.Open))
	i.dead.Set(float64(s.Dead))
	i.oldest.Set(oldest.Seconds())
}

// ObservePausedRules implements inbox.Meter.
func (i *inboxMeter) ObservePausedRules(n int) { i.paused.Set(float64(n)) }
