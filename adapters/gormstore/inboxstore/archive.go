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
		// This write changes nothing, but its row lock makes PruneDeliveries wait.
		there, err := c.Exec(ctx, `UPDATE inbox_payloads SET seq = seq WHERE seq = ?`, seq)
		if err != nil {
			return err
		}
		if there == 0 {
			return missingReason(ctx, c, seq)
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
		if err := limitAttempts(ctx, c, seq); err != nil {
			return err
		}
		return insertJobs(ctx, c, jobs, 0)
	})
}

// missingReason tells apart a delivery without a payload from an unknown delivery.
func missingReason(ctx context.Context, c rawsql.Conn, seq int64) error {
	_, known, err := rawsql.One(ctx, c, rawsql.Integer[int64], `SELECT seq FROM inbox_deliveries WHERE seq = ?`, seq)
	switch {
	case err != nil:
		return err
	case known:
		return inbox.ErrPayloadGone
	}
	return inbox.ErrNotFound
}
