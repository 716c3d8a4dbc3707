package guarding

import (
	"sync"
	"time"
)

// StatisticsKept is how long a dashboard is shown before everything is counted again.
const StatisticsKept = time.Minute

// mostDashboards bounds those that are remembered: one of three years takes about 100 kB.
const mostDashboards = 100

// dashboards remembers what was counted in the last minute. Of those who ask at once, one counts at a
// time, and the others mostly find what they wait for.
type dashboards struct {
	counting sync.Mutex // held by whoever counts
	mu       sync.Mutex // guards kept
	kept     map[series]Dashboard
}

// series is which days of which university a dashboard shows.
type series struct {
	campus string
	begins int64 // the first day, in microseconds
	days   int
}

func seriesOf(campus string, days []time.Time) series {
	return series{campus, days[0].UnixMicro(), len(days)}
}

// get returns the dashboard of the last minute. If there is none, count counts.
func (k *dashboards) get(of series, now func() time.Time, count func() (Dashboard, error)) (Dashboard, error) {
	if d, ok := k.find(of, now()); ok {
		return d, nil
	}
	k.counting.Lock()
	defer k.counting.Unlock()
	at := now()
	if d, ok := k.find(of, at); ok {
		return d, nil
	}
	d, err := count()
	if err != nil {
		return d, err
	}
	d.CountedAt = at
	k.keep(of, d)
	return d, nil
}

func (k *dashboards) find(of series, now time.Time) (Dashboard, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	d, ok := k.kept[of]
	age := now.Sub(d.CountedAt)
	return d, ok && age >= 0 && age < StatisticsKept
}

func (k *dashboards) keep(of series, d Dashboard) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept == nil || len(k.kept) >= mostDashboards {
		k.kept = make(map[series]Dashboard)
	}
	k.kept[of] = d
}
