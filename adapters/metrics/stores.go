package metrics

import (
	"context"
	"database/sql"
	"math"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// WatchPool measures the connection pools of a database, of which SQLite has two.
func (m *Metrics) WatchPool(name string, write, read *sql.DB) {
	if read == write {
		m.registry.MustRegister(collectors.NewDBStatsCollector(write, name))
		return
	}
	m.registry.MustRegister(collectors.NewDBStatsCollector(write, name+" writer"), collectors.NewDBStatsCollector(read, name+" readers"))
}

// WatchStandby measures how far a standby is behind, and how many reads it and the primary have served.
func (m *Metrics) WatchStandby(lag func() (time.Duration, bool), count func() (onStandby, onPrimary uint64)) {
	m.gaugeFunc("octavo_standby_lag_seconds", "How far the standby is behind at most, +Inf if that is unknown.", func() float64 {
		if lag, known := lag(); known {
			return lag.Seconds()
		}
		return math.Inf(1)
	})
	const name, help = "octavo_standby_reads_total", "Reads for which a standby is meant, by the server that served them."
	m.counterFunc(name, help, prometheus.Labels{"server": "standby"}, func() float64 { n, _ := count(); return float64(n) })
	m.counterFunc(name, help, prometheus.Labels{"server": "primary"}, func() float64 { _, n := count(); return float64(n) })
}

// WatchRedis measures the connections to Redis and the number of its keys: sessions, their
// indexes and rate limits. keys is -1 if it is unknown.
func (m *Metrics) WatchRedis(timeouts func() uint32, read func(context.Context) (connections, idle uint32, keys int64)) {
	m.counterFunc("octavo_redis_pool_timeouts_total", "How often no connection to Redis became free in time.", nil,
		func() float64 { return float64(timeouts()) })
	m.query("redis", func(ctx context.Context) ([]gauge, error) {
		connections, idle, keys := read(ctx)
		all := []gauge{
			{name: "octavo_redis_pool_connections", help: "Open connections to Redis.", value: float64(connections)},
			{name: "octavo_redis_pool_idle", help: "Open connections to Redis that are idle.", value: float64(idle)},
		}
		if keys >= 0 {
			all = append(
				all, gauge{name: "octavo_redis_keys", help: "Keys in Redis: sessions, their indexes and limits.", value: float64(keys)},
			)
		}
		return all, nil
	})
}

// WatchHashing measures the queue of passwords to hash.
func (m *Metrics) WatchHashing(waiting func() int, refused func() int64) {
	m.gaugeFunc("octavo_hashing_waiting", "Passwords waiting to be hashed.", func() float64 { return float64(waiting()) })
	m.counterFunc("octavo_hashing_refused_total", "Passwords that were not hashed because the queue was full.", nil,
		func() float64 { return float64(refused()) })
}

// sessionCountInterval is the maximum age of the number of sessions: counting scans all of them.
const sessionCountInterval = time.Minute

// WatchSessions counts the live sessions in the database.
func (m *Metrics) WatchSessions(clock func() time.Time, count func(context.Context, time.Time) (int, error)) {
	var mu sync.Mutex
	var live int
	var counted time.Time
	m.query("sessions", func(ctx context.Context) ([]gauge, error) {
		mu.Lock()
		defer mu.Unlock()
		if now := clock(); now.Sub(counted) >= sessionCountInterval {
			n, err := count(ctx, now)
			if err != nil {
				return nil, err
			}
			live, counted = n, now
		}
		return []gauge{{name: "octavo_sessions_live", help: "Live sessions, counted at most a minute ago.", value: float64(live)}}, nil
	})
}

// WatchDataDir measures the space that is left for DATA_DIR and, once there is one, how old the last
// backup is.
func (m *Metrics) WatchDataDir(clock func() time.Time, free func() (uint64, error), lastBackup func() (time.Time, bool)) {
	m.query("the data folder", func(context.Context) ([]gauge, error) {
		n, err := free()
		if err != nil {
			return nil, err
		}
		all := []gauge{{name: "octavo_data_free_bytes", help: "Space that is left on the disk of DATA_DIR.", value: float64(n)}}
		if last, made := lastBackup(); made {
			all = append(all, gauge{name: "octavo_backup_age_seconds", help: "Age of the last backup that octavo backup has completed.",
				value: age(clock(), last)})
		}
		return all, nil
	})
}

// WatchCertificate measures how long the certificate of HTTPS=auto is still valid.
func (m *Metrics) WatchCertificate(clock func() time.Time, validity func() (from, to time.Time, known bool)) {
	m.query("the certificate", func(context.Context) ([]gauge, error) {
		var left, whole float64
		if from, to, known := validity(); known {
			left, whole = to.Sub(clock()).Seconds(), to.Sub(from).Seconds()
		}
		return []gauge{
			{name: "octavo_certificate_expires_seconds", help: "How long the certificate of HTTPS=auto is still valid, 0 or less without a valid one.", value: left},
			{name: "octavo_certificate_lifetime_seconds", help: "How long that certificate is valid from its beginning, 0 without one.", value: whole},
		}, nil
	})
}

// WatchPurges counts the purges of the cache in front.
func (m *Metrics) WatchPurges(count func() (sent, failed uint64), waiting func() int) {
	const name, help = "octavo_cache_purges_total", "Purges of the cache in front, by outcome."
	m.counterFunc(name, help, prometheus.Labels{"outcome": "sent"}, func() float64 { n, _ := count(); return float64(n) })
	m.counterFunc(name, help, prometheus.Labels{"outcome": "failed"}, func() float64 { _, n := count(); return float64(n) })
	m.gaugeFunc("octavo_cache_purge_waiting", "Keys that are still to be purged, for the first or for the second time.",
		func() float64 { return float64(waiting()) })
}
