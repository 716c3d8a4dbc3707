package work_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octavo-books/octavo/application/work"
	"github.com/octavo-books/octavo/domain/job"
)

// queue is a queue in memory, for the time of a bubble. Its jobs of one kind are a number.
type queue struct {
	work.Queue // of which the rest is not called
	mu         sync.Mutex
	jobs       map[job.Kind]int
	periodic   map[job.Kind]job.Job
	failed     []job.Job
	renewed    int
	broken     error
	woken      chan struct{}
	ids        int64
	back       atomic.Int64 // by how much the clock was put back
}

func newQueue() *queue {
	return &queue{jobs: map[job.Kind]int{}, periodic: map[job.Kind]job.Job{}, woken: make(chan struct{}, 1)}
}

func (q *queue) Now() time.Time { return time.Now().Add(-time.Duration(q.back.Load())) }

func (q *queue) Next() int64 { q.ids++; return q.ids }

func (q *queue) FindDue(context.Context, []job.Kind) (map[job.Kind]time.Time, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	due := map[job.Kind]time.Time{}
	for kind, n := range q.jobs {
		if n > 0 {
			due[kind] = time.Time{}
		}
	}
	for kind, j := range q.periodic {
		due[kind] = j.DueAt
	}
	return due, q.broken
}

func (q *queue) FailJob(_ context.Context, j job.Job) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.failed = append(q.failed, j)
	return nil
}

func (q *queue) WaitForJobs(ctx context.Context, next time.Time) {
	wait := time.Hour
	if !next.IsZero() {
		wait = min(time.Until(next), 20*time.Second)
	}
	select {
	case <-ctx.Done():
	case <-q.woken:
	case <-time.After(wait):
	}
}

func (q *queue) WakeWaiting() {
	select {
	case q.woken <- struct{}{}:
	default:
	}
}

func (q *queue) Schedule(_ context.Context, _ time.Time, all []job.Job) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, j := range all {
		q.periodic[j.Kind] = j
	}
	return nil
}

func (q *queue) Claim(_ context.Context, kind job.Kind, now, until time.Time) (job.Job, bool, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	j := q.periodic[kind]
	if j.DueAt.After(now) {
		return j, false, nil
	}
	j.Running, j.DueAt = true, until
	j.Attempts++
	q.periodic[kind] = j
	return j, true, nil
}

func (q *queue) Renew(_ context.Context, j job.Job, until time.Time) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.renewed++
	j.DueAt = until
	q.periodic[j.Kind] = j
	return nil
}

func (q *queue) Settle(_ context.Context, _, settled job.Job) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.periodic[settled.Kind] = settled
	return nil
}

// take returns the Take of a kind, whose jobs do do.
func (q *queue) take(kind job.Kind, do func(context.Context) error) work.Kind {
	return work.Jobs(kind, func(ctx context.Context) (job.Job, bool, error) {
		q.mu.Lock()
		found := q.jobs[kind] > 0
		q.jobs[kind]--
		q.mu.Unlock()
		if !found {
			return job.Job{}, false, nil
		}
		return job.Job{ID: 7, Kind: kind}, true, do(ctx)
	})
}

// run runs a worker during do, in a bubble, and returns what it logs.
func run(t *testing.T, q *queue, do func(), kinds ...work.Kind) string {
	t.Helper()
	var log bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		q.woken = make(chan struct{}, 1)
		w := work.NewWorker(work.Deps{Queue: q, Clock: q.Now, IDs: q.Next, Log: slog.New(slog.NewTextHandler(&log, nil))}, kinds...)
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { w.Run(ctx) })
		do()
		cancel()
		running.Wait()
	})
	return log.String()
}

// after waits in the time of the bubble, which passes at once.
func after(d time.Duration) { time.Sleep(d) } //nolint:forbidigo // it does not wait for real

func TestAKindThatHangsOrFloodsTheQueueDelaysNoOther(t *testing.T) {
	q, done := newQueue(), atomic.Int64{}
	q.jobs["hang"], q.jobs["quick"] = 1_000_000, 3
	run(t, q, func() {
		after(time.Second)
		if n := done.Load(); n != 3 {
			t.Errorf("%d jobs are done within a second, want 3", n)
		}
	}, q.take("hang", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }), q.take("quick", func(context.Context) error { done.Add(1); return nil }))
	if len(q.failed) != 0 {
		t.Errorf("what a stop has interrupted counts as failed: %+v", q.failed)
	}
}

