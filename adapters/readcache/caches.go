package readcache

import (
	"time"

	"github.com/octavo-books/octavo/application/market"
)

// listsTopic tells other processes that lists of books have changed.
const listsTopic = "lists"

// standbyKeep is short, because a standby may answer with the old state after the change was told.
const standbyKeep = time.Second

// Caches are the caches of this process: of what the primary and of what a standby has answered.
// It is also a pgsignals.Hub.
type Caches struct {
	Primary, Standby *Cache
	others           func(topic string) // tells the other processes; nil: there are none
}

// NewCaches returns empty caches.
func NewCaches(clock func() time.Time) *Caches {
	return &Caches{Primary: New(clock, Keep), Standby: New(clock, standbyKeep)}
}

// NotifyOthers sets how to reach the other processes.
func (c *Caches) NotifyOthers(others func(topic string)) { c.others = others }

// Purge implements market.Purger.
func (c *Caches) Purge(keys ...market.SurrogateKey) {
	c.forget(keys...)
	if c.others != nil {
		c.others(listsTopic)
	}
}

func (c *Caches) forget(keys ...market.SurrogateKey) {
	c.Primary.Purge(keys...)
	c.Standby.Purge(keys...)
}

// Wake forgets everything if another process has changed something: signals do not say what.
func (c *Caches) Wake(topic string) {
	if topic == listsTopic {
		c.forget(market.Everything)
	}
}

// SetArriving forgets everything, because signals may have been lost.
func (c *Caches) SetArriving(bool) { c.forget(market.Everything) }

// Purgers are told of every change, the caches of the process before others.
type Purgers []market.Purger

// Purge implements market.Purger.
func (all Purgers) Purge(keys ...market.SurrogateKey) {
	for _, p := range all {
		p.Purge(keys...)
	}
}
