package market

import (
	"maps"
	"slices"
	"sync"

	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// Notifier signals new notifications, so that waiting goroutines need not poll. Connect connects it
// with other processes.
type Notifier struct {
	mu          sync.Mutex
	subscribers map[user.ID]map[*func()]bool
	others      Signals // nil: there is no other process
}

// NewNotifier returns a notifier without subscribers.
func NewNotifier() *Notifier {
	return &Notifier{subscribers: map[user.ID]map[*func()]bool{}}
}

// Subscribe calls wake after a user got notifications, until stop is called. wake must not
// block.
func (n *Notifier) Subscribe(id user.ID, wake func()) (stop func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.subscribers[id] == nil {
		n.subscribers[id] = map[*func()]bool{}
	}
	n.subscribers[id][&wake] = true
	return func() { n.unsubscribe(id, &wake) }
}

func (n *Notifier) unsubscribe(id user.ID, wake *func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.subscribers[id], wake)
	if len(n.subscribers[id]) == 0 {
		delete(n.subscribers, id)
	}
}

// Connect exchanges signals with other processes.
func (n *Notifier) Connect(others Signals) {
	n.mu.Lock()
	n.others = others
	n.mu.Unlock()
	others.Receive(n.wake)
}

// notify signals the users of the notifications, here and in other processes. Call it after the
// commit: a reader that wakes earlier finds nothing.
func (n *Notifier) notify(all []notification.Notification) {
	ids := make([]user.ID, len(all))
	for i, one := range all {
		ids[i] = one.User
	}
	n.wake(ids)
	n.mu.Lock()
	others := n.others
	n.mu.Unlock()
	if others != nil {
		others.Send(ids)
	}
}

// wake signals the subscribers of these users, or all subscribers if ids is nil.
func (n *Notifier) wake(ids []user.ID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if ids == nil {
		ids = slices.Collect(maps.Keys(n.subscribers))
	}
	for _, id := range ids {
		for wake := range n.subscribers[id] {
			(*wake)()
		}
	}
}
