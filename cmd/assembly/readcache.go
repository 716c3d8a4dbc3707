package assembly

import (
	"time"

	"github.com/octavo-books/octavo/adapters/readcache"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/application/market"
)

// listsTopic tells other processes that lists of books have changed.
const listsTopic = "lists"

// standbyKeep is short, because a standby may answer with the old state after the change was told.
const standbyKeep = time.Second

// readCaches are the caches of this process: of what the primary and of what a standby has answered.
// It is also a pgsignals.Hub.
type readCaches struct {
	primary, standby *readcache.Cache
	others           func(topic string) // tells the other processes; nil: there are none
}

func newReadCaches(clock system.Clock) *readCaches {
	return &readCaches{primary: readcache.New(clock.Now, readcache.Keep), standby: readcache.New(clock.Now, standbyKeep)}
}

// tell sets how to reach the other processes.
func (c *readCaches) tell(others func(topic string)) { c.others = others }

// Purge implements market.Purger.
func (c *readCaches) Purge(keys ...market.SurrogateKey) {
	c.forget(keys...)
	if c.others != nil {
		c.others(listsTopic)
	}
}

func (c *readCaches) forget(keys ...market.SurrogateKey) {
	c.primary.Purge(keys...)
	c.standby.Purge(keys...)
}

// Wake forgets everything if another process has changed something: signals do not say what.
func (c *readCaches) Wake(topic string) {
	if topic == listsTopic {
		c.forget(market.Everything)
	}
}

// SetArriving forgets everything, because signals may have been lost.
func (c *readCaches) SetArriving(bool) { c.forget(market.Everything) }

// purgers are told of every change.
type purgers []market.Purger

// Purge implements market.Purger.
func (all purgers) Purge(keys ...market.SurrogateKey) {
	for _, p := range all {
		p.Purge(keys...)
	}
}
