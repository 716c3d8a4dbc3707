package courier_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octavo-books/octavo/application/courier"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/memstore"
)

// carrier takes what answer says nil to.
type carrier struct {
	mu     sync.Mutex
	taken  []message.Message
	tries  int
	answer func(try int, m message.Message) error
	last   time.Time
}

func (c *carrier) Carry(_ context.Context, messages []message.Message) []error {
	errs := make([]error, len(messages))
	for i, m := range messages {
		c.mu.Lock()
		c.tries++
		c.last = time.Now()
		try := c.tries
		c.mu.Unlock()
		if c.answer != nil {
			errs[i] = c.answer(try, m)
		}
		if errs[i] == nil {
			c.mu.Lock()
			c.taken = append(c.taken, m)
			c.mu.Unlock()
		}
	}
	return errs
}

// count is how many tries there were, and when the last was.
func (c *carrier) count() (int, time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tries, c.last
}

// first is the message that was taken before all others.
func (c *carrier) first() message.Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.taken[0]
}

func (c *carrier) ids() []int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []int64
	for _, m := range c.taken {
		all = append(all, m.ID)
	}
	return all
}

type wallClock struct{}

func (wallClock) Now() time.Time { return time.Now() }

// meter remembers verdicts.
type meter struct {
	mu       sync.Mutex
	verdicts []courier.Verdict
}

func (m *meter) Settled(_ message.Kind, v courier.Verdict) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.verdicts = append(m.verdicts, v)
}

// bench is a relay at work on an outbox in memory, in the time of synctest.
type bench struct {
	store
	relay   *courier.Relay
	optouts *courier.Unsubscribing
	meter   *meter
	log     *strings.Builder
	stop    func()
}

func start(t *testing.T, c courier.Carrier, config courier.Config) *bench {
	t.Helper()
	return startOn(t, memstore.NewOutbox(memstore.New()), c, config)
}

// store is an outbox in memory, or one that behaves otherwise before it.
type store interface {
	courier.Outbox
	courier.Upkeep
	courier.Optouts
	Add(ctx context.Context, messages ...message.Message) error
}

func startOn(t *testing.T, outbox store, c courier.Carrier, config courier.Config) *bench {
	t.Helper()
	b := &bench{store: outbox, meter: &meter{}, log: &strings.Builder{}}
	b.optouts = courier.NewUnsubscribing(outbox, openSealer{}, wallClock{}, "https://octavo.example/unsubscribe")
	relay, err := courier.NewRelay(courier.Kit{
		Clock: wallClock{}, Meter: b.meter, Luck: func() float64 { return 0.5 }, Log: slog.New(slog.NewTextHandler(b.log, nil)),
		Pages: map[message.Kind]string{message.BookSold: "https://octavo.example/sales"},
	}, outbox, c, b.optouts, config)
	if err != nil {
		t.Fatal(err)
	}
	b.relay = relay
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { relay.Run(ctx); close(done) }()
	b.stop = func() { cancel(); <-done }
	return b
}

func oneWorker() courier.Config {
	config := courier.DefaultConfig()
	config.Workers = 1
	return config
}

func (b *bench) add(t *testing.T, messages ...message.Message) {
	t.Helper()
	for i := range messages {
		messages[i].CreatedAt = time.Now()
	}
	if err := b.Add(t.Context(), messages...); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) census(t *testing.T) courier.Census {
	t.Helper()
	c, err := b.Census(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

type openSealer struct{}

func (openSealer) Seal(b []byte) ([]byte, error) { return slices.Concat([]byte("sealed"), b), nil }

func (openSealer) Open(b []byte) ([]byte, error) {
	if plain, ok := strings.CutPrefix(string(b), "sealed"); ok {
		return []byte(plain), nil
	}
	return nil, errors.New("not mine")
}

func sale(id int64) message.Message {
	return message.Message{ID: id, Kind: message.BookSold, To: "ann@x.edu", Lang: user.EN}
}

func TestAMessageIsCarriedAtOnceAndItsCodeErased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &carrier{}
		b := start(t, c, courier.DefaultConfig())
		defer b.stop()
		synctest.Wait()
		began := time.Now()
		b.add(t, message.Message{ID: 1, Kind: message.Verification, To: "ann@x.edu", Code: "12345678"})
		synctest.Wait()
		if got := c.ids(); !slices.Equal(got, []int64{1}) || time.Since(began) != 0 {
			t.Errorf("carried %v after %v", got, time.Since(began))
		}
		if c.first().Code != "12345678" {
			t.Error("the code was lost on the way")
		}
		if census := b.census(t); census != (courier.Census{}) {
			t.Errorf("census = %+v", census)
		}
	})
}

