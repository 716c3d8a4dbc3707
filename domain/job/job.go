// Package job describes background work: jobs that follow a change, and work that is done again
// and again.
package job

import (
	"errors"
	"time"
)

// Kind says what a job does. Kinds are stored.
type Kind string

// Job is one piece of background work.
type Job struct {
	ID      int64
	Kind    Kind
	Subject int64  // the ID of what it is about; 0: nothing
	Args    string // what else its kind needs

	// DueAt is the time of the next attempt; under a lease, the end of that.
	DueAt    time.Time
	Attempts int // since it last succeeded, was added or was retried
	Dead     bool
	Error    string // of the last attempt

	Periodic bool // done again and again, and never given up
	Running  bool // under a lease, which only periodic work has
}

// AbandonedAfter is how long periodic work must have been due until it is clear that nobody does it:
// another release did, or a part of Octavo that no process serves any more.
const AbandonedAfter = time.Hour

// ErrLost says that the lease of periodic work has ended and that another process may do it.
var ErrLost = errors.New("the lease has ended")

// State says what a job waits for.
type State string

// The states of a job.
const (
	Due     State = "due"
	Running State = "running"
	Waiting State = "waiting" // for its time, or for another attempt
	Dead    State = "dead"
)

// State is the state of a job at a time.
func (j Job) State(now time.Time) State {
	switch {
	case j.Dead:
		return Dead
	case !j.DueAt.After(now):
		return Due
	case j.Running:
		return Running
	}
	return Waiting
}

// Failed counts the attempts of a job that have failed.
func (j Job) Failed() int {
	if j.Running {
		return j.Attempts - 1
	}
	return j.Attempts
}

// Stuck reports whether a job needs an operator: it was given up, or it is periodic and has failed
// as often.
func (j Job) Stuck() bool { return j.Dead || j.Periodic && j.Error != "" && j.Failed() >= MaxAttempts }

const (
	// MaxAttempts is after how many failures a job is given up: some eight hours after the first.
	MaxAttempts = 8
	// firstBackoff is how long a job waits after its first failure, and four times as long after
	// each other.
	firstBackoff = 5 * time.Second
)

// Fail returns what becomes of a job whose attempt has failed. A periodic one is tried again after
// an interval at the latest.
func (j Job) Fail(cause string, every time.Duration, now time.Time) Job {
	j.Attempts = j.Failed() + 1
	j.Running, j.Error = false, cause
	wait := firstBackoff << (2 * (min(j.Attempts, MaxAttempts) - 1))
	if j.Periodic {
		wait = min(wait, every)
	}
	j.Dead = !j.Periodic && j.Attempts >= MaxAttempts
	j.DueAt = now.Add(wait)
	if j.Dead {
		j.DueAt = now
	}
	return j
}

// Succeed returns what becomes of periodic work that is done.
func (j Job) Succeed(every time.Duration, now time.Time) Job {
	j.Running, j.Error, j.Attempts, j.DueAt = false, "", 0, now.Add(every)
	return j
}

// Release returns what becomes of periodic work that was interrupted: the attempt does not count.
func (j Job) Release(now time.Time) Job {
	j.Running, j.DueAt = false, now
	j.Attempts--
	return j
}
