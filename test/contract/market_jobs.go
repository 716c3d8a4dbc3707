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
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

func marketJobs(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"a job that always fails stops no other and is given up":  badJob,
		"operators retry and drop what was given up":              deadJobs,
		"a job about a book that is gone is done":                 jobOfNothing,
		"a job that panics fails":                                 panickingJob,
		"a failure that comes late does not undo another one":     lateFailure,
		"who waits for a job is woken when one is due once again": waitingJob,
	})
}

// unknown is a kind that no release knows.
const unknown market.JobKind = 99

func (b *MarketFixture) addJobs(t *testing.T, all ...market.Job) {
	t.Helper()
	succeed(t, b.atomically(t, func(ctx context.Context, s market.Stores) (err error) {
		for _, j := range all {
			err = errors.Join(err, s.Jobs.AddJob(ctx, j))
		}
		return err
	}))
}

// runJobs runs the jobs that are due, and returns how many of them fail.
func (b *MarketFixture) runJobs(t *testing.T, with *market.JobRunner) (failed int) {
	t.Helper()
	for {
		found, err := with.RunOne(t.Context())
		if !found {
			succeed(t, err)
			return failed
		}
		if err != nil {
			failed++
		}
	}
}

func (b *MarketFixture) countJobs(t *testing.T) market.JobCounts {
	t.Helper()
	c, err := b.Ports.CountJobs(t.Context(), b.Clock.Now())
	succeed(t, err)
	dead, err := b.Ports.CountDeadJobs(t.Context())
	if succeed(t, err); dead != c.Dead {
		t.Errorf("%d jobs are dead, of %+v", dead, c)
	}
	c.Oldest = time.Time{}
	return c
}

func badJob(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	bad := market.Job{ID: b.IDs.Next(), Kind: unknown, Subject: 7}
	b.addJobs(t, bad)
	for range 150 {
		b.aRequest(t, bob, book.RequestDraft{Name: "Algorithms", Course: "CSC 172"}, book.IndexEntry{Key: "c:csc172"})
	}
	b.Post(t, ann, algorithms())
	var log bytes.Buffer
	runner := b.Over(b.Deps, func(c *rooms.Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) }).Jobs
	if n := b.runJobs(t, runner); n != 1 {
		t.Errorf("%d jobs fail", n)
	}
	if n := count(b.NotificationsOf(t, bob), notification.MatchFound); n != 150 {
		t.Errorf("notified %d times, want 150", n)
	}
	if got, want := b.countJobs(t), (market.JobCounts{Waiting: 1}); got != want {
		t.Errorf("after a failure there are %+v", got)
	}
	began, tries := b.Clock.Now(), 1
	for ; tries < 20 && b.countJobs(t).Dead == 0; tries++ {
		all, err := b.Ports.ListJobs(t.Context(), 10)
		if succeed(t, err); len(all) != 1 || all[0].Attempts != tries || all[0].Error == "" || b.runJobs(t, runner) != 0 {
			t.Fatalf("after %d failures there is %+v, which is tried too early", tries, all)
		}
		b.Clock.Set(all[0].DueAt)
		if n := b.runJobs(t, runner); n != 1 {
			t.Fatalf("%d jobs fail when it is due", n)
		}
	}
	if took := b.Clock.Now().Sub(began); tries != market.MaxJobAttempts || took < 4*time.Hour || took > 24*time.Hour {
		t.Errorf("it is given up after %d attempts and %s", tries, took)
	}
	b.Clock.Advance(30 * 24 * time.Hour)
	if n := b.runJobs(t, runner); n != 0 {
		t.Error("what was given up is tried again")
	}
	for _, part := range []string{"given up", fmt.Sprintf("id=%d ", bad.ID), "subject=7", `kind="kind 99"`, "does not know"} {
		if !strings.Contains(log.String(), part) {
			t.Errorf("the log does not say %q: %s", part, log.String())
		}
	}
}