func TestAMailLeadsToThePageOfItsKindUnlessItHasALink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &carrier{}
		b := start(t, c, courier.BulkConfig())
		defer b.stop()
		b.add(t, message.Message{ID: 1, Kind: message.BookSold, To: "ann@x.edu"}, message.Message{ID: 2, Kind: message.BookSold, To: "ann@x.edu", Link: "https://octavo.example/own"},
			message.Message{ID: 3, Kind: message.PasswordChanged, To: "ann@x.edu"})
		synctest.Wait()
		links := map[int64]string{}
		for _, m := range c.taken {
			links[m.ID] = m.Link
		}
		if links[1] != "https://octavo.example/sales" || links[2] != "https://octavo.example/own" || links[3] != "" {
			t.Errorf("the links are %v", links)
		}
	})
}

func TestAFailedMessageComesBackLaterAndLaterUntilItIsDead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &carrier{answer: func(int, message.Message) error { return errors.New("451 greylisted") }}
		b := start(t, c, oneWorker())
		began := time.Now()
		b.add(t, sale(1))
		time.Sleep(36 * time.Hour)
		b.stop()
		tries, last := c.count()
		if tries != 36 {
			t.Errorf("%d tries", tries)
		}
		if took := last.Sub(began); took < 20*time.Hour || took > 32*time.Hour {
			t.Errorf("given up after %v", took)
		}
		if census := b.census(t); census.Dead != 1 || census.Waiting != 0 {
			t.Errorf("census = %+v", census)
		}
		if !strings.Contains(b.log.String(), "greylisted") {
			t.Errorf("the log says nothing: %s", b.log)
		}
	})
}

// The mail server puts off the first code again and again, then is well: whoever asks
// for another code meanwhile must not wait for the first one's next try.
func TestANewCodeIsSentAtOnceWhereAnOlderOneWaitsForItsNextTry(t *testing.T) {
	for _, kind := range []message.Kind{message.PasswordReset, message.Verification, message.Invitation} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			c := &carrier{answer: func(int, message.Message) error {
				if time.Since(began) < 5*time.Minute {
					return errors.New("451 greylisted")
				}
				return nil
			}}
			b := start(t, c, courier.DefaultConfig())
			defer b.stop()
			b.add(t, message.Message{ID: 1, Kind: kind, To: "ann@x.edu", Code: "11111111", ExpiresAt: began.Add(10 * time.Minute)})
			time.Sleep(6 * time.Minute)
			if tries, _ := c.count(); tries == 0 || len(c.ids()) != 0 {
				t.Fatalf("%s: %d tries, carried %v", kind, tries, c.ids())
			}
			b.add(t, message.Message{ID: 2, Kind: kind, To: "ann@x.edu", Code: "22222222", ExpiresAt: began.Add(16 * time.Minute)})
			time.Sleep(5 * time.Second)
			if got := c.ids(); !slices.Equal(got, []int64{1, 2}) {
				t.Errorf("%s: carried %v", kind, got)
			}
		})
	}
}

func TestWhatIsHopelessOrTooLateIsNotTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &carrier{answer: func(int, message.Message) error { return fmt.Errorf("550 no such user: %w", courier.ErrHopeless) }}
		b := start(t, c, oneWorker())
		defer b.stop()
		late := message.Message{ID: 2, Kind: message.PasswordReset, To: "bob@x.edu", Code: "12345678", ExpiresAt: time.Now()}
		b.add(t, sale(1), late)
		time.Sleep(time.Hour)
		if tries, _ := c.count(); tries != 1 {
			t.Errorf("%d tries", tries)
		}
		if census := b.census(t); census.Dead != 2 {
			t.Errorf("census = %+v", census)
		}
	})
}

