package gormstore

import "time"

// CheckCopy compares a copy of a database with the expected numbers of rows.
var CheckCopy = checkCopy

// NewFreshness returns a freshness by a clock.
func NewFreshness(maxLag time.Duration, now func() time.Time) *freshness {
	return &freshness{maxLag: maxLag, now: now}
}

// Update is update.
func (f *freshness) Update(at time.Time, primary, replayed int64) { f.update(at, primary, replayed) }

// Lag is lag.
func (f *freshness) Lag() (time.Duration, bool) { return f.lag() }

// NewPosition returns the position of a server.
func NewPosition(system, timeline int64, inRecovery bool) position {
	return position{system: system, timeline: timeline, inRecovery: inRecovery}
}

// Follows is follows.
func (p position) Follows(primary position) error { return p.follows(primary) }