func TestAsManyJobsOfAKindRunAtOnceAsItAllows(t *testing.T) {
	q, now, most := newQueue(), atomic.Int64{}, atomic.Int64{}
	q.jobs["slow"] = 100
	slow := q.take("slow", func(context.Context) error {
		most.Store(max(most.Load(), now.Add(1)))
		after(time.Second)
		now.Add(-1)
		return nil
	})
	slow.AtOnce = 4
	run(t, q, func() {
		after(30 * time.Second)
		q.mu.Lock()
		defer q.mu.Unlock()
		if n := q.jobs["slow"]; n > 0 || most.Load() != 4 {
			t.Errorf("%d jobs are left, and %d ran at once", n, most.Load())
		}
	}, slow)
}

func TestAJobThatTakesTooLongFails(t *testing.T) {
	q := newQueue()
	q.jobs["hang"] = 1
	log := run(t, q, func() { after(time.Hour) }, q.take("hang", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }))
	if len(q.failed) != 1 || q.failed[0].Attempts != 1 || q.failed[0].Error == "" || !strings.Contains(log, "tried again later") {
		t.Errorf("failed are %+v; logged %s", q.failed, log)
	}
}

func TestPeriodicWorkThatPanicsComesBackAndIsReported(t *testing.T) {
	q, runs := newQueue(), 0
	log := run(t, q, func() { after(20 * time.Minute) }, work.Periodic("sweep", time.Minute, func(context.Context) error {
		if runs++; runs < 12 {
			panic("no such table")
		}
		return nil
	}))
	if runs < 15 || runs > 30 || !strings.Contains(log, "panic: no such table") || !strings.Contains(log, "again and again") {
		t.Errorf("done %d times in 20 minutes; logged %s", runs, log)
	}
	if j := q.periodic["sweep"]; j.Attempts != 0 || j.Error != "" || j.Running {
		t.Errorf("after it has worked again: %+v", j)
	}
}

func TestLongPeriodicWorkKeepsItsLeaseAndAStopDoesNotCount(t *testing.T) {
	q, runs := newQueue(), 0
	run(t, q, func() { after(time.Minute) }, work.Periodic("sweep", time.Second, func(ctx context.Context) error {
		runs++
		<-ctx.Done()
		return ctx.Err()
	}))
	if j := q.periodic["sweep"]; runs != 1 || q.renewed < 10 || j.Running || j.Attempts != 0 || j.Error != "" {
		t.Errorf("begun %d times, renewed %d times, left as %+v", runs, q.renewed, j)
	}
}

func TestPeriodicWorkGoesOnWhenTheClockIsPutBack(t *testing.T) {
	q, runs := newQueue(), atomic.Int64{}
	log := run(t, q, func() {
		after(10*time.Minute + time.Second)
		if n := runs.Load(); n < 10 || n > 11 {
			t.Errorf("done %d times in ten minutes", n)
		}
		q.back.Store(int64(30 * time.Second))
		after(5 * time.Minute)
		q.back.Store(int64(24 * time.Hour))
		after(10 * time.Minute)
	}, work.Periodic("sweep", time.Minute, func(context.Context) error { runs.Add(1); return nil }))
	if n, all := strings.Count(log, "the clock was put back"), runs.Load(); all < 23 || all > 27 || n != 1 {
		t.Errorf("done %d times in 25 minutes; logged %d times: %s", all, n, log)
	}
}

func TestWorkGoesOnWhenTheQueueCanBeReadAgain(t *testing.T) {
	q, done := newQueue(), 0
	q.jobs["quick"], q.broken = 1, errors.New("no connection")
	log := run(t, q, func() {
		after(time.Minute)
		q.mu.Lock()
		q.broken = nil
		q.mu.Unlock()
		after(time.Minute)
	}, q.take("quick", func(context.Context) error { done++; return nil }))
	if n := strings.Count(log, "no background work can be done now"); done != 1 || n < 3 || n > 8 {
		t.Errorf("done %d times; logged %d times: %s", done, n, log)
	}
}
