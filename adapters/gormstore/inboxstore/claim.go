package inboxstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/webhook"
)

// dueJobs selects the jobs that ClaimJobs may take. Of the jobs with one order key
// only the oldest open one is free.
const dueJobs = `FROM inbox_jobs j WHERE rule = ? AND state = 0 AND due_at <= ? AND lease_until <= ?
	AND (order_key = '' OR NOT EXISTS (SELECT 1 FROM inbox_jobs e
		WHERE e.state = 0 AND e.order_key <> '' AND e.rule = j.rule AND e.order_key = j.order_key AND e.id < j.id))`

// ClaimJobs leases due jobs. It reads first, so that polls that find nothing do not
// occupy the writer.
func (i *Inbox) ClaimJobs(ctx context.Context, claim inbox.Claim) ([]inbox.Task, error) {
	now := rawsql.Micros(claim.Now)
	_, due, err := rawsql.One(ctx, i.read, rawsql.Integer[int], `SELECT 1 `+dueJobs+` LIMIT 1`, claim.Rule, now, now)
	if err != nil || !due {
		return nil, err
	}
	instance, err := i.instanceID(ctx)
	if err != nil {
		return nil, err
	}
	var tasks []inbox.Task
	err = i.atomically(ctx, func(ctx context.Context, c rawsql.Conn) error {
		tasks = nil
		ids, err := rawsql.Collect(ctx, c, rawsql.Integer[int64], `WITH due AS MATERIALIZED (SELECT id `+dueJobs+` ORDER BY due_at, seq, id LIMIT ?`+c.Locking(rawsql.SkipLocked)+`)
			UPDATE inbox_jobs SET attempts = attempts + 1, lease_until = ?, owner = ? WHERE id IN (SELECT id FROM due) RETURNING id`,
			claim.Rule, now, now, claim.Limit, rawsql.Micros(claim.LeaseUntil), instance)
		if err == nil && len(ids) > 0 {
			i.notifyLeases(c)
			tasks, err = i.readTasks(ctx, c, ids)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(tasks, func(a, b inbox.Task) int {
		return cmp.Or(a.DueAt.Compare(b.DueAt), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.ID, b.ID))
	})
	return tasks, nil
}

// DueRules skips from one rule to the next in the index of due jobs.
func (i *Inbox) DueRules(ctx context.Context, now time.Time) (keys []string, next time.Time, err error) {
	at := rawsql.Micros(now)
	rules, err := rawsql.Collect(ctx, i.read, scanDueRule, `WITH RECURSIVE waiting(rule) AS (
			SELECT min(rule) FROM inbox_jobs WHERE state = 0
			UNION ALL SELECT (SELECT min(j.rule) FROM inbox_jobs j WHERE j.state = 0 AND j.rule > w.rule) FROM waiting w WHERE w.rule IS NOT NULL)
		SELECT rule, (SELECT count(*) FROM (SELECT 1 FROM inbox_jobs j WHERE j.state = 0 AND j.rule = w.rule AND j.due_at <= ? LIMIT 1) e),
			coalesce((SELECT min(j.due_at) FROM inbox_jobs j WHERE j.state = 0 AND j.rule = w.rule AND j.due_at > ?), 0)
		FROM waiting w WHERE rule IS NOT NULL`, at, at)
	for _, r := range rules {
		if r.due {
			keys = append(keys, r.rule)
		}
		if !r.next.IsZero() && (next.IsZero() || r.next.Before(next)) {
			next = r.next
		}
	}
	return keys, next, err
}

// dueRule is a rule with open jobs.
type dueRule struct {
	rule string
	due  bool      // one of them is due
	next time.Time // when the first one that is not is due
}

func scanDueRule() ([]any, func() dueRule) {
	var rule string
	var due, next int64
	return []any{&rule, &due, &next}, func() dueRule { return dueRule{rule, due == 1, rawsql.Time(next)} }
}

// readTasks reads jobs with their deliveries; the payload of a pruned one is nil.
func (i *Inbox) readTasks(ctx context.Context, c rawsql.Conn, ids []int64) ([]inbox.Task, error) {
	condition, args := in("j.id", ids)
	return rawsql.Collect(ctx, c, scanTask, `SELECT j.id, j.seq, j.rule, j.order_key, j.state, j.due_at, j.lease_until, j.attempts, j.redelivery,
		j.status, j.error, j.changed_at, coalesce(d.source, ''), coalesce(d.id, ''), coalesce(d.original, ''), coalesce(d.event, ''), coalesce(d.header, ''), p.payload FROM inbox_jobs j
		LEFT JOIN inbox_deliveries d ON d.seq = j.seq LEFT JOIN inbox_payloads p ON p.position = d.position WHERE `+condition, args...)
}

func scanTask() ([]any, func() inbox.Task) {
	columns, job := scanJob()
	var source, id, original, event, header string
	var row []byte
	return append(columns, &source, &id, &original, &event, &header, &row), func() inbox.Task {
		payload, err := decompress(row)
		return inbox.Task{
			Job: job(), Source: source, DeliveryID: id, Original: original,
			Event: webhook.EventName(event), Header: parseHeader(header), Payload: payload,
			Damaged: err != nil, // an error would fail the other tasks of the claim too
		}
	}
}

// scanJob scans a row of jobColumns.
func scanJob() ([]any, func() inbox.Job) {
	var j inbox.Job
	var due, lease, changed, redelivery int64
	return []any{
			&j.ID, &j.Seq, &j.Rule, &j.OrderKey, &j.State, &due, &lease, &j.Attempts, &redelivery, &j.Status, &j.Error, &changed,
		}, func() inbox.Job {
			j.DueAt, j.LeaseUntil, j.ChangedAt, j.Redelivery = rawsql.Time(due), rawsql.Time(lease), rawsql.Time(changed), redelivery == 1
			return j
		}
}

// RequeueJobs makes every open job due.
func (i *Inbox) RequeueJobs(ctx context.Context, now time.Time) error {
	statement := `UPDATE inbox_jobs SET due_at = ? WHERE ` + i.lockedJobs(`state = 0 AND due_at > ?`)
	if i.postgres == nil { // every lease is an earlier run's
		statement = `UPDATE inbox_jobs SET due_at = min(due_at, ?), lease_until = 0 WHERE state = 0 AND (due_at > ? OR lease_until > 0)`
	}
	if _, err := i.update(ctx, statement, rawsql.Micros(now), rawsql.Micros(now)); err != nil {
		return err
	}
	_, _, err := i.ReclaimLeases(ctx)
	return err
}

// ReclaimLeases ends the leases of dead processes.
func (i *Inbox) ReclaimLeases(ctx context.Context) (jobs int, left bool, err error) {
	if i.postgres == nil {
		return 0, false, nil
	}
	jobs, left, err = i.postgres.reclaimLeases(ctx)
	if jobs > 0 {
		i.db.Wakeups().Notify(string(inbox.JobsChanged))
	}
	return jobs, left, err
}

// DeadLetterJobs marks the open jobs of other rules as dead.
func (i *Inbox) DeadLetterJobs(ctx context.Context, rules []string, reason string, now time.Time) (int, error) {
	condition, args := `state = 0 AND lease_until <= ?`, []any{reason, rawsql.Micros(now), rawsql.Micros(now)}
	if len(rules) > 0 {
		known, keys := in("rule", rules)
		condition, args = condition+` AND NOT `+known, append(args, keys...)
	}
	return i.update(ctx, `UPDATE inbox_jobs SET state = 2, error = ?, changed_at = ? WHERE `+i.lockedJobs(condition), args...)
}

// lockedJobs returns a condition that selects the jobs and locks their rows in the order of their
// ids, as recordOutcomes does. A plain UPDATE locks them in any order and would deadlock with it.
func (i *Inbox) lockedJobs(condition string) string {
	if i.postgres == nil {
		return condition
	}
	return `id IN (WITH found AS MATERIALIZED (SELECT id FROM inbox_jobs WHERE ` + condition + ` ORDER BY id FOR UPDATE) SELECT id FROM found)`
}
