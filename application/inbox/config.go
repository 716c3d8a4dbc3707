package inbox

import (
	"errors"
	"fmt"
	"time"
)

// Config is how the service is set up. DefaultConfig is ready for use.
type Config struct {
	MaxWaiting      int           // deliveries in memory that wait to be stored
	MaxWaitingBytes int64         // their payloads together, and those of jobs in memory
	MaxPending      int           // open jobs in the store; beyond it deliveries are refused
	Committers      int           // transactions at the same time: 1 on SQLite, 2 to 4 on Postgres
	ScanEvery       time.Duration // how often the store is asked for due jobs
	Grace           time.Duration // how long sends may go on at the end
	KeepBodies      time.Duration // after that payloads are dropped
	KeepIDs         time.Duration // after that a delivery is forgotten, and its id no duplicate
	KeepMost        int           // deliveries kept at most; those with open jobs stay
	ReplayWindow    time.Duration // the same event and body under another id is a duplicate for so long; 0: never
}

// DefaultConfig is what a single process on SQLite does well with.
func DefaultConfig() Config {
	return Config{
		MaxWaiting: 4096, MaxWaitingBytes: 64 << 20, MaxPending: 1_000_000, Committers: 1,
		ScanEvery: time.Second, Grace: 5 * time.Second,
		KeepBodies: 7 * 24 * time.Hour, KeepIDs: 30 * 24 * time.Hour, KeepMost: 1_000_000,
	}
}

// Validate names every setting that cannot be.
func (c Config) Validate() error {
	var errs []error
	need := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	need(c.MaxWaiting >= 1, "at least one delivery must be allowed to wait, not %d", c.MaxWaiting)
	need(c.MaxWaitingBytes >= 1<<20, "at least 1 MiB must be allowed to wait, not %d bytes", c.MaxWaitingBytes)
	need(c.MaxPending >= 1, "at least one job must be allowed to be pending, not %d", c.MaxPending)
	need(c.Committers >= 1 && c.Committers <= 16, "1 to 16 committers, not %d", c.Committers)
	need(c.ScanEvery >= time.Millisecond && c.ScanEvery <= time.Minute, "scan every 1ms to 1m, not %s", c.ScanEvery)
	need(c.Grace >= 0 && c.Grace <= time.Minute, "a grace of 0s to 1m, not %s", c.Grace)
	need(c.KeepBodies >= time.Minute, "keep payloads for 1m or longer, not %s", c.KeepBodies)
	need(c.KeepIDs >= c.KeepBodies, "keep ids (%s) at least as long as payloads (%s)", c.KeepIDs, c.KeepBodies)
	need(c.KeepMost >= 1, "keep at least one delivery, not %d", c.KeepMost)
	need(c.ReplayWindow >= 0 && c.ReplayWindow <= c.KeepIDs, "a replay window of 0s to %s, not %s", c.KeepIDs, c.ReplayWindow)
	return errors.Join(errs...)
}
