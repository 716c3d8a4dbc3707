package auth

import (
	"context"
	"sync"
	"time"

	"github.com/octavo-books/octavo/domain/fault"
)

// errTooManyWaiting refuses who comes when too many wait for the same thing already.
var errTooManyWaiting = fault.New(fault.Unavailable, "unavailable", "Too many requests for this account at once. Please try again in a moment.").
	After(2 * time.Second)

const (
	maxAtWork  = 4  // at work at once
	maxWaiting = 64 // waiting beyond those
)

// keyedSemaphore let a few at a time do something of one name, and the rest wait for
// them. They decide nothing and other processes have lanes of their own; they
// keep a limit that counts before it knows the outcome from counting many good
// outcomes as bad ones. The zero value is ready.
type keyedSemaphore struct {
	mu   sync.Mutex
	keys map[string]*semaphore
}

type semaphore struct {
	slots   chan struct{}
	holders int // at work or waiting
}

// acquire waits for a place in the lane of a name; leave gives it to the next.
func (l *keyedSemaphore) acquire(ctx context.Context, name string) (leave func(), err error) {
	own, ok := l.reserve(name)
	if !ok {
		return nil, errTooManyWaiting
	}
	select {
	case own.slots <- struct{}{}:
		return func() { <-own.slots; l.release(name, own) }, nil
	case <-ctx.Done():
		l.release(name, own)
		return nil, ctx.Err()
	}
}

func (l *keyedSemaphore) reserve(name string) (*semaphore, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.keys == nil {
		l.keys = map[string]*semaphore{}
	}
	own := l.keys[name]
	if own == nil {
		own = &semaphore{slots: make(chan struct{}, maxAtWork)}
		l.keys[name] = own
	}
	if own.holders == maxAtWork+maxWaiting {
		return nil, false
	}
	own.holders++
	return own, true
}

func (l *keyedSemaphore) release(name string, own *semaphore) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if own.holders--; own.holders == 0 {
		delete(l.keys, name)
	}
}
