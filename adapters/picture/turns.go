package picture

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/octavo-books/octavo/domain/user"
)

// turns decides which picture is converted next. Each has a number: where the last one of its
// person ended, or else the one begun last, plus its pixels. The lowest is next. So a person's
// second picture waits for the first ones of others, a small one overtakes large ones, and a large
// one is overtaken only as long as the pixels of the small ones are fewer.
type turns struct {
	slots int

	mu      sync.Mutex
	free    int
	now     int64             // the number of the one begun last
	last    map[user.ID]int64 // the numbers of people's last ones
	waiting []*turn
}

type turn struct {
	number int64
	weight int // slots
	begin  chan struct{}
}

func newTurns(slots int) *turns {
	return &turns{slots: slots, free: slots, last: map[user.ID]int64{}}
}

// wait waits for the turn of a picture. Unless ok is false, because the context has ended, the
// caller must call done in the end.
func (t *turns) wait(ctx context.Context, by user.ID, pixels int) (done func(), ok bool) {
	own := t.add(by, pixels)
	select {
	case <-own.begin:
	case <-ctx.Done():
		if t.giveUp(own) {
			return nil, false
		}
	}
	return func() { t.end(own) }, true
}

func (t *turns) add(by user.ID, pixels int) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	own := &turn{number: max(t.now, t.last[by]) + int64(pixels), weight: 1, begin: make(chan struct{})}
	if pixels >= bigPicture {
		own.weight = t.slots
	}
	t.last[by] = own.number
	t.waiting = append(t.waiting, own)
	t.beginNext()
	return own
}

// giveUp reports whether the turn had not begun.
func (t *turns) giveUp(own *turn) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := slices.Index(t.waiting, own)
	if at >= 0 {
		t.waiting = slices.Delete(t.waiting, at, at+1)
		t.beginNext() // what waited for its slots
	}
	return at >= 0
}

func (t *turns) end(own *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free += own.weight
	t.beginNext()
}

// beginNext begins all for which there are slots. It never begins one before another with a
// lower number: a large one would wait for ever for all slots.
func (t *turns) beginNext() {
	for len(t.waiting) > 0 {
		next := slices.MinFunc(t.waiting, func(a, b *turn) int { return int(min(max(a.number-b.number, -1), 1)) })
		if next.weight > t.free {
			return
		}
		t.waiting = slices.DeleteFunc(t.waiting, func(w *turn) bool { return w == next })
		t.free, t.now = t.free-next.weight, max(t.now, next.number)
		maps.DeleteFunc(t.last, func(_ user.ID, number int64) bool { return number <= t.now })
		close(next.begin)
	}
}
