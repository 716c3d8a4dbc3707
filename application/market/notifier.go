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
	subscribers map[user.ID]map[chan struct{}]bool
	others      Signals // nil: there is no other process
	jobs        chan struct{}
}

// NewNotifier returns a notifier without subscribers.
func NewNotifier() *Notifier {
	return &Notifier{subscribers: map[user.ID]map[chan struct{}]bool{}, jobs: make(chan struct{}, 1)}
}

// subscribe returns a channel that receives a signal after a user got notifications,
// until stop is called.
func (n *Notifier) subscribe(id user.ID) (signals <-chan struct{}, stop func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.subscribers[id] == nil {
		n.subscribers[id] = map[chan struct{}]bool{}
	}
	c := make(chan struct{}, 1)
	n.subscribers[id][c] = true
	return c, func() { n.unsubscribe(id, c) }
}

func (n *Notifier) unsubscribe(id user.ID, c chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.subscribers[id], c)
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
		signal(n.jobs)
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
		for c := range n.subscribers[id] {
			signal(c)
		}
	}
}

// signal never blocks: c has a buffer of one, and a signal coalesces with one that is
// still pending.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
