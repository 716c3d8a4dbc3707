package meminbox

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
)

// PauseRule pauses or resumes a rule.
func (i *Inbox) PauseRule(ctx context.Context, rule string, at time.Time) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	s := i.states[rule]
	if at.IsZero() == s.PausedAt.IsZero() {
		return ctx.Err()
	}
	if s.Rule, s.PausedAt = rule, at; at.IsZero() {
		s.FailingSince = time.Time{}
	}
	i.states[rule] = s
	i.wakeups.Notify(string(inbox.PausesChanged))
	return ctx.Err()
}

// PausedRules returns the paused rules.
func (i *Inbox) PausedRules(ctx context.Context) ([]string, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	var rules []string
	for rule, s := range i.states {
		if !s.PausedAt.IsZero() {
			rules = append(rules, rule)
		}
	}
	slices.Sort(rules)
	return rules, ctx.Err()
}

// RecordAttempts merges the reports.
func (i *Inbox) RecordAttempts(ctx context.Context, reports []inbox.AttemptReport) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, r := range reports {
		s := i.states[r.Rule]
		s.AttemptReport = s.Merge(r)
		s.Rule, s.Attempts, s.Failures = r.Rule, 0, 0
		i.states[r.Rule] = s
	}
	i.reports = append(i.reports, reports...)
	return nil
}

// ListRuleStates returns the states in the order of the keys.
func (i *Inbox) ListRuleStates(ctx context.Context, since time.Time) ([]inbox.RuleState, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	byRule := map[string]inbox.RuleState{}
	maps.Copy(byRule, i.states)
	for _, r := range i.reports {
		if s := byRule[r.Rule]; r.Last.At.Truncate(inbox.AttemptStep).After(since) {
			s.Attempts, s.Failures = s.Attempts+r.Attempts, s.Failures+r.Failures
			byRule[r.Rule] = s
		}
	}
	for _, job := range i.jobs {
		i.countJob(byRule, job)
	}
	var states []inbox.RuleState
	for _, s := range byRule {
		states = append(states, s)
	}
	slices.SortFunc(states, func(a, b inbox.RuleState) int { return strings.Compare(a.Rule, b.Rule) })
	return states, ctx.Err()
}

// countJob adds an open or dead job to the state of its rule.
func (i *Inbox) countJob(byRule map[string]inbox.RuleState, job inbox.Job) {
	s := byRule[job.Rule]
	switch job.State {
	case inbox.Open:
		s.Open++
		if at := i.deliveries[job.Seq].ReceivedAt; s.Oldest.IsZero() || at.Before(s.Oldest) {
			s.Oldest = at
		}
	case inbox.Dead:
		s.Dead++
	default:
		return
	}
	s.Rule = job.Rule
	byRule[job.Rule] = s
}

// pruneRuleStates deletes the states of rules that are gone for long.
func (i *Inbox) pruneRuleStates(before time.Time) {
	maps.DeleteFunc(i.states, func(rule string, s inbox.RuleState) bool {
		published := slices.ContainsFunc(i.rules, func(r inbox.Rule) bool { return r.Key() == rule })
		return !published && s.Last.At.Before(before) && s.PausedAt.Before(before) && s.DiedAt.Before(before) && s.AlertedAt.Before(before)
	})
}
