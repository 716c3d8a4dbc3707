package gormstore

import (
	"context"
	"slices"
	"sync"
	"time"
)

// patience is how long a writer waits for its turn. Only a step that hangs makes
// anybody wait that long.
const patience = 10 * time.Second

// turns is the line of those who wait for the one writing connection, first come
// first served. Whoever has the turn may hand it on together with the transaction
// that it left open.
type turns struct {
	mu    sync.Mutex
	taken bool
	line  []chan *group
}

// take waits for the turn and returns the open transaction that comes with it,
// nil when there is none. Who leaves the line, because ctx ends or patience does,
// has no turn.
func (t *turns) take(ctx context.Context) (*group, error) {
	t.mu.Lock()
	if !t.taken {
		t.taken = true
		t.mu.Unlock()
		return nil, nil
	}
	turn := make(chan *group, 1)
	t.line = append(t.line, turn)
	t.mu.Unlock()

	enough := time.NewTimer(patience)
	defer enough.Stop()
	var err error
	select {
	case g := <-turn:
		return g, nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-enough.C:
		err = ErrUnavailable
	}
	if t.quit(turn) {
		return nil, err
	}
	return <-turn, nil // it came in the same moment
}

func (t *turns) quit(turn chan *group) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := len(t.line)
	t.line = slices.DeleteFunc(t.line, func(other chan *group) bool { return other == turn })
	return len(t.line) < before
}

// pass hands the turn to the next in line, with an open transaction or nil. When
// nobody waits it returns false: an open transaction stays with the caller, and
// so does the turn; without one the turn is free.
func (t *turns) pass(g *group) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.line) == 0 {
		t.taken = g != nil
		return false
	}
	t.line[0] <- g
	t.line = slices.Delete(t.line, 0, 1)
	return true
}
