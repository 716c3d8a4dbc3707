package metrics

import (
	"strings"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/prometheus/client_golang/prometheus"
)

// InboxMeter counts deliveries.
type InboxMeter struct {
	accepted, forwarded *prometheus.CounterVec
	unmatched           *prometheus.CounterVec
	forwardSeconds      *prometheus.HistogramVec
	open, dead, oldest  prometheus.Gauge
	paused              prometheus.Gauge
	answers             *prometheus.HistogramVec
	verified            *prometheus.CounterVec
}

// NewInboxMeter returns a meter of the deliveries of this process.
func NewInboxMeter(m *Metrics) *InboxMeter {
	i := &InboxMeter{
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
		open: prometheus.NewGauge(prometheus.GaugeOpts{Name: "octavo_webhook_open", Help: "Jobs, one for each delivery and target, that wait to be forwarded."}),
		dead: prometheus.NewGauge(
			prometheus.GaugeOpts{Name: "octavo_webhook_dead", Help: "Jobs that were given up and not redelivered."},
		),
		oldest: prometheus.NewGauge(
			prometheus.GaugeOpts{Name: "octavo_webhook_oldest_seconds", Help: "Age of the oldest waiting delivery, 0 if none waits."},
		),
		paused: prometheus.NewGauge(prometheus.GaugeOpts{Name: "octavo_webhook_paused_rules", Help: "Forwarding rules that are paused, by the file of rules or an operator."}),
		answers: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "octavo_webhook_answer_seconds", Help: "Response time to the senders of deliveries, by source and outcome.", Buckets: prometheus.DefBuckets,
		}, []string{"source", "outcome"}),
		verified: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "octavo_webhook_verified_total", Help: "Deliveries with a valid signature, by the name of the secret that made it.",
		}, []string{"secret"}),
	}
	m.registry.MustRegister(
		i.accepted, i.unmatched, i.forwarded, i.forwardSeconds, i.open, i.dead, i.oldest, i.paused, i.answers, i.verified,
	)
	return i
}

// ObserveAnswer records the outcome and duration of the answer to a delivery of a source.
func (i *InboxMeter) ObserveAnswer(source, outcome string, took time.Duration) {
	i.answers.WithLabelValues(source, outcome).Observe(took.Seconds())
}

// ForgetSource removes the metrics of a source that no longer exists.
func (i *InboxMeter) ForgetSource(source string) {
	for _, of := range []interface{ DeletePartialMatch(prometheus.Labels) int }{i.answers, i.accepted, i.unmatched} {
		of.DeletePartialMatch(prometheus.Labels{"source": source})
	}
}

// CountVerified counts a delivery for the secret that signed it.
func (i *InboxMeter) CountVerified(secret string) { i.verified.WithLabelValues(labelOf(secret)).Inc() }

// ShowSecret lets a secret appear in the metrics even before it has verified a delivery.
func (i *InboxMeter) ShowSecret(secret string) { i.verified.WithLabelValues(labelOf(secret)) }

// ForgetSecret removes the metrics of a secret that is no longer in use.
func (i *InboxMeter) ForgetSecret(secret string) { i.verified.DeleteLabelValues(labelOf(secret)) }

// labelOf makes a name valid UTF-8, which Prometheus requires; operators may use any bytes.
func labelOf(name string) string { return strings.ToValidUTF8(name, "?") }

// CountDelivery implements inbox.Meter.
func (i *InboxMeter) CountDelivery(source, outcome string) {
	i.accepted.WithLabelValues(source, outcome).Inc()
}

// CountUnmatched implements inbox.Meter.
func (i *InboxMeter) CountUnmatched(source string) { i.unmatched.WithLabelValues(source).Inc() }

// ObserveForward implements inbox.Meter.
func (i *InboxMeter) ObserveForward(rule, outcome string, took time.Duration) {
	i.forwarded.WithLabelValues(rule, outcome).Inc()
	i.forwardSeconds.WithLabelValues(rule).Observe(took.Seconds())
}

// ObserveBacklog implements inbox.Meter.
func (i *InboxMeter) ObserveBacklog(s inbox.Stats, oldest time.Duration) {
	i.open.Set(float64(s.Open))
	i.dead.Set(float64(s.Dead))
	i.oldest.Set(oldest.Seconds())
}

// ObservePausedRules implements inbox.Meter.
func (i *InboxMeter) ObservePausedRules(n int) { i.paused.Set(float64(n)) }
