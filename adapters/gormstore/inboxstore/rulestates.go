package inboxstore

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/inbox"
)

// PauseRule pauses or resumes a rule.
func (i *Inbox) PauseRule(ctx context.Context, rule string, at time.Time) error {
	statement, args := `UPDATE inbox_rule_states SET paused_at = 0, failing_since = 0 WHERE rule = ? AND paused_at > 0`, []any{rule}
	if !at.IsZero() {
		statement = `INSERT INTO inbox_rule_states (rule, paused_at) VALUES (?, ?)
			ON CONFLICT (rule) DO UPDATE SET paused_at = excluded.paused_at WHERE inbox_rule_states.paused_at = 0`
		args = append(args, rawsql.Micros(at))
	}
	return i.atomically(ctx, func(ctx context.Context, c rawsql.Conn) error {
		notify(c, inbox.PausesChanged)
		_, err := c.Exec(ctx, statement, args...)
		return err
	})
}

// PausedRules returns the paused rules.
func (i *Inbox) PausedRules(ctx context.Context) ([]string, error) {
	return rawsql.Collect(ctx, i.read, rawsql.Text[string], `SELECT rule FROM inbox_rule_states WHERE paused_at > 0 ORDER BY rule`)
}

// mergeReport does what inbox.AttemptReport.Merge does, except for the numbers.
const mergeReport = `INSERT INTO inbox_rule_states AS s (rule, tried_at, status, error, circuit_open, answered_at, failing_since, died_at)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (rule) DO UPDATE SET
	failing_since = CASE
		WHEN s.failing_since > 0 AND excluded.answered_at < s.failing_since THEN s.failing_since
		WHEN excluded.failing_since > s.answered_at THEN excluded.failing_since ELSE 0 END,
	answered_at = CASE WHEN excluded.answered_at > s.answered_at THEN excluded.answered_at ELSE s.answered_at END,
	died_at = CASE WHEN excluded.died_at > s.died_at THEN excluded.died_at ELSE s.died_at END,
	tried_at = CASE WHEN excluded.tried_at >= s.tried_at THEN excluded.tried_at ELSE s.tried_at END,
	status = CASE WHEN excluded.tried_at > 0 AND excluded.tried_at >= s.tried_at THEN excluded.status ELSE s.status END,
	error = CASE WHEN excluded.tried_at > 0 AND excluded.tried_at >= s.tried_at THEN excluded.error ELSE s.error END,
	circuit_open = CASE WHEN excluded.tried_at > 0 AND excluded.tried_at >= s.tried_at THEN excluded.circuit_open ELSE s.circuit_open END`

const countAttempts = `INSERT INTO inbox_rule_attempts AS a (rule, at, attempts, failures) VALUES (?, ?, ?, ?)
	ON CONFLICT (rule, at) DO UPDATE SET attempts = a.attempts + excluded.attempts, failures = a.failures + excluded.failures`

// RecordAttempts merges the reports in the order of their rules, so that processes do
// not deadlock.
func (i *Inbox) RecordAttempts(ctx context.Context, reports []inbox.AttemptReport) error {
	return i.atomically(ctx, func(ctx context.Context, c rawsql.Conn) error {
		for _, n := range sortedIndexes(len(reports), func(n int) string { return reports[n].Rule }) {
			r := reports[n]
			if _, err := c.Exec(ctx, mergeReport, r.Rule, rawsql.Micros(r.Last.At), r.Last.Status, r.Last.Error, rawsql.Flag(r.CircuitOpen),
				rawsql.Micros(r.AnsweredAt), rawsql.Micros(r.FailingSince), rawsql.Micros(r.DiedAt)); err != nil {
				return err
			}
			if r.Attempts == 0 {
				continue
			}
			step := rawsql.Micros(r.Last.At.Truncate(inbox.AttemptStep))
			if _, err := c.Exec(ctx, countAttempts, r.Rule, step, r.Attempts, r.Failures); err != nil {
				return err
			}
		}
		return nil
	})
}

