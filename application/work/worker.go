package work

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/octavo-books/octavo/domain/job"
)

const (
	// While the queue cannot be read, a worker tries again after 1 s, doubling to 30 s.
	firstPause, longestPause = time.Second, 30 * time.Second
	// lookGap is the shortest time between two looks into the queue: on a busy day one look finds
	// the work of many commits.
	lookGap = 20 * time.Millisecond
	// raceGap follows a look for jobs that others do at this moment.
	raceGap = 500 * time.Millisecond
	// clockStep is by how much the clock must be put back before all periodic work is due at once.
	clockStep = time.Minute
)

// Deps are what a worker needs.
type Deps struct {
	Queue Queue
	Clock Clock
	IDs   IDs
	Log   *slog.Logger
}

// Worker does the work of its kinds, of each one job at a time or Kind.AtOnce: a kind that fails, hangs or floods
// the queue delays no other. Every process may have one.
type Worker struct {
	Deps
	kinds map[job.Kind]Kind

	mu   sync.Mutex
	busy map[job.Kind]int // how many goroutines work on it
}

// NewWorker returns a worker; Run starts it.
func NewWorker(d Deps, kinds ...Kind) *Worker {
	w := &Worker{Deps: d, kinds: map[job.Kind]Kind{}, busy: map[job.Kind]int{}}
	for _, k := range kinds {
		w.kinds[k.Name] = k
	}
	return w
}

// Run works until ctx ends, and then waits for what runs.
func (w *Worker) Run(ctx context.Context) {
	var running sync.WaitGroup
	w.retry(ctx, w.schedule)
	w.retry(ctx, func(ctx context.Context) error { return w.startAll(ctx, &running) })
	running.Wait()
}

// retry calls do until it succeeds or ctx ends.
func (w *Worker) retry(ctx context.Context, do func(context.Context) error) {
	for failures := 0; ctx.Err() == nil; failures++ {
		began := time.Now()
		err := do(ctx)
		if err == nil || ctx.Err() != nil {
			return
		}
		if time.Since(began) > longestPause {
			failures = 0
		}
		w.Log.ErrorContext(ctx, "no background work can be done now", "error", err)
		sleep(ctx, min(firstPause<<min(failures, 5), longestPause))
	}
}

// schedule adds the periodic work of this release.
func (w *Worker) schedule(ctx context.Context) error {
	now := w.Clock.Now()
	var all []job.Job
	for _, name := range w.names() {
		if w.kinds[name].Every > 0 {
			all = append(all, job.Job{ID: w.IDs.Next(), Kind: name, DueAt: now, Periodic: true})
		}
	}
	return w.Queue.Schedule(ctx, now, all)
}

func (w *Worker) names() []job.Kind { return slices.Sorted(maps.Keys(w.kinds)) }

// startAll starts the kinds that have work until the queue fails or ctx ends.
func (w *Worker) startAll(ctx context.Context, running *sync.WaitGroup) error {
	for last := w.Clock.Now(); ctx.Err() == nil; {
		if err := w.followClock(ctx, &last); err != nil {
			return err
		}
		due, next, err := w.findDue(ctx, w.idle())
		if err != nil {
			return err
		}
		for _, kind := range due {
			w.addBusy(kind, 1)
			running.Go(func() {
				w.doAll(ctx, w.kinds[kind])
				w.addBusy(kind, -1)
				w.Queue.WakeWaiting()
			})
		}
		sleep(ctx, lookGap)
		if !w.doesMore(due) {
			w.Queue.WaitForJobs(ctx, next)
		}
	}
	return nil
}

// doesMore reports whether one of the kinds may have another job that can be done at the same time.
func (w *Worker) doesMore(kinds []job.Kind) bool {
	idle := w.idle()
	return slices.ContainsFunc(kinds, func(k job.Kind) bool { return w.kinds[k].AtOnce > 1 && slices.Contains(idle, k) })
}

// followClock makes periodic work due if the clock was put back since the last look: by the new time, it
// would wait for as long again.
func (w *Worker) followClock(ctx context.Context, last *time.Time) error {
	now := w.Clock.Now()
	if now.Before(last.Add(-clockStep)) {
		w.Log.WarnContext(ctx, "the clock was put back: all periodic work is due now", "by", last.Sub(now).String())
		if err := w.schedule(ctx); err != nil {
			return err
		}
	}
	*last = now
	return nil
}

// findDue returns which of the kinds have work, the longest due first, and when the next of the
// others has; zero: never.
func (w *Worker) findDue(ctx context.Context, kinds []job.Kind) (due []job.Kind, next time.Time, err error) {
	if len(kinds) == 0 {
		return nil, next, nil
	}
	found, err := w.Queue.FindDue(ctx, kinds)
	now := w.Clock.Now()
	for kind, at := range found {
		if !at.After(now) {
			due = append(due, kind)
		} else if next.IsZero() || at.Before(next) {
			next = at
		}
	}
	slices.Sort(due)
	slices.SortStableFunc(due, func(a, b job.Kind) int { return found[a].Compare(found[b]) })
	return due, next, err
}

// doAll does the work of a kind that is due. If others do it at this moment, or if it cannot be
// taken, it waits a little.
func (w *Worker) doAll(ctx context.Context, k Kind) {
	for done := 0; ctx.Err() == nil; done++ {
		found, err := w.doOne(ctx, k)
		if found && k.Take != nil {
			continue
		}
		if err != nil && !found && ctx.Err() == nil {
			w.Log.ErrorContext(ctx, "a job cannot be taken now", "kind", k.Name, "error", err)
			sleep(ctx, firstPause)
		}
		if !found && done == 0 {
			sleep(ctx, raceGap)
		}
		return
	}
}

// doOne does one job of a kind, if one is due.
func (w *Worker) doOne(ctx context.Context, k Kind) (bool, error) {
	if k.Take != nil {
		return w.take(ctx, k)
	}
	return w.doPeriodic(ctx, k)
}

// RunOne does the job that is due longest, if there is one. The error of the job is returned, with
// true.
func (w *Worker) RunOne(ctx context.Context) (bool, error) {
	due, _, err := w.findDue(ctx, w.names())
	for _, kind := range due {
		if found, err := w.doOne(ctx, w.kinds[kind]); found || err != nil {
			return found, err
		}
	}
	return false, err
}

// idle lists the kinds of which no more runs here than may.
func (w *Worker) idle() []job.Kind {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.DeleteFunc(w.names(), func(k job.Kind) bool { return w.busy[k] >= max(1, w.kinds[k].AtOnce) })
}

func (w *Worker) addBusy(k job.Kind, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy[k] += n
}

func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
