package inboxstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
)

// RequeueJobs makes every open job due.
func (i *Inbox) RequeueJobs(ctx context.Context, now time.Time) error {
	statement := `UPDATE inbox_jobs SET due_at = ? WHERE ` + i.dialect.lockedJobs(`state = 0 AND due_at > ?`)
	if i.dialect.singleProcess() { // every lease is an earlier run's
		statement = `UPDATE inbox_jobs SET due_at = min(due_at, ?), lease_until = 0 WHERE state = 0 AND (due_at > ? OR lease_until > 0)`
	}
	if _, err := i.update(ctx, statement, rawsql.Micros(now), rawsql.Micros(now)); err != nil {
		return err
	}
	_, err := i.ReclaimLeases(ctx)
	return err
}

// ReclaimLeases ends the leases of dead processes.
func (i *Inbox) ReclaimLeases(ctx context.Context) (int, error) { return i.dialect.reclaimLeases(ctx) }

// DeadLetterJobs marks the open jobs of other rules as dead.
func (i *Inbox) DeadLetterJobs(ctx context.Context, rules []string, reason string, now time.Time) (int, error) {
	condition, args := `state = 0 AND lease_until <= ?`, []any{reason, rawsql.Micros(now), rawsql.Micros(now)}
	if len(rules) > 0 {
		known, keys := in("rule", rules)
		condition, args = condition+` AND NOT `+known, append(args, keys...)
	}
	return i.update(ctx, `UPDATE inbox_jobs SET state = 2, error = ?, changed_at = ? WHERE `+i.dialect.lockedJobs(condition), args...)
}
