package contract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/work"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/job"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func marketQueue(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"the order that has waited longest is first":                           oldestFirst,
		"each order of a list is confirmed, or the reason why not is returned": confirmAll,
	})
}

func oldestFirst(t *testing.T, b *MarketFixture) {
	_, bob, dean, first := b.aSale(t)
	ann := b.Join(t, "amy", user.Regular)
	books := []book.ID{first.ID}
	for range 3 {
		v := b.Post(t, ann, Draft("Physics", "PHY 121", 2000))
		b.Buy(t, bob, v.ID)
		books = append(books, v.ID)
	}
	queue := func(s buying.Stage) (ids []book.ID) {
		t.Helper()
		for _, page := range walk(t, 1, func(p market.Page) ([]market.OrderView, market.Cursor, error) {
			q, next, err := b.Orders.Queue(t.Context(), dean, s, p)
			if len(q.Orders) > 0 && q.Backlog.N != map[buying.Stage]int{buying.ToCheck: 3, buying.ToHandOver: 1}[s] {
				t.Errorf("the backlog at stage %d is %d", s, q.Backlog.N)
			}
			return q.Orders, next, err
		}) {
			for _, o := range page {
				ids = append(ids, o.Book)
			}
		}
		return ids
	}
	must.Get(b.Orders.Confirm(t.Context(), dean, books[1]))(t)
	if got := queue(buying.ToCheck); !slices.Equal(got, []book.ID{books[0], books[2], books[3]}) {
		t.Errorf("to check: %v", got)
	}
	if n, err := b.Ports.CountOrders(t.Context(), buying.ToCheck, "", 2); err != nil || n != 2 {
		t.Errorf("of three orders, at most two are counted as %d, %v", n, err)
	}
	if got := queue(buying.ToHandOver); !slices.Equal(got, books[1:2]) {
		t.Errorf("to hand over: %v", got)
	}
	if got := queue(buying.ToSettle); len(got) != 0 {
		t.Errorf("to settle: %v", got)
	}
}

func confirmAll(t *testing.T, b *MarketFixture) {
	ann, bob, dean, first := b.aSale(t)
	var ids []order.ID
	for range 3 {
		v := b.Post(t, ann, Draft("Physics", "PHY 121", 2000))
		ids = append(ids, b.Buy(t, bob, v.ID).Orders[0].ID)
	}
	must.Get(b.Orders.Withdraw(t.Context(), bob, ids[1], "because"))(t)
	must.Get(b.Orders.Confirm(t.Context(), dean, first.ID))(t)
	b.Clock.Advance(time.Minute)
	all := append([]order.ID{404, b.orderOf(t, bob).ID - 1_000_000}, ids...)
	done := must.Get(b.Orders.ConfirmAll(t.Context(), dean, all))(t)
	if len(done) != 3 {
		t.Fatalf("%d orders, want 3", len(done))
	}
	for i, c := range done {
		if c.Order.ID != ids[i] || (i == 1) != errors.Is(c.Err, book.ErrTransition) {
			t.Errorf("order %d: %+v", i, c)
		}
		if want := map[bool]order.Status{false: order.Verified, true: order.Cancelled}[i == 1]; c.Order.Status != want {
			t.Errorf("order %d is in status %d, want %d", i, c.Order.Status, want)
		}
	}
	again, err := b.Orders.ConfirmAll(t.Context(), dean, ids) // a replayed form charges nobody twice
	must.Do(t, err)
	for i, c := range again {
		if !errors.Is(c.Err, book.ErrTransition) || i != 1 && c.Order.Status != order.Verified {
			t.Errorf("again, order %d: %+v", i, c)
		}
	}
	b.CheckLedger(t)
	refused(t, must.Err(b.Orders.ConfirmAll(t.Context(), dean, make([]order.ID, market.MaxBulk+1))), buying.ErrTooManyOrders)
}

func marketJobs(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"a job that always fails stops no other and is given up": badJob,
		"a job about a book that is gone is done":                jobOfNothing,
		"a job that panics fails":                                panickingJob,
	})
}

func (b *MarketFixture) addJobs(t *testing.T, all ...job.Job) {
	t.Helper()
	must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) (err error) {
		for _, j := range all {
			err = errors.Join(err, s.AddJob(ctx, j))
		}
		return err
	}))
}