func deadJobs(t *testing.T, b *MarketFixture) {
	dead := market.Job{ID: b.IDs.Next(), Kind: unknown, Attempts: market.MaxJobAttempts, DueAt: b.Clock.Now(), Dead: true, Error: "broken"}
	other := market.Job{ID: b.IDs.Next(), Kind: unknown, Attempts: 2, DueAt: b.Clock.Now().Add(time.Hour), Error: "broken"}
	next := market.Job{ID: b.IDs.Next(), Kind: market.ForgetHits, Subject: 5, Key: "k", After: 6}
	b.addJobs(t, next, other, dead)
	if got, want := b.countJobs(t), (market.JobCounts{Waiting: 1, Due: 1, Dead: 1}); got != want {
		t.Errorf("counted %+v", got)
	}
	all, err := b.Ports.ListJobs(t.Context(), 2)
	if succeed(t, err); len(all) != 2 || all[0].ID != dead.ID || !all[0].Dead || all[0].Error != "broken" || all[1].ID != other.ID || !all[1].DueAt.Equal(other.DueAt) {
		t.Errorf("listed %+v", all)
	}
	if n, err := b.Ports.RetryJobs(t.Context()); err != nil || n != 1 {
		t.Errorf("retried %d, %v", n, err)
	}
	if got, want := b.countJobs(t), (market.JobCounts{Waiting: 1, Due: 2}); got != want {
		t.Errorf("after that there are %+v", got)
	}
	if n := b.runJobs(t, b.Jobs); n != 1 {
		t.Errorf("%d jobs fail", n)
	}
	if n, err := b.Ports.RetryJobs(t.Context(), other.ID, 999); err != nil || n != 1 {
		t.Errorf("retried %d, %v", n, err)
	}
	if n, err := b.Ports.DropJobs(t.Context(), other.ID, dead.ID, 999); err != nil || n != 2 {
		t.Errorf("dropped %d, %v", n, err)
	}
	if got := b.countJobs(t); got != (market.JobCounts{}) {
		t.Errorf("in the end there are %+v", got)
	}
}

func jobOfNothing(t *testing.T, b *MarketFixture) {
	for _, kind := range []market.JobKind{market.MatchBook, market.NotifyBookGone, market.MatchSearches, market.ForgetHits, market.NotifyPriceDrop, market.MatchRequest, market.PostImport} {
		b.addJobs(t, market.Job{ID: b.IDs.Next(), Kind: kind, Subject: 999})
	}
	if n := b.runJobs(t, b.Jobs); n != 0 {
		t.Errorf("%d jobs fail", n)
	}
	if got := b.countJobs(t); got != (market.JobCounts{}) {
		t.Errorf("there are %+v", got)
	}
}

// panicking is a store without books.
type panicking struct{ market.Store }

func (s panicking) Atomically(ctx context.Context, do func(context.Context, market.Stores) error) error {
	return s.Store.Atomically(ctx, func(ctx context.Context, in market.Stores) error {
		in.Books = nil
		return do(ctx, in)
	})
}

func panickingJob(t *testing.T, b *MarketFixture) {
	b.addJobs(t, market.Job{ID: b.IDs.Next(), Kind: market.MatchBook, Subject: 7})
	deps := b.Deps
	deps.Store = panicking{b.Deps.Store}
	if n := b.runJobs(t, b.Over(deps).Jobs); n != 1 {
		t.Errorf("%d jobs fail", n)
	}
	if got, want := b.countJobs(t), (market.JobCounts{Waiting: 1}); got != want {
		t.Errorf("there are %+v", got)
	}
}

func lateFailure(t *testing.T, b *MarketFixture) {
	job := market.Job{ID: b.IDs.Next(), Kind: unknown}
	b.addJobs(t, job)
	for _, failure := range []string{"first", "late"} {
		failed := job
		failed.Attempts, failed.Error, failed.DueAt = 1, failure, b.Clock.Now()
		succeed(t, b.atomically(t, func(ctx context.Context, s market.Stores) error {
			gone := failed
			gone.ID += 7
			return errors.Join(s.Jobs.FailJob(ctx, failed), s.Jobs.FailJob(ctx, gone))
		}))
	}
	if all, err := b.Ports.ListJobs(t.Context(), 5); err != nil || len(all) != 1 || all[0].Error != "first" || all[0].Attempts != 1 {
		t.Errorf("the jobs are %+v, %v", all, err)
	}
}

func waitingJob(t *testing.T, b *MarketFixture) {
	now := time.Now()
	b.addJobs(t, market.Job{ID: b.IDs.Next(), Kind: unknown, DueAt: now.Add(50 * time.Millisecond)})
	b.Ports.WaitForJobs(t.Context(), now) // the notification of the job
	wakes(t, "a job that is due once again", func(ctx context.Context) { b.Ports.WaitForJobs(ctx, now) }, func() {})
}
