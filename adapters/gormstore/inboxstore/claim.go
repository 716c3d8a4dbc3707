package inboxstore

import (
	"cmp"
	"context"
	"slices"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/webhook"
)

// dueJobs chooses what Claim may take. Of a row of jobs in order only the first
// open one is free.
const dueJobs = `FROM inbox_jobs j WHERE rule = ? AND state = 0 AND due_at <= ? AND lease_until <= ?
	AND (order_key = '' OR NOT EXISTS (SELECT 1 FROM inbox_jobs e
		WHERE e.state = 0 AND e.order_key <> '' AND e.rule = j.rule AND e.order_key = j.order_key AND e.id < j.id))`

// Claim leases due jobs. It looks before it takes the writer.
func (i *Inbox) Claim(ctx context.Context, claim inbox.Claim) ([]inbox.Task, error) {
	now := rawsql.Micros(claim.Now)
	_, due, err := rawsql.One(ctx, i.read, rawsql.Integer[int], `SELECT 1 `+dueJobs+` LIMIT 1`, claim.Rule, now, now)
	if err != nil || !due {
		return nil, err
	}
	owner, err := i.dialect.owner(ctx)
	if err != nil {
		return nil, err
	}
	var tasks []inbox.Task
	err = i.atomically(ctx, func(ctx context.Context, c rawsql.Conn) error {
		tasks = nil
		ids, err := rawsql.Collect(ctx, c, rawsql.Integer[int64], `WITH due AS MATERIALIZED (SELECT id `+dueJobs+` ORDER BY due_at, seq, id LIMIT ?`+c.SkipLocked()+`)
			UPDATE inbox_jobs SET attempts = attempts + 1, lease_until = ?, owner = ? WHERE id IN (SELECT id FROM due) RETURNING id`,
			claim.Rule, now, now, claim.Limit, rawsql.Micros(claim.LeaseUntil), owner)
		if err == nil && len(ids) > 0 {
			tasks, err = i.tasks(ctx, c, ids)
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

// tasks reads jobs with what they send; a job whose payload is gone has none.
func (i *Inbox) tasks(ctx context.Context, c rawsql.Conn, ids []int64) ([]inbox.Task, error) {
	condition, args := in("j.id", ids)
	return rawsql.Collect(ctx, c, i.scanTask, `SELECT j.id, j.seq, j.rule, j.order_key, j.state, j.due_at, j.lease_until, j.attempts, j.redelivery,
		j.status, j.error, j.changed_at, coalesce(d.id, ''), coalesce(d.event, ''), p.payload FROM inbox_jobs j
		LEFT JOIN inbox_deliveries d ON d.seq = j.seq LEFT JOIN inbox_payloads p ON p.seq = j.seq WHERE `+condition, args...)
}

func (i *Inbox) scanTask() ([]any, func() inbox.Task) {
	columns, job := scanJob()
	var id, event string
	var row []byte
	return append(columns, &id, &event, &row), func() inbox.Task {
		payload, err := i.dialect.unpack(row)
		return inbox.Task{
			Job: job(), DeliveryID: id, Event: webhook.EventName(event), Payload: payload,
			Damaged: err != nil, // the others need not suffer for it
		}
	}
}

// scanJob scans jobColumns.
func scanJob() ([]any, func() inbox.Job) {
	var j inbox.Job
	var due, lease, changed, redelivery int64
	return []any{&j.ID, &j.Seq, &j.Rule, &j.OrderKey, &j.State, &due, &lease, &j.Attempts, &redelivery, &j.Status, &j.Error, &changed}, func() inbox.Job {
		j.DueAt, j.LeaseUntil, j.ChangedAt, j.Redelivery = rawsql.Time(due), rawsql.Time(lease), rawsql.Time(changed), redelivery == 1
		return j
	}
}
