package signin

import (
	"context"
	"sync"
	"time"

	"github.com/octavo-books/octavo/domain/fault"
)

// errTooManyWaiting refuses a caller when maxWaiting others are waiting for the same
// key.
var errTooManyWaiting = fault.New(fault.Unavailable, "unavailable", "Too many requests for this account at once. Please try again in a moment.").
	After(2 * time.Second)

const (
	maxConcurrent = 4  // holders of one key
	maxWaiting    = 64 // callers waiting for one key
)

// keyedSemaphore limits how many goroutines work on the same key at a time; the others
// wait. It makes the sign-in limit exact: that limit counts an attempt before the
// password is compared and takes the count back if it was right, so many correct
// passwords compared at once would be refused as wrong ones. It is local to the process
// and replaces no check in the database. The zero value is ready to use.
type keyedSemaphore struct {
	mu   sync.Mutex
	keys map[string]*semaphore
}

// semaphore is the state of one key.
type semaphore struct {
	slots   chan struct{}
	holders int // working or waiting
}

// acquire waits for a slot of the key name. The caller must call release once.
func (s *keyedSemaphore) acquire(ctx context.Context, name string) (release func(), err error) {
	sem, ok := s.reserve(name)
	if !ok {
		return nil, errTooManyWaiting
	}
	select {
	case sem.slots <- struct{}{}:
		return func() { <-sem.slots; s.release(name, sem) }, nil
	case <-ctx.Done():
		s.release(name, sem)
		return nil, ctx.Err()
	}
}

func (s *keyedSemaphore) reserve(name string) (*semaphore, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keys == nil {
		s.keys = map[string]*semaphore{}
	}
	sem := s.keys[name]
	if sem == nil {
		sem = &semaphore{slots: make(chan struct{}, maxConcurrent)}
		s.keys[name] = sem
	}
	if sem.holders == maxConcurrent+maxWaiting {
		return nil, false
	}
	sem.holders++
	return sem, true
}

func (s *keyedSemaphore) release(name string, sem *semaphore) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sem.holders--; sem.holders == 0 {
		delete(s.keys, name)
	}
}
