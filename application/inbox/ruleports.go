package inbox

import (
	"time"
)

// AttemptStep is the precision of the times at which attempts are counted.
const AttemptStep = 5 * time.Minute

// AttemptReport aggregates attempts of a rule.
type AttemptReport struct {
	Rule         string
	Attempts     int
	Failures     int           // attempts that the target did not accept
	Last         AttemptResult // of the last attempt
	CircuitOpen  bool          // after the last attempt, in the process that made it
	AnsweredAt   time.Time     // the last attempt that the target answered with 2xx or 410; zero without one
	FailingSince time.Time     // the first failure after AnsweredAt; zero without one
	DiedAt       time.Time     // when the last job became a dead letter; zero without one
}

// AttemptResult is the result of an attempt.
type AttemptResult struct {
	At     time.Time // zero before the first attempt
	Status int       // of the target's response, 0 without one
	Error  string    // "" if the target accepted the delivery
}

// RuleState is what the store knows about a rule.
type RuleState struct {
	AttemptReport
	PausedAt   time.Time // by an operator; zero if not
	AlertCount int       // alerts raised about the rule: odd after one about a failure, even after a recovery
	AlertedAt  time.Time // of the last alert; zero without one
	Open, Dead int       // jobs
	Oldest     time.Time // when the delivery of the oldest open job arrived; zero without one
}

// Merge adds a later report. Reports of different processes may overlap in time.
func (r AttemptReport) Merge(later AttemptReport) AttemptReport {
	switch answered := !later.AnsweredAt.Before(r.FailingSince); {
	case !r.FailingSince.IsZero() && !answered: // it still fails
	case later.FailingSince.After(r.AnsweredAt):
		r.FailingSince = later.FailingSince
	default:
		r.FailingSince = time.Time{}
	}
	r.Attempts, r.Failures = r.Attempts+later.Attempts, r.Failures+later.Failures
	r.AnsweredAt, r.DiedAt = latest(r.AnsweredAt, later.AnsweredAt), latest(r.DiedAt, later.DiedAt)
	if !later.Last.At.IsZero() && !later.Last.At.Before(r.Last.At) {
		r.Last, r.CircuitOpen = later.Last, later.CircuitOpen
	}
	return r
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// HasFailureAlert reports whether the last alert was about a failure.
func (s RuleState) HasFailureAlert() bool { return s.AlertCount%2 == 1 }
