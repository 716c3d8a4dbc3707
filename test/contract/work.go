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
	work.Admin
	work.Leaser
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
		"a job is taken once, the longest due of its kind first":                jobsAreTakenOnce,
		"a job whose transaction fails is still there":                          failedTransactionsKeepJobs,
		"many transactions take each job once":                                  jobsAreShared,
		"each kind says when its next job is due":                               nextJobsAreFound,
		"a job that failed is due later, and one that is given up never":        failedJobsWait,
		"a failure that comes late does not undo another one":                   lateFailuresChangeNothing,
		"periodic work is one row a kind, which one process has at a time":      periodicWorkIsClaimedOnce,
		"periodic work comes back if its process died":                          lostLeasesComeBack,
		"a job under a lease is hidden until it ends, and gone once it is done": leasedJobs,
		"who has lost a lease cannot settle":                                    lostLeasesCannotSettle,
		"a start makes periodic work due":                                       startsMakeDue,
		"jobs are counted by kind and state":                                    jobsAreCounted,
		"what needs an operator comes first":                                    stuckJobsComeFirst,
		"operators retry and drop jobs, but no periodic work":                   operatorsRetryAndDrop,
		"periodic work that nobody does can be dropped":                         abandonedSweepsCanBeDropped,
		"only jobs given up long ago are deleted":                               onlyOldDeadJobsAreDeleted,
		"adding and retrying jobs wakes, and so does one that falls due":        jobsWake,
		"one kind with very many jobs does not slow down the look for others":   manyJobsAreFoundFast,
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
	must.Together(4, func(int) {
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

// scheduled schedules periodic work and claims it.
func scheduled(t *testing.T, q WorkBackend) job.Job {
	t.Helper()
	for id := range int64(2) {
		all := []job.Job{
			{ID: 2*id + 1, Kind: sweepKind, DueAt: monday, Periodic: true}, {ID: 2*id + 2, Kind: oddKind, DueAt: monday, Periodic: true},
		}
		must.Do(t, q.Schedule(t.Context(), monday, all))
	}
	j, found, err := q.Claim(t.Context(), sweepKind, monday, monday.Add(lease))
	if must.Do(t, err); !found || !j.Running || j.Attempts != 1 || !j.DueAt.Equal(monday.Add(lease)) {
		t.Fatalf("claimed %v %+v", found, j)
	}
	return j
}

func mustNotClaim(t *testing.T, q WorkBackend, now time.Time) {
	t.Helper()
	if j, found, err := q.Claim(t.Context(), sweepKind, now, now.Add(lease)); found || err != nil {
		t.Errorf("claimed %+v, %v", j, err)
	}
}

func periodicWorkIsClaimedOnce(t *testing.T, q WorkBackend) {
	j := scheduled(t, q)
	mustNotClaim(t, q, monday)
	if all := listJobs(t, q); len(all) != 2 {
		t.Errorf("there are %+v", all)
	}
	if _, found, err := q.Claim(t.Context(), oddKind, monday, monday.Add(lease)); !found || err != nil {
		t.Errorf("the other kind: %v, %v", found, err)
	}
	if _, found, err := q.Claim(t.Context(), "unknown", monday, monday.Add(lease)); found || err != nil {
		t.Errorf("a kind that nobody has scheduled: %v, %v", found, err)
	}
	must.Do(t, q.Settle(t.Context(), j, j.Succeed(time.Hour, monday)))
	mustNotClaim(t, q, monday.Add(time.Hour-1))
	again, found, err := q.Claim(t.Context(), sweepKind, monday.Add(time.Hour), monday.Add(2*time.Hour))
	if !found || err != nil || again.Attempts != 1 || again.ID != j.ID {
		t.Errorf("an hour later: %+v, %v, %v", again, found, err)
	}
}

func lostLeasesComeBack(t *testing.T, q WorkBackend) {
	j := scheduled(t, q)
	must.Do(t, q.Renew(t.Context(), j, monday.Add(2*lease)))
	mustNotClaim(t, q, monday.Add(2*lease-1))
	again, found, err := q.Claim(t.Context(), sweepKind, monday.Add(2*lease), monday.Add(3*lease))
	if !found || err != nil || again.Attempts != 2 {
		t.Errorf("claimed %+v, %v, %v", again, found, err)
	}
}

func leasedJobs(t *testing.T, q WorkBackend) {
	until := monday.Add(time.Minute)
	if _, found, err := q.LeaseJob(t.Context(), oddKind, monday, until); err != nil || found {
		t.Fatalf("a job is found in an empty queue, %v", err)
	}
	j := job.Job{ID: 1, Kind: oddKind, Subject: 7, Args: "{}", DueAt: monday, Attempts: 2, Error: "once"}
	must.Do(t, q.AddJobs(t.Context(), j))
	for _, now := range []time.Time{monday, until} { // the second time, the process that leased it has died
		if got, found, err := q.LeaseJob(t.Context(), oddKind, now, now.Add(time.Minute)); err != nil || !found || got.ID != 1 || got.Args != "{}" || got.Attempts != 2 {
			t.Fatalf("leased %+v, %v, %v", got, found, err)
		}
		if _, found, err := q.LeaseJob(t.Context(), oddKind, now.Add(time.Second), until); err != nil || found {
			t.Fatalf("it is leased twice, %v", err)
		}
	}
	must.Do(t, q.FailJob(t.Context(), j.Fail("broken", 0, until)))
	if all := listJobs(t, q); len(all) != 1 || all[0].Attempts != 3 || all[0].Error != "broken" {
		t.Errorf("after a failure: %+v", all)
	}
	must.Do(t, q.FinishJob(t.Context(), 1))
	must.Do(t, q.FinishJob(t.Context(), 1))
	if all := listJobs(t, q); len(all) != 0 {
		t.Errorf("what was done is still there: %+v", all)
	}
}

func lostLeasesCannotSettle(t *testing.T, q WorkBackend) {
	j := scheduled(t, q)
	again, _ := must.Get2(q.Claim(t.Context(), sweepKind, monday.Add(lease), monday.Add(2*lease)))(t)
	refused(t, q.Settle(t.Context(), j, j.Succeed(time.Hour, monday)), job.ErrLost)
	refused(t, q.Renew(t.Context(), j, monday.Add(time.Hour)), job.ErrLost)
	failed := again.Fail("broken", time.Hour, monday)
	must.Do(t, q.Settle(t.Context(), again, failed))
	if all := listJobs(t, q); len(all) != 2 || all[0] != failed {
		t.Errorf("there is %+v, want %+v", all, failed)
	}
	refused(t, q.Settle(t.Context(), again, failed), job.ErrLost)
}

func startsMakeDue(t *testing.T, q WorkBackend) {
	j := scheduled(t, q)
	must.Do(t, q.Settle(t.Context(), j, j.Succeed(time.Hour, monday)))
	must.Do(t, q.Schedule(t.Context(), monday.Add(time.Minute), []job.Job{{ID: 9, Kind: sweepKind, Periodic: true}}))
	j, found, err := q.Claim(t.Context(), sweepKind, monday.Add(time.Minute), monday.Add(time.Hour))
	if !found || err != nil || j.ID != 1 {
		t.Errorf("after a start: %+v, %v, %v", j, found, err)
	}
}

// stuckJobs is one job of each state: due for an hour, failed once, given up, and periodic work that
// fails again and again.
func stuckJobs() (due, failed, dead, sweep job.Job) {
	due = job.Job{ID: 1, Kind: oddKind, DueAt: monday.Add(-time.Hour)}
	failed = job.Job{ID: 2, Kind: oddKind, DueAt: monday.Add(time.Minute), Attempts: 1, Error: "once"}
	dead = job.Job{ID: 3, Kind: evenKind, DueAt: monday.Add(time.Hour), Attempts: job.MaxAttempts, Dead: true, Error: "broken"}
	sweep = job.Job{ID: 4, Kind: sweepKind, DueAt: monday.Add(time.Hour), Attempts: job.MaxAttempts, Periodic: true, Error: "broken"}
	return due, failed, dead, sweep
}

func jobsAreCounted(t *testing.T, q WorkBackend) {
	due, failed, dead, sweep := stuckJobs()
	sweep.Running = true
	must.Do(t, q.AddJobs(t.Context(), due, failed, dead, sweep, job.Job{ID: 5, Kind: oddKind, DueAt: monday}))
	got := must.Get(q.CountJobs(t.Context(), monday))(t)
	want := []work.Counts{
		{Kind: evenKind, Dead: 1}, {Kind: oddKind, Due: 2, Waiting: 1, Oldest: monday.Add(-time.Hour)}, {Kind: sweepKind, Running: 1},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("counted %+v, want %+v", got, want)
	}
	if n, err := q.CountStuckJobs(t.Context()); n != 1 || err != nil {
		t.Errorf("%d need an operator, %v", n, err)
	}
}

func stuckJobsComeFirst(t *testing.T, q WorkBackend) {
	due, failed, dead, sweep := stuckJobs()
	must.Do(t, q.AddJobs(t.Context(), due, failed, dead, sweep))
	if got, want := listJobs(t, q), []job.Job{dead, failed, sweep, due}; !reflect.DeepEqual(got, want) {
		t.Errorf("listed %+v, want %+v", got, want)
	}
	if n, err := q.CountStuckJobs(t.Context()); n != 2 || err != nil {
		t.Errorf("%d need an operator, %v", n, err)
	}
	if two, err := q.ListJobs(t.Context(), 2); len(two) != 2 || err != nil {
		t.Errorf("listed %+v, %v", two, err)
	}
}

func operatorsRetryAndDrop(t *testing.T, q WorkBackend) {
	due, failed, dead, sweep := stuckJobs()
	must.Do(t, q.AddJobs(t.Context(), due, failed, dead, sweep))
	retried := func(want int, ids ...int64) {
		t.Helper()
		if n, err := q.RetryJobs(t.Context(), monday, ids...); n != want || err != nil {
			t.Errorf("retried %d, %v; want %d", n, err, want)
		}
	}
	retried(1)
	if j := take(t, q, evenKind, monday); j.ID != dead.ID || j.Attempts != 0 || j.Error != "" || !j.DueAt.Equal(monday) {
		t.Errorf("after a retry there is %+v", j)
	}
	retried(0)
	retried(2, failed.ID, sweep.ID, 999)
	if n, err := q.CountStuckJobs(t.Context()); n != 0 || err != nil {
		t.Errorf("%d need an operator, %v", n, err)
	}
	must.Get2(q.Claim(t.Context(), sweepKind, monday, monday.Add(lease)))(t)
	retried(0, sweep.ID)
	if n, err := q.DropJobs(t.Context(), monday, due.ID, failed.ID, sweep.ID, 999); n != 2 || err != nil {
		t.Errorf("dropped %d, %v", n, err)
	}
	if all := listJobs(t, q); len(all) != 1 || all[0].ID != sweep.ID {
		t.Errorf("there are %+v", all)
	}
}

// abandonedSweepsCanBeDropped is about work of another release, or of a part of Octavo that nobody serves.
func abandonedSweepsCanBeDropped(t *testing.T, q WorkBackend) {
	j := scheduled(t, q)
	abandoned := j.DueAt.Add(lease + job.AbandonedAfter)
	for _, step := range []struct {
		now  time.Time
		want int
	}{{j.DueAt.Add(job.AbandonedAfter), 0}, {abandoned, 1}, {abandoned, 0}} {
		if n, err := q.DropJobs(t.Context(), step.now, j.ID); n != step.want || err != nil {
			t.Errorf("at %s: dropped %d, %v; want %d", step.now, n, err, step.want)
		}
	}
	if all := listJobs(t, q); len(all) != 1 || all[0].ID == j.ID {
		t.Errorf("left are %+v", all)
	}
}

func onlyOldDeadJobsAreDeleted(t *testing.T, q WorkBackend) {
	due, failed, dead, sweep := stuckJobs()
	older := dead
	older.ID, older.DueAt = 7, dead.DueAt.Add(-time.Minute)
	must.Do(t, q.AddJobs(t.Context(), due, failed, dead, sweep, older))
	for _, step := range []struct {
		before time.Time
		want   int
	}{{older.DueAt, 0}, {dead.DueAt.Add(time.Hour), 1}, {dead.DueAt, 0}, {dead.DueAt.Add(time.Hour), 1}, {dead.DueAt.Add(time.Hour), 0}} {
		if n, err := q.DeleteDeadJobs(t.Context(), step.before, 1); n != step.want || err != nil {
			t.Errorf("before %s: deleted %d, %v; want %d", step.before, n, err, step.want)
		}
	}
	if all := listJobs(t, q); len(all) != 3 {
		t.Errorf("left are %+v", all)
	}
}
