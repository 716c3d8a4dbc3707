package market

import (
	"sync"

	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// Notifier signals new notifications and jobs within this process, so that waiting
// goroutines need not poll at short intervals. Other processes get no signal and find
// them by polling.
type Notifier struct {
	mu          sync.Mutex
	subscribers map[user.ID]map[chan struct{}]bool
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

// notify signals the users of the notifications and, if there are new jobs, the job
// runner. Call it after the commit: a reader that wakes earlier finds nothing.
func (n *Notifier) notify(all []notification.Notification, newJobs bool) {
	if newJobs {
		signal(n.jobs)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, one := range all {
		for c := range n.subscribers[one.User] {
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
