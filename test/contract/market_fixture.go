package contract

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/application/market/pushing"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/application/work"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/job"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/fake"
	"github.com/octavo-books/octavo/test/must"
)

// MarketPorts are all ports of the market that one adapter implements.
type MarketPorts = rooms.Storage

// MarketBackend is an empty store, and access to what the ports do not show.
type MarketBackend struct {
	Ports   MarketPorts
	Work    WorkQueue
	AddUser func(testing.TB, user.User)
	Erase   func(testing.TB, market.Deps, time.Time, user.ID) // deletes an account as the auth service does
	// Accounts are those of the auth service, with the hooks of the market. When one is
	// withdrawn, first runs before anything else.
	Accounts func(d market.Deps, first ...func(context.Context, market.Stores) error) authrooms.Storage
	Mails    func(testing.TB) []message.Message
	Audits   func(testing.TB) []audit.Entry
	Events   func(testing.TB) []event.Stored // in the outbox, in its order
}

// MarketFixture has all use cases of the market over one store. Its clock advances only by
// Advance.
type MarketFixture struct {
	MarketBackend
	Clock         *fake.Clock
	IDs           *fake.IDs
	Deps          market.Deps
	*rooms.Market // its Meetings are as if HANDOVER were both
	Jobs          *work.Worker
	Pictures      *fake.Pictures
	Blobs         *fake.Blobs
	Push          *fake.Push
}

// Fee is the market's fee in basis points.
const Fee = 500

// NewMarketFixture returns the market over a store.
func NewMarketFixture(backend MarketBackend) *MarketFixture {
	p, clock, ids := backend.Ports, fake.NewClock(), &fake.IDs{}
	b := &MarketFixture{
		MarketBackend: backend, Clock: clock, IDs: ids, Pictures: &fake.Pictures{}, Blobs: fake.NewBlobs(), Push: &fake.Push{},
		Deps: rooms.Join(market.Deps{Store: p, Clock: clock.Now, IDs: ids.Next, Notifier: market.NewNotifier(), Guard: new(market.CurrencyGuard), PublishEvents: true}, p),
	}
	b.Market = b.Over(b.Deps)
	b.Jobs = b.NewWorker(b.Deps, slog.New(slog.DiscardHandler))
	meets := b.Deps
	meets.Handover = meeting.Both
	b.Meetings = b.Over(meets).Meetings
	return b
}

// Over returns the use cases with other dependencies. Changes are to what the fixture tells the rooms.
func (b *MarketFixture) Over(d market.Deps, changes ...func(*rooms.Config)) *rooms.Market {
	c := rooms.Config{
		Fee: Fee, Threshold: report.Threshold{Reports: ReportThreshold, MinPrice: 500}, Handovers: HandoverSecret, Zone: time.UTC,
		Blobs: b.Blobs, Pictures: b.Pictures, Suspend: suspender{b}.SuspendAccount, Push: b.Push.Config(nil),
	}
	for _, change := range changes {
		change(&c)
	}
	return rooms.New(d, b.Ports, c)
}

// NewWorker returns a worker for the jobs of the market, and for those of a kind that always fails.
func (b *MarketFixture) NewWorker(d market.Deps, log *slog.Logger) *work.Worker {
	jobs := market.NewJobs(d)
	var kinds []work.Kind
	for _, kind := range append(jobs.Kinds(), FailingJob) {
		kinds = append(kinds, work.Jobs(kind, func(ctx context.Context) (job.Job, bool, error) { return jobs.Take(ctx, kind) }))
	}
	kinds = append(kinds, work.Leased(pushing.Job, b.Work, b.Clock.Now, b.Over(d).Pushes.Send))
	return work.NewWorker(work.Deps{Queue: b.Work, Clock: b.Clock.Now, IDs: b.IDs.Next, Log: log}, kinds...)
}

// FailingJob is a kind that the market does not know.
const FailingJob job.Kind = "fail"

// HandoverSecret is the key of the codes of hand-overs.
var HandoverSecret = meeting.Secret("a secret of the tests, and only of them")

// ReportThreshold is how many reports of people who have traded enough hide a book.
const ReportThreshold = 3

// Join creates an account with a student profile.
func (b *MarketFixture) Join(t testing.TB, name string, role user.Role) user.Caller {
	t.Helper()
	return b.JoinAt(t, name, "University of Rochester", role)
}

