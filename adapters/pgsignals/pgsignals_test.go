package pgsignals_test

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/pgsignals"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/database"
)

// process is one of several that share a database.
type process struct {
	*pgsignals.Signals
	mu       sync.Mutex
	woken    map[user.ID]bool
	everyone int // how often everyone was woken
}

func start(t *testing.T, dsn string) *process {
	t.Helper()
	s, err := pgsignals.New(dsn, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	p := &process{Signals: s, woken: map[user.ID]bool{}}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { p.Receive(ctx, p.wake) })
	t.Cleanup(func() { cancel(); running.Wait() })
	until(t, "it listens", func() bool { return p.all() > 0 })
	return p
}

func (p *process) wake(ids []user.ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ids == nil {
		p.everyone++
	}
	for _, id := range ids {
		p.woken[id] = true
	}
}

func (p *process) all() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.everyone
}

func (p *process) users() []user.ID {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.woken))
}

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); <-time.After(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("timed out waiting until %s", what)
		}
	}
}

func TestAProcessReceivesTheSignalsOfOthersAndNotItsOwn(t *testing.T) {
	t.Parallel()
	dsn := database.PostgresURL(t)
	one, two := start(t, dsn), start(t, dsn)
	var many []user.ID
	for i := range user.ID(5000) {
		many = append(many, 1<<62+i)
	}
	one.Send(many)
	until(t, "two receives all signals", func() bool { return slices.Equal(two.users(), many) })
	two.Send([]user.ID{7})
	until(t, "one receives the last signal", func() bool { return slices.Contains(one.users(), 7) })
	if n := len(one.users()); n != 1 {
		t.Errorf("one has received signals for %d users, want 1", n)
	}
}

func TestASignalForTooManyUsersWakesEveryone(t *testing.T) {
	t.Parallel()
	dsn := database.PostgresURL(t)
	one, two := start(t, dsn), start(t, dsn)
	before := two.all()
	one.Send([]user.ID{5, 5})
	until(t, "two receives one signal", func() bool { return len(two.users()) == 1 })
	many := make([]user.ID, 20_000)
	for i := range many {
		many[i] = user.ID(i + 1)
	}
	one.Send(many)
	until(t, "two wakes everyone", func() bool { return two.all() > before })
}

func TestALostConnectionWakesEveryoneAndIsReplaced(t *testing.T) {
	t.Parallel()
	dsn := database.PostgresURL(t)
	one, two := start(t, dsn), start(t, dsn)
	before := two.all()
	keeper := database.Connect(t, dsn)
	if err := keeper.Write.Exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'octavo signals'").Error; err != nil {
		t.Fatal(err)
	}
	one.Send([]user.ID{8}) // while there is no connection
	until(t, "two wakes everyone when it is cut off, and when it listens again", func() bool { return two.all() >= before+2 })
	until(t, "one listens again", func() bool { return one.all() >= 3 })
	two.Send([]user.ID{9})
	until(t, "signals arrive again", func() bool { return slices.Contains(one.users(), 9) })
}

func TestAMalformedURLIsNotQuoted(t *testing.T) {
	_, err := pgsignals.New("postgres://octavo:secret@[::1/octavo", slog.New(slog.DiscardHandler))
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
}
