package inboxstore

import (
	"context"
	"database/sql"
	"errors"

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
	var row []byte
	err = i.read.QueryRowContext(ctx, i.dialect.rebind(`SELECT payload FROM inbox_payloads WHERE seq = ?`), d.Seq).Scan(&row)
	if errors.Is(err, sql.ErrNoRows) {
		return d, nil
	}
	if err != nil {
		return d, err
	}
	d.Payload, err = i.dialect.unpack(row)
	return d, err
}

// Redeliver adds jobs and replaces the dead ones, and those that wait to do the same.
func (i *Inbox) Redeliver(ctx context.Context, seq int64, jobs []inbox.Job) error {
	return i.atomically(ctx, func(tx *sql.Tx) error {
		// A lock that Prune's delete waits for, taken by a write that changes nothing.
		result, err := tx.ExecContext(ctx, i.dialect.rebind(`UPDATE inbox_payloads SET seq = seq WHERE seq = ?`), seq)
		if err != nil {
			return err
		}
		if there, err := result.RowsAffected(); err != nil || there == 0 {
			return errors.Join(err, i.whyGone(ctx, tx, seq))
		}
		if _, err := tx.ExecContext(ctx, i.dialect.rebind(`UPDATE inbox_jobs SET state = 3 WHERE seq = ? AND state = 2`), seq); err != nil {
			return err
		}
		for _, j := range jobs {
			if _, err := tx.ExecContext(ctx, i.dialect.rebind(replaceWaiting), seq, j.Rule, stamp(j.DueAt)); err != nil {
				return err
			}
		}
		return insertJobs(ctx, tx, i.dialect, jobs, 0)
	})
}

// replaceWaiting leaves out what somebody is sending: whether that arrives is not known.
const replaceWaiting = `UPDATE inbox_jobs SET state = 3 WHERE seq = ? AND rule = ? AND state = 0 AND lease_until <= ?`

// whyGone tells a delivery without its payload from none at all.
func (i *Inbox) whyGone(ctx context.Context, tx *sql.Tx, seq int64) error {
	var known bool
	if err := tx.QueryRowContext(ctx, i.dialect.rebind(`SELECT EXISTS (SELECT 1 FROM inbox_deliveries WHERE seq = ?)`), seq).Scan(&known); err != nil {
		return err
	}
	if known {
		return inbox.ErrPayloadGone
	}
	return inbox.ErrNotFound
}
