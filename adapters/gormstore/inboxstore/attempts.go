package inboxstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/inbox"
)

// recordAttempts stores the attempts of outcomes, in the order of the jobs. It drops an attempt
// whose job is gone, because only the job says which delivery the attempt belongs to.
func (i *Inbox) recordAttempts(ctx context.Context, c rawsql.Conn, outcomes []inbox.Outcome) error {
	var attempts []inbox.Attempt
	for _, n := range sortedIndexes(len(outcomes), func(n int) int64 { return outcomes[n].Job }) {
		if a := outcomes[n].Attempt; a != nil {
			attempts = append(attempts, *a)
		}
	}
	if len(attempts) == 0 {
		return nil
	}
	if err := i.insertAttempts(ctx, c, attempts); err != nil {
		return err
	}
	for _, a := range attempts {
		if a.Number <= inbox.MaxJobAttempts {
			continue
		}
		if _, err := c.Exec(ctx, `DELETE FROM inbox_attempts WHERE position = (SELECT d.position FROM inbox_jobs j JOIN inbox_deliveries d ON d.seq = j.seq WHERE j.id = ?) AND job = ? AND number <= ?`,
			a.Job, a.Job, a.Number-inbox.MaxJobAttempts); err != nil {
			return err
		}
	}
	return nil
}

// readAttempts reads the last attempts of a delivery, oldest first.
func (i *Inbox) readAttempts(ctx context.Context, seq int64) ([]inbox.Attempt, error) {
	return rawsql.Collect(ctx, i.read, scanAttempt, `SELECT * FROM (SELECT a.job, a.number, a.at, j.rule, a.target, a.status, a.error, a.duration, a.answer FROM inbox_attempts a
		JOIN inbox_jobs j ON j.id = a.job WHERE a.position = (SELECT position FROM inbox_deliveries WHERE seq = ?) ORDER BY a.at DESC, a.job DESC, a.number DESC LIMIT ?) newest ORDER BY at, job, number`, seq, inbox.MaxDeliveryAttempts)
}

func scanAttempt() ([]any, func() inbox.Attempt) {
	var a inbox.Attempt
	var at, duration int64
	return []any{&a.Job, &a.Number, &at, &a.Rule, &a.Target, &a.Status, &a.Error, &duration, &a.Answer}, func() inbox.Attempt {
		a.At, a.Duration = rawsql.Time(at), time.Duration(duration)*time.Microsecond
		return a
	}
}

// limitAttempts deletes all but the last attempts of a delivery.
func limitAttempts(ctx context.Context, c rawsql.Conn, position int64) error {
	_, err := c.Exec(ctx, `DELETE FROM inbox_attempts WHERE position = ? AND id IN (SELECT id FROM inbox_attempts WHERE position = ? ORDER BY at DESC, job DESC, number DESC LIMIT 1000000 OFFSET ?`+c.Locking(rawsql.SkipLocked)+`)`,
		position, position, inbox.MaxDeliveryAttempts)
	return err
}

// pruneAttempts deletes one batch of the attempts that exceed the retention. Ids grow in
// the order of storing, so the oldest are at one end of the primary key.
func (i *Inbox) pruneAttempts(ctx context.Context, c rawsql.Conn, p inbox.Retention) (int, error) {
	last, found, err := rawsql.One(ctx, c, rawsql.Integer[int64], `SELECT id FROM inbox_attempts ORDER BY id DESC LIMIT 1`)
	if err != nil || !found {
		return 0, err
	}
	ids, err := rawsql.Collect(ctx, c, rawsql.Integer[int64], `SELECT id FROM (SELECT id, at FROM inbox_attempts ORDER BY id LIMIT ?`+c.Locking(rawsql.SkipLocked)+`) oldest WHERE at < ? OR id <= ?`,
		i.pruneBatch, rawsql.Micros(p.AttemptsBefore), last-int64(p.MaxAttempts))
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	condition, args := i.anyOf("id", ids)
	_, err = c.Exec(ctx, `DELETE FROM inbox_attempts WHERE `+condition, args...)
	return len(ids), err
}
