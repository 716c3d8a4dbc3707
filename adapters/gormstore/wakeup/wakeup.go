// Package wakeup wakes the loops that take work out of a database: when this process or another
// one has committed some, when some falls due, and now and then in case a notification was lost.
package wakeup

import (
	"context"
	"sync"
	"time"
)

const (
	// PollInterval is the longest wait while notifications of other processes do not arrive.
	PollInterval = time.Second
	// NetInterval is the longest wait while they do.
	NetInterval = 20 * time.Second
	// maxTopics bounds the topics that other processes can name.
	maxTopics = 64
)

// Hub wakes the loops of one process by topics: names of kinds of work. A notification says that
// there may be work, not which.
type Hub struct {
	mu      sync.Mutex
	net     time.Duration
	poll    bool
	changed chan struct{} // closed and replaced when poll changes
	topics  map[string]chan struct{}
	others  func(topic string) // nil: nobody listens
}

// New returns a hub that polls, because no other process notifies it yet.
func New() *Hub {
	return &Hub{net: NetInterval, poll: true, changed: make(chan struct{}), topics: map[string]chan struct{}{}}
}

// SetNet replaces NetInterval, in tests.
func (h *Hub) SetNet(interval time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.net = interval
}

// NotifyOthers calls notify for each topic of Notify, to reach the other processes. notify runs
// after the commit, in the goroutine of the transaction.
func (h *Hub) NotifyOthers(notify func(topic string)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.others = notify
}

// Notify wakes one waiting loop of the topic in this process, and one in each other. Call it
// after the commit.
func (h *Hub) Notify(topic string) {
	h.Wake(topic)
	h.mu.Lock()
	notify := h.others
	h.mu.Unlock()
	if notify != nil {
		notify(topic)
	}
}

// Wake wakes one waiting loop of the topic, or the next one to wait.
func (h *Hub) Wake(topic string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c := h.topic(topic); c != nil {
		signal(c)
	}
}

// SetArriving says whether the notifications of other processes arrive. A change wakes every
// loop: some may have been lost, and the interval changes.
func (h *Hub) SetArriving(arriving bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.poll == !arriving {
		return
	}
	h.poll = !arriving
	close(h.changed)
	h.changed = make(chan struct{})
	for _, c := range h.topics { // for loops that are about to wait
		signal(c)
	}
}

// Wait returns when there may be work of the topic: after a notification, at due, when
// SetArriving changes something, or after an interval. A zero due means that no work waits; one
// in the past, that some waits for something of which nobody notifies, so that Wait polls.
func (h *Hub) Wait(ctx context.Context, topic string, due time.Time) {
	woken, changed, interval := h.prepare(topic, due)
	timer := time.NewTimer(interval)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-woken:
	case <-changed:
	case <-timer.C:
	}
}

func (h *Hub) prepare(topic string, due time.Time) (woken, changed <-chan struct{}, interval time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	interval = h.net
	if h.poll {
		interval = PollInterval
	}
	if !due.IsZero() {
		until := time.Until(due)
		if until <= 0 {
			until = PollInterval
		}
		interval = min(interval, until)
	}
	return h.topic(topic), h.changed, interval
}

// topic returns the channel of a topic, nil if there are too many.
func (h *Hub) topic(name string) chan struct{} {
	c := h.topics[name]
	if c == nil && len(h.topics) < maxTopics {
		c = make(chan struct{}, 1)
		h.topics[name] = c
	}
	return c
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // one is pending already
	}
}
