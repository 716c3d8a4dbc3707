package contract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/work"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/job"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

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