func TestWhileNobodyIsThereMessagesWaitWithoutCountingTries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		back := time.Now().Add(24 * time.Hour)
		c := &carrier{answer: func(int, message.Message) error {
			if time.Now().Before(back) {
				return fmt.Errorf("dial: %w", courier.ErrUnreachable)
			}
			return nil
		}}
		config := oneWorker()
		b := start(t, c, config)
		defer b.stop()
		for i := range 20 {
			b.add(t, sale(int64(i+1)))
		}
		time.Sleep(time.Minute)
		if b.relay.Check(t.Context()) == nil {
			t.Error("nobody can tell that messages wait")
		}
		before, _ := c.count()
		time.Sleep(time.Hour)
		after, _ := c.count()
		if rounds := (after - before) / config.Batch; rounds > 200 {
			t.Errorf("%d rounds an hour against a server that is away", rounds)
		}
		time.Sleep(24 * time.Hour)
		if got := len(c.ids()); got != 20 || b.census(t).Dead != 0 {
			t.Errorf("%d of 20 were carried, %+v", got, b.census(t))
		}
		if err := b.relay.Check(t.Context()); err != nil {
			t.Errorf("still in trouble: %v", err)
		}
	})
}

// broken is an outbox whose database is away until back.
type broken struct {
	*memstore.Outbox
	back time.Time
}

func (b broken) Claim(ctx context.Context, now, until time.Time, n int) ([]courier.Claimed, error) {
	if time.Now().Before(b.back) {
		return nil, errors.New("no database")
	}
	return b.Outbox.Claim(ctx, now, until, n)
}

func TestWhileTheDatabaseIsAwayTheRelayWaitsForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &carrier{}
		outbox := memstore.NewOutbox(memstore.New())
		if err := outbox.Add(t.Context(), sale(1)); err != nil {
			t.Fatal(err)
		}
		b := startOn(t, broken{outbox, time.Now().Add(time.Hour)}, c, courier.DefaultConfig())
		defer b.stop()
		time.Sleep(time.Minute)
		if b.relay.Check(t.Context()) == nil {
			t.Error("nobody can tell that messages wait")
		}
		time.Sleep(time.Hour)
		if got := c.ids(); len(got) != 1 || b.relay.Check(t.Context()) != nil {
			t.Errorf("carried %v, %v", got, b.relay.Check(t.Context()))
		}
	})
}

func TestWhenNothingWaitsAServerThatWasAwayIsNoTrouble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &carrier{answer: func(int, message.Message) error { return courier.ErrUnreachable }}
		b := start(t, c, courier.DefaultConfig())
		defer b.stop()
		b.add(t, message.Message{ID: 1, Kind: message.PasswordReset, To: "ann@x.edu", Code: "12345678", ExpiresAt: time.Now().Add(10 * time.Minute)})
		time.Sleep(time.Minute)
		if b.relay.Check(t.Context()) == nil {
			t.Error("nobody can tell that a message waits")
		}
		time.Sleep(15 * time.Minute)
		if err := b.relay.Check(t.Context()); err != nil || b.census(t).Dead != 1 {
			t.Errorf("check: %v, %+v", err, b.census(t))
		}
	})
}

func TestThoseWhoDeclinedGetNoOptionalMailAndAllOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &carrier{}
		b := start(t, c, courier.DefaultConfig())
		defer b.stop()
		match := message.Message{ID: 1, Kind: message.MatchFound, To: "ann@x.edu", Params: map[string]string{message.ParamBook: "Algebra"}}
		b.add(t, match)
		synctest.Wait()
		link := c.first().Params[message.ParamStop]
		token, found := strings.CutPrefix(link, "https://octavo.example/unsubscribe?token=")
		if !found {
			t.Fatalf("link = %q", link)
		}
		if _, touched := match.Params[message.ParamStop]; touched {
			t.Error("the caller's parameters were changed")
		}
		for range 2 {
			if err := b.optouts.Do(t.Context(), token); err != nil {
				t.Fatal(err)
			}
		}
		match.ID = 2
		other := match
		other.ID, other.To = 3, "bob@x.edu"
		b.add(t, match, other, sale(4))
		time.Sleep(time.Second)
		b.stop()
		got := c.ids()
		slices.Sort(got)
		if !slices.Equal(got, []int64{1, 3, 4}) {
			t.Errorf("carried %v", got)
		}
		if c.taken[len(c.taken)-1].Kind == message.BookSold && c.taken[len(c.taken)-1].Params[message.ParamStop] != "" {
			t.Error("a mail about an order can be declined")
		}
	})
}

