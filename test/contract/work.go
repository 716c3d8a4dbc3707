package contract

import (
	"context"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/work"
	"github.com/octavo-books/octavo/domain/job"
	"github.com/octavo-books/octavo/test/must"
)

// WorkQueue is all that an adapter implements of the queue of background work.
type WorkQueue interface {
	work.Queue
	work.Timetable
	work.Admin
	work.Retention
}

// WorkBackend is an empty queue, with what other stores do to it in their transactions.
type WorkBackend interface {
	WorkQueue
	AddJobs(ctx context.Context, all ...job.Job) error
	// TakeJob takes a job and calls do, in one transaction.
	TakeJob(ctx context.Context, kind job.Kind, now time.Time, do func(job.Job, bool) error) error
}

// Work checks the promises of the queue of background work. open returns an empty one.
func Work(t *testing.T, open func(t *testing.T) WorkBackend) {
	for name, test := range map[string]func(*testing.T, WorkBackend){
		"a job is taken once, the longest due of its kind first":              jobsAreTakenOnce,
		"a job whose transaction fails is still there":                        failedTransactionsKeepJobs,
		"many transactions take each job once":                                jobsAreShared,
		"each kind says when its next job is due":                             nextJobsAreFound,
		"a job that failed is due later, and one that is given up never":      failedJobsWait,
		"a failure that comes late does not undo another one":                 lateFailuresChangeNothing,
		"periodic work is one row a kind, which one process has at a time":    periodicWorkIsClaimedOnce,
		"periodic work comes back if its process died":                        lostLeasesComeBack,
		"who has lost a lease cannot settle":                                  lostLeasesCannotSettle,
		"a start makes periodic work due":                                     startsMakeDue,
		"jobs are counted by kind and state":                                  jobsAreCounted,
		"what needs an operator comes first":                                  stuckJobsComeFirst,
		"operators retry and drop jobs, but no periodic work":                 operatorsRetryAndDrop,
		"periodic work that nobody does can be dropped":                       abandonedSweepsCanBeDropped,
		"only jobs given up long ago are deleted":                             onlyOldDeadJobsAreDeleted,
		"adding and retrying jobs wakes, and so does one that falls due":      jobsWake,
		"one kind with very many jobs does not slow down the look for others": manyJobsAreFoundFast,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

const (
	sweepKind job.Kind = "sweep"
	oddKind   job.Kind = "odd"
	evenKind  job.Kind = "even"
)

// take takes a job of a kind; the zero job if there is none.
func take(t *testing.T, q WorkBackend, kind job.Kind, now time.Time) (taken job.Job) {
	t.Helper()
	must.Do(t, q.TakeJob(t.Context(), kind, now, func(j job.Job, found bool) error {
		if taken = j; found != (j.ID != 0) {
			t.Errorf("found %v: %+v", found, j)
		}
		return nil
	}))
	return taken
}

func listJobs(t *testing.T, q WorkBackend) []job.Job {
	t.Helper()
	return must.Get(q.ListJobs(t.Context(), 1000))(t)
}

func jobsAreTakenOnce(t *testing.T, q WorkBackend) {
	first := job.Job{ID: 1, Kind: oddKind, Subject: 7, Args: `{"key":"w:it"}`, DueAt: monday}
	second := job.Job{ID: 3, Kind: oddKind, Subject: 8, Args: "{}", DueAt: monday, Attempts: 2, Error: "once"}
	third := job.Job{ID: 2, Kind: oddKind, DueAt: monday.Add(time.Second)}
	other := job.Job{ID: 4, Kind: evenKind, DueAt: monday.Add(-time.Hour)}
	must.Do(t, q.AddJobs(t.Context(), third, second, other, first))
	for _, want := range []job.Job{first, second, {}} {
		if got := take(t, q, oddKind, monday); got != want {
			t.Errorf("took %+v, want %+v", got, want)
		}
	}
	if got := take(t, q, oddKind, monday.Add(time.Second)); got != third {
		t.Errorf("took %+v, want %+v", got, third)
	}
}

func failedTransactionsKeepJobs(t *testing.T, q WorkBackend) {
	j := job.Job{ID: 1, Kind: oddKind, DueAt: monday}
	must.Do(t, q.AddJobs(t.Context(), j))
	refused(t, q.TakeJob(t.Context(), oddKind, monday, func(job.Job, bool) error { return errBroken }), errBroken)
	if got := take(t, q, oddKind, monday); got != j {
		t.Errorf("took %+v, want %+v", got, j)
	}
}

func jobsAreShared(t *testing.T, q WorkBackend) {
	const n = 40
	for i := range n {
		must.Do(t, q.AddJobs(t.Context(), job.Job{ID: int64(i + 1), Kind: oddKind, DueAt: monday}))
	}
	var mu sync.Mutex
	taken := map[int64]int{}
	together(4, func(int) {
		for left := true; left; {
			var id int64
			err := q.TakeJob(t.Context(), oddKind, monday, func(j job.Job, found bool) error { left, id = found, j.ID; return nil })
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			taken[id]++
			mu.Unlock()
		}
	})
	for id, times := range taken {
		if id != 0 && times != 1 {
			t.Errorf("job %d was taken %d times", id, times)
		}
	}
	if len(taken) != n+1 {
		t.Errorf("%d jobs were taken, want %d", len(taken)-1, n)
	}
}

func nextJobsAreFound(t *testing.T, q WorkBackend) {
	must.Do(t, q.AddJobs(t.Context(),
		job.Job{ID: 1, Kind: oddKind, DueAt: monday.Add(time.Hour)}, job.Job{ID: 3, Kind: oddKind, DueAt: monday},
		job.Job{ID: 2, Kind: evenKind, DueAt: monday.Add(time.Minute)}, job.Job{ID: 4, Kind: evenKind, DueAt: monday, Dead: true},
		job.Job{ID: 5, Kind: "unasked", DueAt: monday}))
	got := must.Get(q.FindDue(t.Context(), []job.Kind{oddKind, evenKind, sweepKind}))(t)
	if want := (map[job.Kind]time.Time{oddKind: monday, evenKind: monday.Add(time.Minute)}); !reflect.DeepEqual(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}

func failedJobsWait(t *testing.T, q WorkBackend) {
	j, now := job.Job{ID: 1, Kind: oddKind, DueAt: monday}, monday
	must.Do(t, q.AddJobs(t.Context(), j))
	for !j.Dead {
		if got := take(t, q, oddKind, now.Add(-time.Second)); got.ID != 0 {
			t.Fatalf("took %+v too early", got)
		}
		j = j.Fail("broken", 0, now)
		must.Do(t, q.FailJob(t.Context(), j))
		if all := listJobs(t, q); len(all) != 1 || all[0] != j {
			t.Fatalf("there is %+v, want %+v", all, j)
		}
		now = j.DueAt
	}
	if got := take(t, q, oddKind, now.Add(time.Hour)); got.ID != 0 {
		t.Errorf("what was given up is tried again: %+v", got)
	}
}

func lateFailuresChangeNothing(t *testing.T, q WorkBackend) {
	must.Do(t, q.AddJobs(t.Context(), job.Job{ID: 1, Kind: oddKind, DueAt: monday}))
	for _, failure := range []string{"first", "late"} {
		must.Do(t, q.FailJob(t.Context(), job.Job{ID: 1, Kind: oddKind, DueAt: monday}.Fail(failure, 0, monday)))
		must.Do(t, q.FailJob(t.Context(), job.Job{ID: 8, Kind: oddKind, DueAt: monday}.Fail(failure, 0, monday)))
	}
	if all := listJobs(t, q); len(all) != 1 || all[0].Error != "first" || all[0].Attempts != 1 {
		t.Errorf("the jobs are %+v", all)
	}
}

func manyJobsAreFoundFast(t *testing.T, q WorkBackend) {
	all := make([]job.Job, 500)
	for i := range all {
		all[i] = job.Job{ID: int64(i + 1), Kind: oddKind, DueAt: monday}
	}
	must.Do(t, q.AddJobs(t.Context(), append(all, job.Job{ID: 1000, Kind: evenKind, DueAt: monday.Add(time.Hour)})...))
	got, err := q.FindDue(t.Context(), []job.Kind{evenKind, oddKind})
	if must.Do(t, err); len(got) != 2 {
		t.Errorf("found %v", got)
	}
	if j := take(t, q, evenKind, monday.Add(time.Hour)); j.ID != 1000 {
		t.Errorf("took %+v", j)
	}
}

func jobsWake(t *testing.T, q WorkBackend) {
	wait := func(ctx context.Context) { q.WaitForJobs(ctx, time.Time{}) }
	wakes(t, "a job", wait, func() { must.Do(t, q.AddJobs(t.Context(), job.Job{ID: 1, Kind: oddKind, Dead: true})) })
	wakes(t, "a retried job", wait, func() { must.Get(q.RetryJobs(t.Context(), monday))(t) })
	wakes(t, "who is done", wait, q.WakeWaiting)
	soon := time.Now().Add(50 * time.Millisecond)
	wakes(t, "a job that falls due", func(ctx context.Context) { q.WaitForJobs(ctx, soon) }, func() {})
}
