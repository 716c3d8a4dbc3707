package market

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// Notifier signals new notifications and jobs, so that waiting goroutines need not poll. Other
// processes get signals of notifications while Connect runs, and find jobs by polling.
type Notifier struct {
	mu          sync.Mutex
	subscribers map[user.ID]map[*func()]bool
	others      Signals // nil: there is no other process
	jobs        chan struct{}
}

// NewNotifier returns a notifier without subscribers.
func NewNotifier() *Notifier {
	return &Notifier{subscribers: map[user.ID]map[*func()]bool{}, jobs: make(chan struct{}, 1)}
}

// subscribe calls wake after a user got notifications, until stop is called. wake must not
// block.
func (n *Notifier) subscribe(id user.ID, wake func()) (stop func()) {
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

// Connect exchanges signals with other processes until ctx ends.
func (n *Notifier) Connect(ctx context.Context, others Signals) {
	n.mu.Lock()
	n.others = others
	n.mu.Unlock()
	others.Receive(ctx, n.wake)
}

// notify signals the users of the notifications, here and in other processes, and, if there
// are new jobs, the job runner. Call it after the commit: a reader that wakes earlier finds
// nothing.
func (n *Notifier) notify(all []notification.Notification, newJobs bool) {
	if newJobs {
		n.signalJobs()
	}
	if len(all) == 0 {
		return
	}
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

// signalJobs never blocks: the channel has a buffer of one, and a signal coalesces with one
// that is still pending.
func (n *Notifier) signalJobs() {
	select {
	case n.jobs <- struct{}{}:
	default:
	}
}
