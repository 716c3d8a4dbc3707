package assembly

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/hashing"
	"github.com/octavo-books/octavo/adapters/metrics"
	"github.com/octavo-books/octavo/adapters/queue"
	"github.com/octavo-books/octavo/adapters/redisstore"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
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

func age(clock mailer.Clock, oldest time.Time) float64 {
	if oldest.IsZero() {
		return 0
	}
	return max(0, clock.Now().Sub(oldest).Seconds())
}

// watchOutbox measures the outbox.
func watchOutbox(o *outboxstore.Outbox, clock mailer.Clock, log *slog.Logger, m *metrics.Metrics) error {
	return m.Registry().Register(queriedGauges{"the outbox", log, func(ctx context.Context) ([]gauge, error) {
		c, err := o.ReadStats(ctx)
		return []gauge{
			{name: "octavo_outbox_waiting", help: "Messages waiting to be sent.", value: float64(c.Waiting)},
			{name: "octavo_outbox_dead", help: "Dead letters: messages that were given up.", value: float64(c.Dead)},
			{name: "octavo_outbox_oldest_seconds", help: "Age of the oldest waiting message, 0 if none waits.", value: age(clock, c.Oldest)},
		}, err
	}})
}

// watchQueue measures the queue, in the processes that publish and in the mailer.
func watchQueue(q *queue.Queue, clock mailer.Clock, log *slog.Logger, m *metrics.Metrics) error {
	return m.Registry().Register(queriedGauges{"the queue", log, func(ctx context.Context) ([]gauge, error) {
		c, err := q.ReadStats(ctx)
		return []gauge{
			{name: "octavo_queue_waiting", help: "Messages on the broker that are not sent yet.", value: float64(c.Waiting)},
			{name: "octavo_queue_in_hand", help: "Messages on the broker that a mailer has claimed.", value: float64(c.InFlight)},
			{name: "octavo_queue_oldest_seconds", help: "Age of the oldest message on the broker, 0 if there is none.", value: age(clock, c.Oldest)},
		}, err
	}})
}

// watchPool measures the connection pools of a database.
func watchPool(m *metrics.Metrics, name string, db *gormstore.DB) error {
	write, read := db.SQL()
	if read == write {
		return m.Registry().Register(collectors.NewDBStatsCollector(write, name))
	}
	if err := m.Registry().Register(collectors.NewDBStatsCollector(write, name+" writer")); err != nil {
		return err
	}
	return m.Registry().Register(collectors.NewDBStatsCollector(read, name+" readers"))
}

// watchRedis measures the connections to Redis and the number of its keys: sessions, their
// indexes and rate limits.
func watchRedis(c *redisstore.Client, log *slog.Logger, m *metrics.Metrics) error {
	m.Registry().MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "octavo_redis_pool_timeouts_total", Help: "How often no connection to Redis became free in time.",
	}, func() float64 { return float64(c.Redis.PoolStats().Timeouts) }))
	return m.Registry().Register(queriedGauges{"redis", log, func(ctx context.Context) ([]gauge, error) {
		pool := c.Redis.PoolStats()
		all := []gauge{
			{name: "octavo_redis_pool_connections", help: "Open connections to Redis.", value: float64(pool.TotalConns)},
			{name: "octavo_redis_pool_idle", help: "Open connections to Redis that are idle.", value: float64(pool.IdleConns)},
		}
		if keys, err := c.Redis.DBSize(ctx).Result(); err == nil {
			all = append(all, gauge{name: "octavo_redis_keys", help: "Keys in Redis: sessions, their indexes and limits.", value: float64(keys)})
		}
		return all, nil
	}})
}

// watchHashing measures the queue of passwords to hash.
func watchHashing(h *hashing.Hasher, m *metrics.Metrics) {
	m.Registry().MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "octavo_hashing_waiting", Help: "Passwords waiting to be hashed.",
		}, func() float64 { return float64(h.CountWaiting()) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "octavo_hashing_refused_total", Help: "Passwords that were not hashed because the queue was full.",
		}, func() float64 { return float64(h.CountRefused()) }),
	)
}

// sessionCountInterval is the maximum age of the number of sessions: counting scans all of them.
const sessionCountInterval = time.Minute

// watchSessions counts the live sessions in the database.
func watchSessions(s *authstore.Sessions, clock mailer.Clock, log *slog.Logger, m *metrics.Metrics) error {
	var mu sync.Mutex
	var live int
	var counted time.Time
	return m.Registry().Register(queriedGauges{"sessions", log, func(ctx context.Context) ([]gauge, error) {
		mu.Lock()
		defer mu.Unlock()
		if now := clock.Now(); now.Sub(counted) >= sessionCountInterval {
			n, err := s.CountActive(ctx, now)
			if err != nil {
				return nil, err
			}
			live, counted = n, now
		}
		return []gauge{{name: "octavo_sessions_live", help: "Live sessions, counted at most a minute ago.", value: float64(live)}}, nil
	}})
}
