package market

import (
	"sync"

	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// Bell wakes whoever waits in this process for something to be told or done.
// It only saves waiting: in other processes nothing rings.
type Bell struct {
	mu        sync.Mutex
	listeners map[user.ID]map[chan struct{}]bool
	work      chan struct{}
}

// NewBell makes a bell that nobody listens to.
func NewBell() *Bell {
	return &Bell{listeners: map[user.ID]map[chan struct{}]bool{}, work: make(chan struct{}, 1)}
}

// listen gives a channel that rings after somebody was told something, until
// stop is called.
func (b *Bell) listen(id user.ID) (<-chan struct{}, func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.listeners[id] == nil {
		b.listeners[id] = map[chan struct{}]bool{}
	}
	ring := make(chan struct{}, 1)
	b.listeners[id][ring] = true
	return ring, func() { b.forget(id, ring) }
}

func (b *Bell) forget(id user.ID, ring chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.listeners[id], ring)
	if len(b.listeners[id]) == 0 {
		delete(b.listeners, id)
	}
}

// ring wakes the people of the notices, and the chores.
func (b *Bell) ring(notices []notification.Notification, work bool) {
	if work {
		wake(b.work)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, n := range notices {
		for ring := range b.listeners[n.User] {
			wake(ring)
		}
	}
}

// wake leaves one ring; more than one melt together.
func wake(ring chan struct{}) {
	select {
	case ring <- struct{}{}:
	default:
	}
}