// ruleStates selects a row for each rule that has a state or an open or dead job. The indexes
// of open and dead jobs answer the counts without reading the jobs.
const ruleStates = `WITH attempts AS (SELECT rule, sum(attempts) AS attempts, sum(failures) AS failures FROM inbox_rule_attempts WHERE at > ? GROUP BY rule),
	open AS (SELECT rule, count(*) AS jobs, min(seq) AS seq FROM inbox_jobs WHERE state = 0 GROUP BY rule),
	dead AS (SELECT rule, count(*) AS jobs FROM inbox_jobs WHERE state = 2 GROUP BY rule),
	rules AS (SELECT rule FROM inbox_rule_states UNION SELECT rule FROM open UNION SELECT rule FROM dead)
	SELECT r.rule, coalesce(s.paused_at, 0), coalesce(s.tried_at, 0), coalesce(s.status, 0), coalesce(s.error, ''), coalesce(s.circuit_open, 0),
		coalesce(s.answered_at, 0), coalesce(s.failing_since, 0), coalesce(s.died_at, 0), coalesce(s.told, 0), coalesce(s.told_at, 0), coalesce(a.attempts, 0), coalesce(a.failures, 0),
		coalesce(o.jobs, 0), coalesce(d.jobs, 0), coalesce(first.received_at, 0)
	FROM rules r LEFT JOIN inbox_rule_states s ON s.rule = r.rule LEFT JOIN attempts a ON a.rule = r.rule LEFT JOIN open o ON o.rule = r.rule
	LEFT JOIN dead d ON d.rule = r.rule LEFT JOIN inbox_deliveries first ON first.seq = o.seq`

// ListRuleStates returns the states in the order of the keys' bytes.
func (i *Inbox) ListRuleStates(ctx context.Context, since time.Time) ([]inbox.RuleState, error) {
	states, err := rawsql.Collect(ctx, i.read, scanRuleState, ruleStates, rawsql.Micros(since))
	slices.SortFunc(states, func(a, b inbox.RuleState) int { return strings.Compare(a.Rule, b.Rule) })
	return states, err
}

func scanRuleState() ([]any, func() inbox.RuleState) {
	var s inbox.RuleState
	var paused, tried, open, answered, failing, died, told, oldest int64
	return []any{
			&s.Rule, &paused, &tried, &s.Last.Status, &s.Last.Error, &open, &answered, &failing, &died, &s.AlertCount, &told,
			&s.Attempts, &s.Failures, &s.Open, &s.Dead, &oldest,
		}, func() inbox.RuleState {
			s.PausedAt, s.Last.At, s.CircuitOpen = rawsql.Time(paused), rawsql.Time(tried), open == 1
			s.AnsweredAt, s.FailingSince, s.DiedAt = rawsql.Time(answered), rawsql.Time(failing), rawsql.Time(died)
			s.AlertedAt, s.Oldest = rawsql.Time(told), rawsql.Time(oldest)
			return s
		}
}

// pruneRuleStates deletes the counts that no list needs, and the states of removed rules that
// were last tried, paused or alerted about before the oldest attempts that are kept.
func pruneRuleStates(ctx context.Context, c rawsql.Conn, p inbox.Retention) error {
	if _, err := c.Exec(ctx, `DELETE FROM inbox_rule_attempts WHERE at <= ?`, rawsql.Micros(p.Now.Add(-inbox.AttemptWindow))); err != nil {
		return err
	}
	before := rawsql.Micros(p.AttemptsBefore)
	_, err := c.Exec(ctx, `DELETE FROM inbox_rule_states WHERE tried_at < ? AND paused_at < ? AND died_at < ? AND told_at < ? AND rule NOT IN (SELECT rule FROM inbox_rules)`,
		before, before, before, before)
	return err
}
