package auth

import (
	"context"
	"sync"
	"time"

	"github.com/octavo-books/octavo/domain/fault"
)

// errLaneFull refuses who comes when too many wait for the same thing already.
var errLaneFull = fault.New(fault.Unavailable, "unavailable", "Too many requests for this account at once. Please try again in a moment.").
	After(2 * time.Second)

const (
	laneWidth = 4  // at work at once
	laneRoom  = 64 // waiting beyond those
)

// lanes let a few at a time do something of one name, and the rest wait for
// them. They decide nothing and other processes have lanes of their own; they
// keep a limit that counts before it knows the outcome from counting many good
// outcomes as bad ones. The zero value is ready.
type lanes struct {
	mu sync.Mutex
	of map[string]*lane
}

type lane struct {
	slots chan struct{}
	users int // at work or waiting
}

// enter waits for a place in the lane of a name; leave gives it to the next.
func (l *lanes) enter(ctx context.Context, name string) (leave func(), err error) {
	own, ok := l.join(name)
	if !ok {
		return nil, errLaneFull
	}
	select {
	case own.slots <- struct{}{}:
		return func() { <-own.slots; l.part(name, own) }, nil
	case <-ctx.Done():
		l.part(name, own)
		return nil, ctx.Err()
	}
}

func (l *lanes) join(name string) (*lane, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of == nil {
		l.of = map[string]*lane{}
	}
	own := l.of[name]
	if own == nil {
		own = &lane{slots: make(chan struct{}, laneWidth)}
		l.of[name] = own
	}
	if own.users == laneWidth+laneRoom {
		return nil, false
	}
	own.users++
	return own, true
}

func (l *lanes) part(name string, own *lane) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if own.users--; own.users == 0 {
		delete(l.of, name)
	}
}
