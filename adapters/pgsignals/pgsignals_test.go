package pgsignals_test

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/wakeup"
	"github.com/octavo-books/octavo/adapters/pgsignals"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/poll"
)

// process is one of several that share a database.
type process struct {
	*pgsignals.Signals
	hub      *wakeup.Hub
	arriving atomic.Bool
	losses   atomic.Int32
	stop     func()
	mu       sync.Mutex
	woken    map[user.ID]bool
	everyone int // how often everyone was woken
}

func start(t *testing.T, dsn string) *process {
	t.Helper()
	hub := wakeup.New()
	hub.SetNet(time.Hour)
	p := &process{hub: hub, woken: map[user.ID]bool{}}
	s := must.Get(pgsignals.New(dsn, slog.New(slog.NewTextHandler(t.Output(), nil)), hub, p))(t)
	p.Signals = s
	p.Receive(p.wake)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { p.Run(ctx) })
	p.stop = func() { cancel(); running.Wait() }
	t.Cleanup(p.stop)
	poll.For(t, "it listens", func() bool { return p.all() > 0 })
	return p
}

// Wake is a pgsignals.Hub's.
func (p *process) Wake(string) {}

// NotifyOthers is a pgsignals.Hub's.
func (p *process) NotifyOthers(func(string)) {}

// SetArriving is a pgsignals.Hub's.
func (p *process) SetArriving(arriving bool) {
	if p.arriving.Swap(arriving) && !arriving {
		p.losses.Add(1)
	}
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

func TestAProcessReceivesTheSignalsOfOthersAndNotItsOwn(t *testing.T) {
	t.Parallel()
	dsn := database.PostgresURL(t)
	one, two := start(t, dsn), start(t, dsn)
	var many []user.ID
	for i := range user.ID(5000) {
		many = append(many, 1<<62+i)
	}
	one.Send(many)
	poll.For(t, "two receives all signals", func() bool { return slices.Equal(two.users(), many) })
	two.Send([]user.ID{7})
	poll.For(t, "one receives the last signal", func() bool { return slices.Contains(one.users(), 7) })
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
	poll.For(t, "two receives one signal", func() bool { return len(two.users()) == 1 })
	many := make([]user.ID, 20_000)
	for i := range many {
		many[i] = user.ID(i + 1)
	}
	one.Send(many)
	poll.For(t, "two wakes everyone", func() bool { return two.all() > before })
}

func TestALostConnectionWakesEveryoneAndIsReplaced(t *testing.T) {
	t.Parallel()
	dsn := database.PostgresURL(t)
	one, two := start(t, dsn), start(t, dsn)
	before := two.all()
	keeper := database.Connect(t, dsn)
	must.Do(t, keeper.Write.Exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'octavo signals'").Error)
	one.Send([]user.ID{8}) // while there is no connection
	poll.For(t, "two wakes everyone when it is cut off, and when it listens again", func() bool { return two.all() >= before+2 })
	poll.For(t, "one listens again", func() bool { return one.all() >= 3 })
	two.Send([]user.ID{9})
	poll.For(t, "signals arrive again", func() bool { return slices.Contains(one.users(), 9) })
}

func TestAMalformedURLIsNotQuoted(t *testing.T) {
	_, err := pgsignals.New("postgres://octavo:secret@[::1/octavo", slog.New(slog.DiscardHandler))
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
}

// waits returns a channel that is closed when a loop of mails is woken.
func (p *process) waits(t *testing.T) <-chan struct{} {
	t.Helper()
	woken := make(chan struct{})
	go func() {
		defer close(woken)
		p.hub.Wait(t.Context(), "mails", time.Time{})
	}()
	return woken
}

// rest lets a process take the wake-up that the beginning of its signals causes.
func (p *process) rest(t *testing.T) {
	t.Helper()
	poll.For(t, "signals arrive", func() bool { return p.arriving.Load() })
	p.hub.Wake("mails")
	<-p.waits(t)
}

func TestATopicWakesTheLoopsOfOtherProcesses(t *testing.T) {
	t.Parallel()
	dsn := database.PostgresURL(t)
	one, two := start(t, dsn), start(t, dsn)
	one.rest(t)
	two.rest(t)
	woken, own := two.waits(t), one.waits(t)
	one.SendTopic("mails")
	one.Send([]user.ID{5})
	<-woken
	poll.For(t, "two receives the user, too", func() bool { return slices.Contains(two.users(), 5) })
	select {
	case <-own:
		t.Error("a process wakes itself")
	default:
	}
	db := database.Connect(t, dsn)
	write, _ := db.SQL()
	pgsignals.Once(write, slog.New(slog.DiscardHandler))("mails") // as a command does
	<-own
}

// A release that is older or newer sends words that this one does not know.
func TestUnknownWordsOfOtherReleasesAreIgnored(t *testing.T) {
	t.Parallel()
	dsn := database.PostgresURL(t)
	one := start(t, dsn)
	one.rest(t)
	before, woken := one.all(), one.waits(t)
	db := database.Connect(t, dsn)
	must.Do(t, db.Write.Exec("SELECT pg_notify('octavo_notified', p) FROM unnest(ARRAY['?! -1 a:b 99999999999999999999', 'later 7 mails', '* mails']) AS p").Error)
	<-woken
	poll.For(t, "the known user is woken", func() bool { return slices.Contains(one.users(), 7) })
	if n := len(one.users()); n != 1 || one.all() != before {
		t.Errorf("%d users, everyone %d times", n, one.all()-before)
	}
}

func TestALostConnectionMakesLoopsPollUntilSignalsArriveAgain(t *testing.T) {
	t.Parallel()
	dsn := database.PostgresURL(t)
	one := start(t, dsn)
	one.rest(t)
	woken, lost := one.waits(t), one.losses.Load()
	keeper := database.Connect(t, dsn)
	must.Do(t, keeper.Write.Exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'octavo signals'").Error)
	<-woken
	poll.For(t, "the loss is known", func() bool { return one.losses.Load() > lost })
	poll.For(t, "signals arrive again", func() bool { return one.arriving.Load() })
	<-one.waits(t)
}

func TestWhatIsSentJustBeforeTheEndStillArrives(t *testing.T) {
	t.Parallel()
	dsn := database.PostgresURL(t)
	one, two := start(t, dsn), start(t, dsn)
	one.rest(t)
	two.rest(t)
	woken := two.waits(t)
	one.Send([]user.ID{1}) // begins a pause between two statements
	poll.For(t, "two receives it", func() bool { return slices.Contains(two.users(), 1) })
	one.SendTopic("mails")
	one.stop()
	<-woken
}
