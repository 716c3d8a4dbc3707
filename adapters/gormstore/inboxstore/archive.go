package inboxstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/inbox"
)

// FindDelivery returns a delivery by the sender's id.
func (i *Inbox) FindDelivery(ctx context.Context, source, id string) (inbox.Delivery, error) {
	condition, args := "id = ?", []any{id}
	if source != "" {
		condition, args = "id = ? AND source = ?", []any{id, source}
	}
	page, err := i.readDeliveries(ctx, condition+" ORDER BY seq DESC LIMIT 1", args...)
	if err != nil {
		return inbox.Delivery{}, err
	}
	if len(page) == 0 {
		return inbox.Delivery{}, inbox.ErrNotFound
	}
	d := page[0]
	if d.Attempts, err = i.readAttempts(ctx, d.Seq); err != nil {
		return inbox.Delivery{}, err
	}
	d.Payload, err = i.ReadPayload(ctx, d.Seq)
	return d, err
}

func scanBytes() ([]any, func() []byte) {
	var b []byte
	return []any{&b}, func() []byte { return b }
}

// AddRedelivery adds jobs, replacing the dead ones and waiting ones of the same rules.
func (i *Inbox) AddRedelivery(ctx context.Context, seq int64, jobs []inbox.Job) error {
	return i.atomically(ctx, func(ctx context.Context, c rawsql.Conn) error {
		position, err := i.lockDelivery(ctx, c, seq)
		if err != nil {
			return err
		}
		if _, err := c.Exec(ctx, `UPDATE inbox_jobs SET state = 3 WHERE seq = ? AND state = 2`, seq); err != nil {
			return err
		}
		for _, j := range jobs {
			// A leased job is not replaced: whether its send arrives is not known yet.
			if _, err := c.Exec(ctx, `UPDATE inbox_jobs SET state = 3 WHERE seq = ? AND rule = ? AND state = 0 AND lease_until <= ?`,
				seq, j.Rule, rawsql.Micros(j.DueAt)); err != nil {
				return err
			}
		}
		if err := limitAttempts(ctx, c, position); err != nil {
			return err
		}
		notify(c, inbox.JobsChanged)
		return i.dialect.insertJobs(ctx, c, jobs, 0)
	})
}

// lockDelivery locks a delivery, so that PruneDeliveries waits, and returns its position.
// The errors are inbox.ErrNotFound and inbox.ErrPayloadGone. Reading the payload locks its
// partition, which is not dropped before the new jobs are committed.
func (i *Inbox) lockDelivery(ctx context.Context, c rawsql.Conn, seq int64) (position int64, err error) {
	position, known, err := rawsql.One(ctx, c, rawsql.Integer[int64], `SELECT d.position FROM inbox_deliveries d WHERE d.seq = ?`+i.dialect.forUpdate(), seq)
	if err != nil {
		return 0, err
	}
	if !known {
		return 0, inbox.ErrNotFound
	}
	_, stored, err := rawsql.One(ctx, c, rawsql.Integer[int64], `SELECT seq FROM inbox_payloads WHERE position = ?`, position)
	if err == nil && !stored {
		err = inbox.ErrPayloadGone
	}
	return position, err
}
