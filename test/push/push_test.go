// Package push_test runs several processes' relays and inboxes on one Postgres, with a PgBouncer in
// front of it and without. Their nets are so wide that only a notification or a due time explains
// what happens, unless a test says else.
package push_test

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/inboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/pgsignals"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/inbox/serving"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/poll"
	"gorm.io/gorm"
)

func TestMain(m *testing.M) { os.Exit(database.Main(m)) }

// process is a process on the database of a test.
type process struct {
	testing.TB
	db       *gormstore.DB
	arriving atomic.Bool
}

// Wake is a pgsignals.Hub's.
func (*process) Wake(string) {}

// NotifyOthers is a pgsignals.Hub's.
func (*process) NotifyOthers(func(string)) {}

// SetArriving is a pgsignals.Hub's.
func (p *process) SetArriving(arriving bool) { p.arriving.Store(arriving) }

// start starts a process whose net has an interval.
func start(t testing.TB, at address, net time.Duration) *process {
	t.Helper()
	p := &process{TB: t, db: connect(t, at)}
	p.db.Wakeups().SetNet(net)
	signals := must.Get(pgsignals.New(at.direct, log(t), p.db.Wakeups(), p))(t)
	p.run(signals.Run)
	poll.For(t, "notifications arrive", p.arriving.Load)
	return p
}

func log(t testing.TB) *slog.Logger { return slog.New(slog.NewTextHandler(t.Output(), nil)) }

// run runs a job until the test ends.
func (p *process) run(job func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { job(ctx) })
	p.Cleanup(func() { cancel(); running.Wait() })
}

// plain leaves secrets as they are.
type plain struct{}

func (plain) Seal(b []byte) ([]byte, error) { return b, nil }
func (plain) Open(b []byte) ([]byte, error) { return b, nil }

type meter struct{}

func (meter) CountOutcome(message.Kind, mailer.Outcome)    {}
func (meter) CountDelivery(string, string)                 {}
func (meter) ObserveForward(string, string, time.Duration) {}
func (meter) ObserveBacklog(inbox.Stats, time.Duration)    {}
func (meter) ObservePausedRules(int)                       {}
func (meter) CountUnmatched(string)                        {}

// mails records which messages are sent, and fails the first attempts.
type mails struct {
	mu    sync.Mutex
	fails []error
	sent  []int64
}

func (m *mails) PublishMessages(_ context.Context, all []message.Message) []error {
	m.mu.Lock()
	defer m.mu.Unlock()
	errs := make([]error, len(all))
	for i, one := range all {
		if len(m.fails) > 0 {
			errs[i], m.fails = m.fails[0], m.fails[1:]
			continue
		}
		m.sent = append(m.sent, one.ID)
	}
	return errs
}

func (m *mails) sends(ids ...int64) func() bool {
	return func() bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		return slices.Equal(m.sent, ids)
	}
}

// relay sends the mails of the outbox.
func (p *process) relay(to mailer.Publisher) {
	p.Helper()
	u := mailer.NewUnsubscriber(outboxstore.NewOptOuts(p.db), nil, plain{}, system.Clock{}.Now, "https://octavo.example/unsubscribe")
	r, err := mailer.NewRelay(mailer.Deps{Clock: system.Clock{}.Now, Meter: meter{}, Jitter: func() float64 { return 0 }, Log: log(p.TB)},
		outboxstore.NewOutbox(p.db, plain{}), to, u, mailer.DefaultConfig())
	must.Do(p, err)
	p.run(r.Run)
}

// mail commits a mail.
func (p *process) mail(id int64) {
	p.Helper()
	m := message.Message{ID: id, Kind: message.BookSold, To: "ann@x.edu", Lang: user.EN, CreatedAt: time.Now()}
	must.Do(p, p.db.Atomically(p.Context(), func(tx *gorm.DB) error { return outboxstore.AddMessages(tx, plain{}, m) }))
}

func TestAMailOfOneProcessIsSentByTheRelayOfAnother(t *testing.T) {
	onEach(t, func(t *testing.T, at address) {
		one, two, sent := start(t, at, time.Hour), start(t, at, time.Hour), &mails{}
		two.relay(sent)
		for id := range int64(3) {
			one.mail(id + 1)
			poll.For(t, "it is sent", sent.sends([]int64{1, 2, 3}[:id+1]...))
		}
	})
}

func TestAMailIsTriedAgainWhenItIsDue(t *testing.T) {
	onEach(t, func(t *testing.T, at address) {
		one, two, sent := start(t, at, time.Hour), start(t, at, time.Hour), &mails{fails: []error{errors.New("451"), errors.New("451")}}
		two.relay(sent)
		one.mail(1)
		poll.For(t, "the third attempt sends it", sent.sends(1))
	})
}

// The relay that claims a mail first cannot reach its mail server.
func TestAMailThatOneRelayCannotSendIsSentByAnother(t *testing.T) {
	onEach(t, func(t *testing.T, at address) {
		one, two := start(t, at, time.Hour), start(t, at, time.Hour)
		var down mails
		for range 1000 {
			down.fails = append(down.fails, mailer.ErrUnreachable)
		}
		one.relay(&down)
		one.mail(1)
		poll.For(t, "an attempt has failed", func() bool { down.mu.Lock(); defer down.mu.Unlock(); return len(down.fails) < 1000 })
		sent := &mails{}
		two.relay(sent)
		poll.For(t, "the other relay sends it", sent.sends(1))
		one.mail(2)
		poll.For(t, "the other relay sends the next one, too", sent.sends(1, 2))
	})
}