func TestAnUnsubscribeLinkOfSomebodyElsesMakingIsRefused(t *testing.T) {
	o := memstore.NewOutbox(memstore.New())
	u := courier.NewUnsubscribing(o, openSealer{}, wallClock{}, "")
	for _, token := range []string{"", "!", "YW5uQHguZWR1", "=="} {
		if err := u.Do(t.Context(), token); !errors.Is(err, courier.ErrLink) {
			t.Errorf("%q: %v", token, err)
		}
	}
}

func TestStoppingFinishesWhatIsInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &carrier{answer: func(int, message.Message) error { time.Sleep(5 * time.Second); return nil }}
		b := start(t, c, courier.DefaultConfig())
		b.add(t, sale(1))
		time.Sleep(time.Second)
		b.stop()
		if census := b.census(t); len(c.ids()) != 1 || census.Waiting != 0 {
			t.Errorf("carried %v, %+v", c.ids(), census)
		}
	})
}

func TestWhileAMessageIsInFlightNobodyElseGetsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &carrier{answer: func(int, message.Message) error { time.Sleep(50 * time.Second); return nil }}
		b := start(t, c, courier.DefaultConfig())
		defer b.stop()
		b.add(t, sale(1))
		for range 45 {
			time.Sleep(time.Second)
			if got, err := b.Claim(t.Context(), time.Now(), time.Now().Add(time.Minute), 1); err != nil || len(got) != 0 {
				t.Fatalf("claimed %v, %v", got, err)
			}
		}
		time.Sleep(time.Minute)
		if tries, _ := c.count(); tries != 1 || b.census(t).Waiting != 0 {
			t.Errorf("%d tries, %+v", tries, b.census(t))
		}
	})
}

func TestWhatACrashLeftIsTakenUpSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outbox := memstore.NewOutbox(memstore.New())
		if err := outbox.Add(t.Context(), sale(1)); err != nil {
			t.Fatal(err)
		}
		config := courier.DefaultConfig()
		if _, err := outbox.Claim(t.Context(), time.Now(), time.Now().Add(config.Lease), 1); err != nil {
			t.Fatal(err)
		}
		c := &carrier{}
		b := startOn(t, outbox, c, config)
		defer b.stop()
		time.Sleep(15 * time.Second)
		if got := c.ids(); len(got) != 1 {
			t.Errorf("carried %v", got)
		}
	})
}

// stuck waits for as long as it may.
type stuck struct{}

func (stuck) Carry(ctx context.Context, messages []message.Message) []error {
	<-ctx.Done()
	errs := make([]error, len(messages))
	for i := range errs {
		errs[i] = ctx.Err()
	}
	return errs
}

func TestWhatDoesNotEndInTimeIsPutBackForTheNextProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, stuck{}, courier.DefaultConfig())
		b.add(t, sale(1))
		time.Sleep(time.Second)
		began := time.Now()
		b.stop()
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("the stop took %v", took)
		}
		now := time.Now()
		got, err := b.Claim(t.Context(), now, now.Add(time.Minute), 1)
		if err != nil || len(got) != 1 || got[0].Try != 1 {
			t.Errorf("claimed %v, %v", got, err)
		}
	})
}

func TestWhatEndedLongAgoIsSwept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outbox := memstore.NewOutbox(memstore.New())
		day := 24 * time.Hour
		settled := func(id int64, v courier.Verdict, ago time.Duration) {
			if err := outbox.Add(t.Context(), sale(id)); err != nil {
				t.Fatal(err)
			}
			if err := outbox.Settle(t.Context(), time.Now().Add(-ago), []courier.Outcome{{Claimed: courier.Claimed{Message: sale(id)}, Verdict: v}}); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 600 {
			settled(int64(i+1), courier.Sent, 8*day)
		}
		settled(1000, courier.Dead, 8*day)
		settled(1001, courier.Dead, 91*day)
		settled(1002, courier.Sent, 6*day)
		b := startOn(t, outbox, &carrier{}, courier.DefaultConfig())
		defer b.stop()
		synctest.Wait()
		if left, err := b.Sweep(t.Context(), time.Now(), time.Now(), 10); err != nil || left != 2 {
			t.Errorf("%d are left of the young ones, %v", left, err)
		}
	})
}

func TestAConfigThatCannotWorkIsRefused(t *testing.T) {
	for _, config := range []courier.Config{{}, {Workers: 1, Batch: 1}, {Workers: 1, Batch: -1, Lease: time.Minute}} {
		if _, err := courier.NewRelay(courier.Kit{}, nil, nil, nil, config); err == nil {
			t.Errorf("%+v was taken", config)
		}
	}
}
