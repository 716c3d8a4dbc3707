package picture

import (
	"context"
	"slices"
	"testing"

	"github.com/octavo-books/octavo/domain/user"
)

// picked begins pictures one by one, after all have arrived, and returns their order.
func picked(t *testing.T, arrive func(add func(name string, by user.ID, pixels int))) (order []string) {
	t.Helper()
	q := newTurns(1)
	names := map[*turn]string{}
	current := q.add(99, bigPicture)
	arrive(func(name string, by user.ID, pixels int) { names[q.add(by, pixels)] = name })
	for range len(names) {
		waiting := slices.Clone(q.waiting)
		q.end(current)
		at := slices.IndexFunc(waiting, func(w *turn) bool { return !slices.Contains(q.waiting, w) })
		if at < 0 {
			t.Fatal("nothing begins")
		}
		current = waiting[at]
		order = append(order, names[current])
	}
	if q.end(current); q.free != 1 || len(q.last) != 0 {
		t.Errorf("left over: %+v", q)
	}
	return order
}

func TestSomebodysManyLargePicturesDoNotDelayOthers(t *testing.T) {
	order := picked(t, func(add func(string, user.ID, int)) {
		for _, name := range []string{"large 1", "large 2", "large 3"} {
			add(name, 1, 40_000_000)
		}
		add("bob's", 2, 12_000_000)
		add("cat's", 3, 2_000_000)
		add("cat's second", 3, 2_000_000)
	})
	if want := []string{"cat's", "cat's second", "bob's", "large 1", "large 2", "large 3"}; !slices.Equal(order, want) {
		t.Errorf("the order is %q, want %q", order, want)
	}
}

func TestALargePictureIsNotOvertakenForEver(t *testing.T) {
	q := newTurns(2)
	running := []*turn{q.add(1, 10_000_000), q.add(2, 10_000_000)}
	large := q.add(3, 40_000_000)
	for by := user.ID(4); slices.Contains(q.waiting, large); by++ {
		if by > 10 {
			t.Fatal("it still waits")
		}
		q.add(by, 10_000_000)
		if len(running) == 0 {
			continue
		}
		before := slices.Clone(q.waiting)
		q.end(running[0])
		running = running[1:]
		for _, w := range before {
			if w != large && !slices.Contains(q.waiting, w) {
				running = append(running, w)
			}
		}
	}
	if q.free != 0 || len(running) != 0 {
		t.Errorf("it is converted together with %d others", len(running))
	}
}

func TestAPictureThatIsGivenUpLeavesItsPlace(t *testing.T) {
	q := newTurns(1)
	first, ok := q.wait(t.Context(), 1, 100)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, waited := q.wait(cancelled, 2, 100); !ok || waited {
		t.Errorf("%v, %v", ok, waited)
	}
	first()
	if second, ok := q.wait(t.Context(), 3, 100); !ok {
		t.Error("no slot is left")
	} else {
		second()
	}
}
