package job_test

import (
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/job"
)

var now = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

// claim is what the queue does when it hands out periodic work.
func claim(j job.Job) job.Job {
	j.Running, j.DueAt = true, now.Add(time.Minute)
	j.Attempts++
	return j
}

func TestAJobThatAlwaysFailsIsTriedForHoursAndThenGivenUp(t *testing.T) {
	var j job.Job
	var waited time.Duration
	for attempt := 1; !j.Dead; attempt++ {
		if attempt > job.MaxAttempts {
			t.Fatalf("%+v is still tried", j)
		}
		j = j.Fail("broken", 0, now)
		waited += j.DueAt.Sub(now)
		if j.Attempts != attempt || j.Failed() != attempt || j.Error != "broken" || j.Running {
			t.Errorf("after %d failures: %+v", attempt, j)
		}
	}
	if waited < 4*time.Hour || waited > 24*time.Hour || j.State(now) != job.Dead || !j.Stuck() {
		t.Errorf("after %s: %+v", waited, j)
	}
}

func TestPeriodicWorkIsNeverGivenUpAndSaysThatItFails(t *testing.T) {
	j := job.Job{Periodic: true}
	for range 30 {
		if j = claim(j).Fail("broken", time.Hour, now); j.Dead || j.DueAt.Sub(now) > time.Hour {
			t.Fatalf("%+v", j)
		}
	}
	if !j.Stuck() || !claim(j).Stuck() {
		t.Errorf("nobody is told of %+v", j)
	}
	if j = claim(j).Succeed(time.Hour, now); j.Stuck() || j.Attempts != 0 || j.Error != "" || !j.DueAt.Equal(now.Add(time.Hour)) {
		t.Errorf("after a success: %+v", j)
	}
}

func TestAnAttemptThatWasNotMadeDoesNotCount(t *testing.T) {
	j := claim(job.Job{Periodic: true, Attempts: 3, Error: "broken"}).Release(now)
	if j.Attempts != 3 || j.State(now) != job.Due || j.Error != "broken" {
		t.Errorf("%+v", j)
	}
}

func TestTheStateOfAJobFollowsItsTimeAndItsLease(t *testing.T) {
	for want, j := range map[job.State]job.Job{
		job.Due: {DueAt: now}, job.Waiting: {DueAt: now.Add(1)}, job.Running: {DueAt: now.Add(1), Running: true}, job.Dead: {Dead: true},
	} {
		if got := j.State(now); got != want {
			t.Errorf("%+v is %s, want %s", j, got, want)
		}
	}
	if got := (job.Job{DueAt: now, Running: true}).State(now); got != job.Due {
		t.Errorf("a job whose lease has ended is %s", got)
	}
}
