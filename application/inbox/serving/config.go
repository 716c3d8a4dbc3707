package serving

import (
	"errors"
	"fmt"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
)

// Config configures the service. Start from DefaultConfig.
type Config struct {
	MaxBuffered       int           // deliveries in memory waiting to be stored
	MaxBufferedBytes  int64         // payloads in memory, of those deliveries and of claimed jobs
	MaxPending        int           // open jobs in the store; with more, deliveries are refused
	Committers        int           // concurrent transactions: 1 on SQLite, 2 to 4 on Postgres
	PollInterval      time.Duration // between polls of the store for due jobs
	GracePeriod       time.Duration // for running sends at shutdown
	PayloadRetention  time.Duration // payloads older than this are pruned
	DeliveryRetention time.Duration // older deliveries are pruned; their ids are then accepted again
	MaxDeliveries     int           // beyond this number the oldest are pruned, except those with open jobs
	AlertURL          string        // gets alerts about failing rules; "" for none
	AlertPrivate      bool          // the name in AlertURL may resolve to a private address
	ReplayWindow      time.Duration // for this long, the same event and body under another id is a duplicate; 0 disables this
}

// DefaultConfig suits a single process on SQLite.
func DefaultConfig() Config {
	return Config{
		MaxBuffered: 4096, MaxBufferedBytes: 64 << 20, MaxPending: 1_000_000, Committers: 1,
		PollInterval: time.Second, GracePeriod: 5 * time.Second,
		PayloadRetention: 7 * 24 * time.Hour, DeliveryRetention: 30 * 24 * time.Hour, MaxDeliveries: 1_000_000,
	}
}

// Validate returns one error that names every invalid setting.
func (c Config) Validate() error {
	var errs []error
	need := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	need(c.MaxBuffered >= 1, "buffer at least one delivery, not %d", c.MaxBuffered)
	need(c.MaxBufferedBytes >= 1<<20, "buffer at least 1 MiB, not %d bytes", c.MaxBufferedBytes)
	need(c.MaxPending >= 1, "allow at least one pending job, not %d", c.MaxPending)
	need(c.Committers >= 1 && c.Committers <= 16, "1 to 16 committers, not %d", c.Committers)
	need(c.PollInterval >= time.Millisecond && c.PollInterval <= time.Minute, "poll every 1ms to 1m, not %s", c.PollInterval)
	need(c.GracePeriod >= 0 && c.GracePeriod <= time.Minute, "a grace period of 0s to 1m, not %s", c.GracePeriod)
	need(c.PayloadRetention >= time.Minute, "keep payloads for 1m or longer, not %s", c.PayloadRetention)
	need(
		c.DeliveryRetention >= c.PayloadRetention, "keep ids (%s) at least as long as payloads (%s)", c.DeliveryRetention,
		c.PayloadRetention,
	)
	need(c.MaxDeliveries >= 1, "keep at least one delivery, not %d", c.MaxDeliveries)
	need(
		c.ReplayWindow >= 0 && c.ReplayWindow <= c.DeliveryRetention, "a replay window of 0s to %s, not %s", c.DeliveryRetention,
		c.ReplayWindow,
	)
	if c.AlertURL != "" {
		_, err := inbox.Rule{Match: inbox.AnyEvent, URL: c.AlertURL, Private: c.AlertPrivate}.Complete()
		need(err == nil, "an alert URL that is a target: %v", err)
	}
	return errors.Join(errs...)
}
