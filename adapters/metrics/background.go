package metrics

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/application/work"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/prometheus/client_golang/prometheus"
)

// WatchJobs measures the background work by kind.
func (m *Metrics) WatchJobs(clock func() time.Time, jobs work.Admin) {
	m.query("the background work", func(ctx context.Context) ([]gauge, error) {
		counts, err := jobs.CountJobs(ctx, clock())
		var all []gauge
		for _, c := range counts {
			of := prometheus.Labels{"kind": string(c.Kind)}
			all = append(all,
				gauge{"octavo_jobs_due", "Background work that is due.", float64(c.Due), of},
				gauge{"octavo_jobs_running", "Periodic work that runs.", float64(c.Running), of},
				gauge{"octavo_jobs_waiting", "Background work that waits for its time or for another attempt.", float64(c.Waiting), of},
				gauge{"octavo_jobs_dead", "Background work that was given up.", float64(c.Dead), of},
				gauge{"octavo_jobs_oldest_seconds", "For how long the oldest due work has been due, 0 if none is.", age(clock(), c.Oldest), of},
			)
		}
		return all, err
	})
}

// WatchOutbox measures the outbox of mails.
func (m *Metrics) WatchOutbox(clock func() time.Time, read func(context.Context) (mailer.OutboxStats, error)) {
	m.query("the outbox", func(ctx context.Context) ([]gauge, error) {
		c, err := read(ctx)
		return []gauge{
			{name: "octavo_outbox_waiting", help: "Messages waiting to be sent.", value: float64(c.Waiting)},
			{name: "octavo_outbox_dead", help: "Dead letters: messages that were given up.", value: float64(c.Dead)},
			{name: "octavo_outbox_oldest_seconds", help: "Age of the oldest waiting message, 0 if none waits.",
				value: age(clock(), c.Oldest)},
		}, err
	})
}

// WatchQueue measures the queue, in the processes that publish and in the mailer.
func (m *Metrics) WatchQueue(clock func() time.Time, read func(context.Context) (waiting, inFlight int, oldest time.Time, err error)) {
	m.query("the queue", func(ctx context.Context) ([]gauge, error) {
		waiting, inFlight, oldest, err := read(ctx)
		return []gauge{
			{name: "octavo_queue_waiting", help: "Messages on the broker that are not sent yet.", value: float64(waiting)},
			{name: "octavo_queue_in_hand", help: "Messages on the broker that a mailer has claimed.", value: float64(inFlight)},
			{name: "octavo_queue_oldest_seconds", help: "Age of the oldest message on the broker, 0 if there is none.", value: age(clock(), oldest)},
		}, err
	})
}

// WatchEvents measures the outbox of events.
func (m *Metrics) WatchEvents(clock func() time.Time, count func(context.Context) (int, time.Time, error)) {
	m.query("the events", func(ctx context.Context) ([]gauge, error) {
		n, oldest, err := count(ctx)
		return []gauge{
			{name: "octavo_events_waiting", help: "Octavo's own events that the webhook service has not stored yet.", value: float64(n)},
			{name: "octavo_events_oldest_seconds", help: "Age of the oldest of them, 0 if none waits.", value: age(clock(), oldest)},
		}, err
	})
}

// mailMeter counts the outcomes of messages.
type mailMeter struct{ settled *prometheus.CounterVec }

// NewMailMeter returns a meter of the mails of this process.
func NewMailMeter(m *Metrics) mailer.Meter {
	settled := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "octavo_mail_settled_total", Help: "Messages by kind and outcome: sent, wait (to be retried), dead or declined (opted out).",
	}, []string{"kind", "verdict"})
	m.registry.MustRegister(settled)
	for _, k := range message.Kinds() { // Prometheus sees no increase in a series that begins at 1
		settled.WithLabelValues(string(k), string(mailer.Dead))
	}
	return mailMeter{settled}
}

// CountOutcome implements mailer.Meter.
func (m mailMeter) CountOutcome(kind message.Kind, o mailer.Outcome) {
	m.settled.WithLabelValues(string(kind), string(o)).Inc()
}
