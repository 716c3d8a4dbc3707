package auth

import (
	"context"
	"sync"

	"github.com/octavo-books/octavo/domain/user"
)

// turns lets those who want to change the same address wait for each other
// instead of spoiling each other's work. It decides nothing: other processes
// do not wait, and the stores stand for what is right. The zero value is ready.
type turns struct {
	mu sync.Mutex
	of map[user.Email]*turn
}

type turn struct {
	taken   chan struct{} // holds one
	waiting int           // those who have it or want it
}

// take waits for the turn of an address; done gives it to the next.
func (t *turns) take(ctx context.Context, email user.Email) (done func(), err error) {
	t.mu.Lock()
	if t.of == nil {
		t.of = map[user.Email]*turn{}
	}
	own := t.of[email]
	if own == nil {
		own = &turn{taken: make(chan struct{}, 1)}
		t.of[email] = own
	}
	own.waiting++
	t.mu.Unlock()
	select {
	case own.taken <- struct{}{}:
		return func() { <-own.taken; t.leave(email, own) }, nil
	case <-ctx.Done():
		t.leave(email, own)
		return nil, ctx.Err()
	}
}

func (t *turns) leave(email user.Email, own *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if own.waiting--; own.waiting == 0 {
		delete(t.of, email)
	}
}
