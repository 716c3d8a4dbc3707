package contract

import (
	"reflect"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/work"
	"github.com/octavo-books/octavo/domain/job"
	"github.com/octavo-books/octavo/test/must"
)

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