// runJobs runs the jobs that are due, and returns how many of them fail.
func (b *MarketFixture) runJobs(t *testing.T, with *work.Worker) (failed int) {
	t.Helper()
	for {
		found, err := with.RunOne(t.Context())
		if !found {
			must.Do(t, err)
			return failed
		}
		if err != nil {
			failed++
		}
	}
}

// jobsLeft lists the jobs in the queue.
func (b *MarketFixture) jobsLeft(t *testing.T) []job.Job {
	t.Helper()
	return must.Get(b.Work.ListJobs(t.Context(), 10))(t)
}

func badJob(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	bad := job.Job{ID: b.IDs.Next(), Kind: FailingJob, Subject: 7, Args: "{}", DueAt: b.Clock.Now()}
	b.addJobs(t, bad)
	for range 150 {
		b.aRequest(t, bob, book.RequestDraft{Name: "Algorithms", Course: "CSC 172"}, book.IndexEntry{Key: "c:csc172"})
	}
	b.Post(t, ann, algorithms())
	var log bytes.Buffer
	runner := b.NewWorker(b.Deps, slog.New(slog.NewTextHandler(&log, nil)))
	if n := b.runJobs(t, runner); n != 1 {
		t.Errorf("%d jobs fail", n)
	}
	if n := count(b.NotificationsOf(t, bob), notification.MatchFound); n != 150 {
		t.Errorf("notified %d times, want 150", n)
	}
	for tries := 1; tries < job.MaxAttempts; tries++ {
		all := b.jobsLeft(t)
		if len(all) != 1 || all[0].Attempts != tries || all[0].Dead || all[0].Error == "" || b.runJobs(t, runner) != 0 {
			t.Fatalf("after %d failures there is %+v, which is tried too early", tries, all)
		}
		b.Clock.Set(all[0].DueAt)
		if n := b.runJobs(t, runner); n != 1 {
			t.Fatalf("%d jobs fail when it is due", n)
		}
	}
	b.Clock.Advance(30 * 24 * time.Hour)
	if all := b.jobsLeft(t); len(all) != 1 || !all[0].Dead || b.runJobs(t, runner) != 0 {
		t.Errorf("in the end there is %+v, which is tried again", all)
	}
	for _, part := range []string{"given up", fmt.Sprintf("id=%d ", bad.ID), "subject=7", "kind=fail", "does not know"} {
		if !strings.Contains(log.String(), part) {
			t.Errorf("the log does not say %q: %s", part, log.String())
		}
	}
}

func jobOfNothing(t *testing.T, b *MarketFixture) {
	for _, kind := range market.NewJobs(b.Deps).Kinds() {
		b.addJobs(t, job.Job{ID: b.IDs.Next(), Kind: kind, Subject: 999, Args: market.JobArgs{}.String(), DueAt: b.Clock.Now()})
	}
	if n := b.runJobs(t, b.Jobs); n != 0 {
		t.Errorf("%d jobs fail", n)
	}
	if all := b.jobsLeft(t); len(all) != 0 {
		t.Errorf("there are %+v", all)
	}
}

// panicking is a store without books.
type panicking struct{ market.Store }

type noBooks struct{ market.Stores }

func (noBooks) LockBooks(context.Context, ...book.ID) ([]book.Book, error) { panic("no books") }

func (s panicking) Atomically(ctx context.Context, do func(context.Context, market.Stores) error) error {
	return s.Store.Atomically(ctx, func(ctx context.Context, in market.Stores) error { return do(ctx, noBooks{in}) })
}

func panickingJob(t *testing.T, b *MarketFixture) {
	b.addJobs(t, job.Job{ID: b.IDs.Next(), Kind: market.MatchBook, Subject: 7, Args: "{}", DueAt: b.Clock.Now()})
	deps := b.Deps
	deps.Store = panicking{b.Deps.Store}
	if n := b.runJobs(t, b.NewWorker(deps, slog.New(slog.DiscardHandler))); n != 1 {
		t.Errorf("%d jobs fail", n)
	}
	if all := b.jobsLeft(t); len(all) != 1 || !strings.Contains(all[0].Error, "panic") {
		t.Errorf("there are %+v", all)
	}
}