// A process that is killed between the commit and the notification notifies nobody.
func TestAMailWhoseNotificationIsLostIsSentByTheNet(t *testing.T) {
	onEach(t, func(t *testing.T, at address) {
		two, sent := start(t, at, 200*time.Millisecond), &mails{}
		two.relay(sent)
		killed := &process{TB: t, db: connect(t, at)}
		killed.mail(1)
		poll.For(t, "it is sent", sent.sends(1))
	})
}

// The database ends the connections and lets none of the name back in, as a pooler may.
func TestWithoutNotificationsMailsAreStillSent(t *testing.T) {
	onEach(t, func(t *testing.T, at address) {
		one, two, sent := start(t, at, time.Hour), start(t, at, time.Hour), &mails{}
		two.relay(sent)
		one.mail(1)
		poll.For(t, "it is sent", sent.sends(1))
		keeper := connect(t, at)
		cut := func() {
			must.Do(t, keeper.Write.Exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'octavo signals'").Error)
		}
		cut()
		poll.For(t, "the loss is known", func() bool { return !two.arriving.Load() })
		killed := &process{TB: t, db: keeper} // notifies nobody
		killed.mail(2)
		poll.For(t, "it is sent", func() bool { cut(); return sent.sends(1, 2)() })
		poll.For(t, "notifications arrive again", func() bool { return one.arriving.Load() && two.arriving.Load() })
		one.mail(3)
		poll.For(t, "it is sent", sent.sends(1, 2, 3))
	})
}

// target records the attempts, and fails the first ones.
type target struct {
	mu    sync.Mutex
	fails int
	got   []string
}

func (t *target) ForwardDelivery(_ context.Context, r inbox.ForwardRequest) (inbox.ForwardResponse, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.fails > 0 {
		t.fails--
		return inbox.ForwardResponse{Status: 503}, nil
	}
	t.got = append(t.got, r.ID)
	return inbox.ForwardResponse{Status: 200}, nil
}

func (t *target) gets(ids ...string) func() bool {
	return func() bool {
		t.mu.Lock()
		defer t.mu.Unlock()
		return slices.Equal(t.got, ids)
	}
}

func ports(store *inboxstore.Inbox, to *target) inbox.Ports {
	return inbox.Ports{

		Store: store, Forwarder: to, Meter: meter{}, Clock: system.Clock{}.Now, IDs: system.NewIDs(system.Clock{}, rand.Reader).Next, Random: rand.Reader,
	}
}

// webhooks runs the webhook service with one rule.
func (p *process) webhooks(to *target) *serving.Service {
	p.Helper()
	rules := must.Get(inbox.ParseForward("push=http://127.0.0.1:9/hook"))(p)
	store := inboxstore.New(p.db)
	p.Cleanup(func() { _ = store.Close() })
	s := must.Get(serving.New(ports(store, to), serving.DefaultConfig(), []inbox.Rule{rules}, "correct horse battery staple", log(p.TB)))(p)
	must.Do(p, s.Recover(p.Context()))
	p.run(s.Run)
	return s
}

func accept(t *testing.T, s *serving.Service, id string) {
	t.Helper()
	must.Do(t, s.Accept(t.Context(), webhook.Event{ID: id, Name: "push", Payload: []byte("{}")}, ""))
}

func TestACommandReachesARunningWebhookServiceAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, at address) {
		one, to := start(t, at, time.Hour), &target{}
		service := one.webhooks(to)
		accept(t, service, "a")
		poll.For(t, "it is forwarded", to.gets("a"))

		db := connect(t, at)
		write, _ := db.SQL()
		db.Wakeups().NotifyOthers(pgsignals.Once(write, log(t)))
		store := inboxstore.New(db)
		admin := inbox.NewAdmin(ports(store, nil))
		must.Get(admin.Redeliver(t.Context(), "", "a"))(t)
		poll.For(t, "it is forwarded again", to.gets("a", "a"))

		key := service.Rules()[0].Key()
		must.Do(t, admin.PauseRule(t.Context(), key))
		accepted := 0
		poll.For(t, "the rule is paused", func() bool {
			accepted++
			accept(t, service, "p"+string(rune('a'+accepted%26))+time.Now().String())
			jobs, err := store.CountJobs(t.Context())
			return err == nil && jobs.Open > 0
		})
		must.Do(t, admin.ResumeRule(t.Context(), key))
		poll.For(t, "the waiting ones are forwarded", func() bool {
			jobs, err := store.CountJobs(t.Context())
			return err == nil && jobs.Open == 0
		})
	})
}

func TestADeliveryIsTriedAgainWhenItIsDue(t *testing.T) {
	onEach(t, func(t *testing.T, at address) {
		to := &target{fails: 2}
		service := start(t, at, time.Hour).webhooks(to)
		accept(t, service, "a")
		poll.For(t, "the third attempt succeeds", to.gets("a"))
	})
}

// address is where processes reach a database: for statements and transactions at url, and for what
// needs a session at direct.
type address struct{ url, direct string }

// addresses are the ways to reach a migrated database.
var addresses = map[string]func(testing.TB) address{"without a pooler": migrated}

func migrated(t testing.TB) address {
	t.Helper()
	dsn := database.PostgresURL(t)
	must.Do(t, database.Connect(t, dsn).Migrate(t.Context(), outboxstore.Migrations, inboxstore.Migrations))
	return address{dsn, dsn}
}

func onEach(t *testing.T, test func(*testing.T, address)) {
	t.Parallel()
	for name, open := range addresses {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func connect(t testing.TB, at address) *gormstore.DB {
	t.Helper()
	db := database.Connect(t, at.url)
	if at.direct == at.url {
		return db
	}
	must.Do(t, db.UseSessionsOf(at.direct))
	return db
}