// JoinAt is Join at another university.
func (b *MarketFixture) JoinAt(t testing.TB, name, university string, role user.Role) user.Caller {
	t.Helper()
	id := user.ID(b.IDs.Next())
	b.AddUser(t, user.User{
		ID: id, Email: user.Email(text.Fold(name) + "@rochester.edu"), Role: role, Lang: user.EN, Verified: true, CreatedAt: b.Clock.Now(),
		Profile: &user.Profile{
			FirstName: name, LastName: "Of " + name, University: university, CampusMailbox: "CPU " + name, PaymentUsername: "pay-" + name,
		},
	})
	return user.Caller{ID: id, Role: role, Student: true, From: user.ClientInfo{IP: "192.0.2.7"}}
}

// DeleteUser deletes an account.
func (b *MarketFixture) DeleteUser(t testing.TB, who user.Caller) {
	t.Helper()
	b.Erase(t, b.Deps, b.Clock.Now(), who.ID)
}

// Draft is a valid draft of a book.
func Draft(name, course string, price money.Amount) book.Draft {
	return book.Draft{
		Name: name, Course: course, Edition: 3, Price: price, Condition: "Good",
		Date: time.Date(2026, time.September, 1, 0, 0, 0, 0, time.UTC),
	}
}

// Post posts a book and advances the clock.
func (b *MarketFixture) Post(t testing.TB, by user.Caller, d book.Draft) market.BookView {
	t.Helper()
	v := must.Get(b.Listings.Post(t.Context(), by, d))(t)
	b.Clock.Advance(time.Minute)
	return v
}

// Request requests a book and advances the clock.
func (b *MarketFixture) Request(t testing.TB, by user.Caller, d book.RequestDraft) (book.Request, []market.MatchView) {
	t.Helper()
	r, matches := must.Get2(b.Requests.Add(t.Context(), by, d))(t)
	b.Clock.Advance(time.Minute)
	return r, matches
}

// Buy checks out books and advances the clock.
func (b *MarketFixture) Buy(t testing.TB, by user.Caller, ids ...book.ID) buying.Receipt {
	t.Helper()
	r := must.Get(b.Checkout.Do(t.Context(), by, buying.Basket{Books: ids}))(t)
	b.Clock.Advance(time.Minute)
	return r
}

// NotificationsOf lists the kinds of a user's notifications after the welcome, oldest first.
func (b *MarketFixture) NotificationsOf(t testing.TB, who user.Caller) []notification.Kind {
	t.Helper()
	all := must.Get(b.Ports.ListNotificationsAfter(t.Context(), who.ID, 0, 1000))(t)
	kinds := []notification.Kind{}
	for i, n := range all {
		if welcome := n.Kind == notification.Welcome; welcome != (i == 0) {
			t.Errorf("notification %d is %+v", i+1, n)
		}
		kinds = append(kinds, n.Kind)
	}
	return kinds[min(1, len(kinds)):]
}

// MailsTo lists the kinds of the mails to an address, oldest first.
func (b *MarketFixture) MailsTo(t testing.TB, email user.Email) []message.Kind {
	t.Helper()
	var kinds []message.Kind
	for _, m := range b.Mails(t) {
		if m.To == email {
			kinds = append(kinds, m.Kind)
		}
	}
	return kinds
}

// RunAllJobs runs jobs until none is left, and returns how many transactions that took.
func (b *MarketFixture) RunAllJobs(t testing.TB) (steps int) {
	t.Helper()
	for {
		found := must.Get(b.Jobs.RunOne(t.Context()))(t)
		if !found {
			return steps
		}
		steps++
	}
}

// CheckLedger fails the test if the ledger check finds an inconsistency.
func (b *MarketFixture) CheckLedger(t tester) {
	t.Helper()
	inconsistencies := must.Get(b.Ledger.Check(t.Context()))(t)
	for _, d := range inconsistencies {
		t.Errorf("order %d, book %d: %s", d.Order, d.Book, d.What)
	}
	b.checkMoney(t)
}

// checkMoney checks that the statistics sum up what the ledger has.
func (b *MarketFixture) checkMoney(t tester) {
	t.Helper()
	var moved, fees money.Amount
	must.Do(t, b.Ports.WalkOrders(t.Context(), func(o buying.OrderAccount) error {
		moved, fees = moved+o.Balances.Escrow+o.Balances.Sellers, fees+o.Balances.Fees
		return nil
	}))
	d := must.Get(b.Ports.ReadDashboard(t.Context(), "", []time.Time{{}, b.Clock.Now().Add(time.Hour)}))(t)
	if day := guarding.Total(d.Daily); d.MoneyMoved != moved || d.FeesEarned != fees || day.Money != moved || day.Fees != fees {
		t.Errorf("moved %d, fees %d, by day %d and %d; want %d and %d", d.MoneyMoved, d.FeesEarned, day.Money, day.Fees, moved, fees)
	}
}

// tester is the common part of testing.TB and rapid.T.
type tester interface {
	Context() context.Context
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
}
