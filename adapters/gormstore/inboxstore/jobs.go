package inboxstore

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/webhook"
)

const jobColumns = `id, seq, rule, order_key, state, due_at, lease_until, attempts, redelivery, status, error, changed_at`

const insertJob = `INSERT INTO inbox_jobs (` + jobColumns + `, owner) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// updateOutcome is fenced: a job that was claimed again has more attempts.
const updateOutcome = `UPDATE inbox_jobs SET state = ?, due_at = ?, lease_until = 0, owner = 0, attempts = attempts - ?, status = ?, error = ?, changed_at = ?
	WHERE id = ? AND attempts = ? AND state = 0`

// jobValues are those of insertJob; a lease belongs to the owner.
func jobValues(j inbox.Job, owner int64) []any {
	if j.LeaseUntil.IsZero() {
		owner = 0
	}
	return []any{j.ID, j.Seq, j.Rule, j.OrderKey, int(j.State), stamp(j.DueAt), stamp(j.LeaseUntil), j.Attempts, number(j.Redelivery), j.Status, j.Error, stamp(j.ChangedAt), owner}
}

func insertJobs(ctx context.Context, tx *sql.Tx, d dialect, jobs []inbox.Job, owner int64) error {
	for _, j := range jobs {
		if _, err := tx.ExecContext(ctx, d.rebind(insertJob), jobValues(j, owner)...); err != nil {
			return err
		}
	}
	return nil
}

// scanJob reads jobColumns and then whatever more stands behind them.
func scanJob(rows *sql.Rows, more ...any) (inbox.Job, error) {
	var j inbox.Job
	var due, lease, changed int64
	var redelivery int
	err := rows.Scan(append([]any{&j.ID, &j.Seq, &j.Rule, &j.OrderKey, &j.State, &due, &lease, &j.Attempts, &redelivery, &j.Status, &j.Error, &changed}, more...)...)
	j.DueAt, j.LeaseUntil, j.ChangedAt, j.Redelivery = unstamp(due), unstamp(lease), unstamp(changed), redelivery == 1
	return j, err
}

// dueJobs chooses what Claim may take. Of a row of jobs in order only the first
// open one is free.
const dueJobs = `FROM inbox_jobs j WHERE rule = ? AND state = 0 AND due_at <= ? AND lease_until <= ?
	AND (order_key = '' OR NOT EXISTS (SELECT 1 FROM inbox_jobs e
		WHERE e.state = 0 AND e.order_key <> '' AND e.rule = j.rule AND e.order_key = j.order_key AND e.id < j.id))`

// Claim leases due jobs. It looks before it takes the writer.
func (i *Inbox) Claim(ctx context.Context, c inbox.Claim) ([]inbox.Task, error) {
	var any bool
	now := stamp(c.Now)
	if err := i.read.QueryRowContext(ctx, i.dialect.rebind(`SELECT EXISTS (SELECT 1 `+dueJobs+`)`), c.Rule, now, now).Scan(&any); err != nil || !any {
		return nil, err
	}
	owner, err := i.dialect.owner(ctx)
	if err != nil {
		return nil, err
	}
	var tasks []inbox.Task
	err = i.atomically(ctx, func(tx *sql.Tx) error {
		tasks = nil
		rows, err := tx.QueryContext(ctx, i.dialect.rebind(`WITH due AS MATERIALIZED (SELECT id `+dueJobs+` ORDER BY due_at, seq, id LIMIT ?`+i.dialect.skipLocked()+`)
			UPDATE inbox_jobs SET attempts = attempts + 1, lease_until = ?, owner = ? WHERE id IN (SELECT id FROM due) RETURNING id`),
			c.Rule, now, now, c.Limit, stamp(c.LeaseUntil), owner)
		if err != nil {
			return err
		}
		ids, err := numbers(rows)
		if err != nil || len(ids) == 0 {
			return err
		}
		tasks, err = i.tasks(ctx, tx, ids)
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

// tasks reads jobs with what they send; a job whose payload is gone has none.
func (i *Inbox) tasks(ctx context.Context, tx *sql.Tx, ids []int64) ([]inbox.Task, error) {
	condition, args := list("j.id", ids)
	rows, err := tx.QueryContext(ctx, i.dialect.rebind(`SELECT j.id, j.seq, j.rule, j.order_key, j.state, j.due_at, j.lease_until, j.attempts, j.redelivery,
		j.status, j.error, j.changed_at, coalesce(d.id, ''), coalesce(d.event, ''), p.payload FROM inbox_jobs j
		LEFT JOIN inbox_deliveries d ON d.seq = j.seq LEFT JOIN inbox_payloads p ON p.seq = j.seq WHERE `+condition), args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var tasks []inbox.Task
	for rows.Next() {
		var t inbox.Task
		var event string
		var row []byte
		if t.Job, err = scanJob(rows, &t.DeliveryID, &event, &row); err != nil {
			return nil, err
		}
		t.Event = webhook.EventName(event)
		if t.Payload, err = i.dialect.unpack(row); err != nil {
			t.Damaged = true // the others need not suffer for it
		}
		tasks = append(tasks, t)
	}
	return tasks, rows.Err()
}

// numbers reads one column and closes the rows.
func numbers(rows *sql.Rows) ([]int64, error) {
	defer rows.Close()
	var all []int64
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, rows.Err()
}

// Recover makes every open job due.
func (i *Inbox) Recover(ctx context.Context, now time.Time) error {
	statement := `UPDATE inbox_jobs SET due_at = ? WHERE ` + i.dialect.locked(`state = 0 AND due_at > ?`)
	if i.dialect.alone() { // whoever held a lease is gone
		statement = `UPDATE inbox_jobs SET due_at = min(due_at, ?), lease_until = 0 WHERE state = 0 AND (due_at > ? OR lease_until > 0)`
	}
	if _, err := i.update(ctx, statement, stamp(now), stamp(now)); err != nil {
		return err
	}
	_, err := i.TakeOver(ctx)
	return err
}

// TakeOver ends the leases of processes that are gone.
func (i *Inbox) TakeOver(ctx context.Context) (int, error) { return i.dialect.takeOver(ctx) }

// Bury makes dead the open jobs of other rules.
func (i *Inbox) Bury(ctx context.Context, rules []string, reason string, now time.Time) (int, error) {
	condition, args := `state = 0 AND lease_until <= ?`, []any{reason, stamp(now), stamp(now)}
	if len(rules) > 0 {
		known, keys := list("rule", rules)
		condition, args = condition+` AND NOT `+known, append(args, keys...)
	}
	return i.update(ctx, `UPDATE inbox_jobs SET state = 2, error = ?, changed_at = ? WHERE `+i.dialect.locked(condition), args...)
}

// inOrder lists the indexes up to n in the order of their keys.
func inOrder[K cmp.Ordered](n int, key func(int) K) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(key(a), key(b)) })
	return order
}
