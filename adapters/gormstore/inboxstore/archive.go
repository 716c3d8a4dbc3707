package inboxstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/inbox"
)

// Find gives a delivery by the sender's id.
func (i *Inbox) Find(ctx context.Context, id string) (inbox.Delivery, error) {
	page, err := i.deliveries(ctx, "id = ?", id)
	if err != nil {
		return inbox.Delivery{}, err
	}
	if len(page) == 0 {
		return inbox.Delivery{}, inbox.ErrNotFound
	}
	d := page[0]
	row, there, err := rawsql.One(ctx, i.read, scanBytes, `SELECT payload FROM inbox_payloads WHERE seq = ?`, d.Seq)
	if err == nil && there {
		d.Payload, err = i.dialect.unpack(row)
	}
	return d, err
}

func scanBytes() ([]any, func() []byte) {
	var b []byte
	return []any{&b}, func() []byte { return b }
}

// Redeliver adds jobs and replaces the dead ones, and those that wait to do the same.
func (i *Inbox) Redeliver(ctx context.Context, seq int64, jobs []inbox.Job) error {
	return i.atomically(ctx, func(ctx context.Context, c rawsql.Conn) error {
		// A lock that Prune's delete waits for, taken by a write that changes nothing.
		there, err := c.Exec(ctx, `UPDATE inbox_payloads SET seq = seq WHERE seq = ?`, seq)
		if err != nil {
			return err
		}
		if there == 0 {
			return whyGone(ctx, c, seq)
		}
		if _, err := c.Exec(ctx, `UPDATE inbox_jobs SET state = 3 WHERE seq = ? AND state = 2`, seq); err != nil {
			return err
		}
		for _, j := range jobs {
			// What somebody is sending is left out: whether that arrives is not known.
			if _, err := c.Exec(ctx, `UPDATE inbox_jobs SET state = 3 WHERE seq = ? AND rule = ? AND state = 0 AND lease_until <= ?`,
				seq, j.Rule, rawsql.Micros(j.DueAt)); err != nil {
				return err
			}
		}
		return insertJobs(ctx, c, jobs, 0)
	})
}

// whyGone tells a delivery without its payload from none at all.
func whyGone(ctx context.Context, c rawsql.Conn, seq int64) error {
	_, known, err := rawsql.One(ctx, c, rawsql.Integer[int64], `SELECT seq FROM inbox_deliveries WHERE seq = ?`, seq)
	switch {
	case err != nil:
		return err
	case known:
		return inbox.ErrPayloadGone
	}
	return inbox.ErrNotFound
}
