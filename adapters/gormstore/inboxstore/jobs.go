package inboxstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
)

// Recover makes every open job due.
func (i *Inbox) Recover(ctx context.Context, now time.Time) error {
	statement := `UPDATE inbox_jobs SET due_at = ? WHERE ` + i.dialect.locked(`state = 0 AND due_at > ?`)
	if i.dialect.alone() { // whoever held a lease is gone
		statement = `UPDATE inbox_jobs SET due_at = min(due_at, ?), lease_until = 0 WHERE state = 0 AND (due_at > ? OR lease_until > 0)`
	}
	if _, err := i.update(ctx, statement, rawsql.Micros(now), rawsql.Micros(now)); err != nil {
		return err
	}
	_, err := i.TakeOver(ctx)
	return err
}

// TakeOver ends the leases of processes that are gone.
func (i *Inbox) TakeOver(ctx context.Context) (int, error) { return i.dialect.takeOver(ctx) }

// Bury makes dead the open jobs of other rules.
func (i *Inbox) Bury(ctx context.Context, rules []string, reason string, now time.Time) (int, error) {
	condition, args := `state = 0 AND lease_until <= ?`, []any{reason, rawsql.Micros(now), rawsql.Micros(now)}
	if len(rules) > 0 {
		known, keys := in("rule", rules)
		condition, args = condition+` AND NOT `+known, append(args, keys...)
	}
	return i.update(ctx, `UPDATE inbox_jobs SET state = 2, error = ?, changed_at = ? WHERE `+i.dialect.locked(condition), args...)
}
