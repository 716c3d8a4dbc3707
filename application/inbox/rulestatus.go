package inbox

import (
	"context"
	"time"
)

// RuleStatus is a rule and its state, as operators see them.
type RuleStatus struct {
	Key          string
	Target       string    // Rule.Target
	Source       string    // "" for any
	Match        string    // patterns, one a line
	Where        string    // "" for no condition
	Rate         string    // "" for no limit
	PausedBy     string    // PausedByFile, PausedByOperator or "" if the rule is not paused
	PausedAt     time.Time // by an operator; zero if not
	CircuitOpen  bool      // ten attempts in a row failed, and only a probe goes to the target now and then
	FailingSince time.Time // the first attempt of the current run of failures; zero if the last attempt was answered
	Last         AttemptResult
	Attempts     int       // in about the last hour, by all processes
	Failures     int       // of these
	Open, Dead   int       // jobs
	Oldest       time.Time // when the delivery of the oldest open job arrived; zero without one
}

// Who has paused a rule. A rule that both have paused counts as paused by the file.
const (
	PausedByFile     = "file"
	PausedByOperator = "operator"
)

// State is "paused", otherwise "failing" while no attempt is answered, otherwise "active".
func (r RuleStatus) State() string {
	switch {
	case r.PausedBy != "":
		return "paused"
	case !r.FailingSince.IsZero():
		return "failing"
	}
	return "active"
}

// AttemptWindow is the time over which a RuleStatus counts attempts. Stores need no older ones.
const AttemptWindow = time.Hour

// ListRules returns the rules in their order with their states.
func (a *Admin) ListRules(ctx context.Context) ([]RuleStatus, error) {
	rules, err := a.rules(ctx)
	if err != nil {
		return nil, err
	}
	states, err := a.store.ListRuleStates(ctx, a.clock.Now().Add(-AttemptWindow))
	if err != nil {
		return nil, err
	}
	byRule := make(map[string]RuleState, len(states))
	for _, s := range states {
		byRule[s.Rule] = s
	}
	list := make([]RuleStatus, 0, len(rules))
	for _, r := range rules {
		list = append(list, r.status(byRule[r.Key()]))
	}
	return list, nil
}

func (r Rule) status(s RuleState) RuleStatus {
	status := RuleStatus{
		Key: r.Key(), Target: r.Target(), Source: r.Source, Match: r.Match, Where: r.Where, Rate: r.Rate, PausedAt: s.PausedAt,
		CircuitOpen: s.CircuitOpen, FailingSince: s.FailingSince, Last: s.Last, Attempts: s.Attempts, Failures: s.Failures,
		Open: s.Open, Dead: s.Dead, Oldest: s.Oldest,
	}
	switch {
	case r.Paused:
		status.PausedBy = PausedByFile
	case !s.PausedAt.IsZero():
		status.PausedBy = PausedByOperator
	}
	return status
}

// PauseRule stops sending by the rule, in every process, usually at once, and until
// ResumeRule, also across restarts. Running sends end; other jobs wait. The error is
// ErrNoRule. Pausing a paused rule changes nothing.
func (a *Admin) PauseRule(ctx context.Context, key string) error {
	if _, err := a.findRule(ctx, key); err != nil {
		return err
	}
	return a.store.PauseRule(ctx, key, a.clock.Now())
}

// ResumeRule sends the waiting jobs of a rule, the oldest first. The errors are ErrNoRule
// and, if the file of rules pauses it, ErrPausedInFile. Resuming a rule that is not paused
// changes nothing.
func (a *Admin) ResumeRule(ctx context.Context, key string) error {
	rule, err := a.findRule(ctx, key)
	switch {
	case err != nil:
		return err
	case rule.Paused:
		return ErrPausedInFile
	}
	return a.store.PauseRule(ctx, key, time.Time{})
}

func (a *Admin) findRule(ctx context.Context, key string) (Rule, error) {
	rules, err := a.rules(ctx)
	if err != nil {
		return Rule{}, err
	}
	for _, r := range rules {
		if r.Key() == key {
			return r, nil
		}
	}
	return Rule{}, ErrNoRule
}
