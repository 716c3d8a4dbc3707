package inboxstore

import (
	"context"
	"database/sql"
	"errors"

	"github.com/octavo-books/octavo/application/inbox"
)

// pruneStep is how much one step of Prune drops at most.
const pruneStep = 200

// noOpenJob keeps what is still to be sent.
const noOpenJob = `NOT EXISTS (SELECT 1 FROM inbox_jobs j WHERE j.seq = d.seq AND j.state = 0)`

// Prune drops a little of what is too old or too much.
func (i *Inbox) Prune(ctx context.Context, p inbox.Retention) (more bool, err error) {
	err = i.atomically(ctx, func(tx *sql.Tx) error {
		bodies, err := i.prunePayloads(ctx, tx, p)
		if err != nil {
			return err
		}
		ids, err := i.pruneDeliveries(ctx, tx, p)
		if err != nil {
			return err
		}
		hashes, err := tx.ExecContext(ctx, i.dialect.rebind(`DELETE FROM inbox_hashes WHERE hash IN (SELECT hash FROM inbox_hashes WHERE until <= ? LIMIT ?)`), stamp(p.Now), pruneStep)
		if err != nil {
			return err
		}
		dropped, err := hashes.RowsAffected()
		more = max(bodies, ids, int(dropped)) == pruneStep
		return err
	})
	return more, err
}

func (i *Inbox) prunePayloads(ctx context.Context, tx *sql.Tx, p inbox.Retention) (int, error) {
	old, err := i.isBefore(ctx, tx, `SELECT d.received_at FROM inbox_payloads b JOIN inbox_deliveries d ON d.seq = b.seq ORDER BY b.seq LIMIT 1`, stamp(p.Bodies))
	if err != nil || !old {
		return 0, err
	}
	seqs, err := i.choose(ctx, tx, `SELECT b.seq FROM inbox_payloads b JOIN inbox_deliveries d ON d.seq = b.seq
		WHERE d.received_at < ? AND `+noOpenJob+` ORDER BY b.seq LIMIT ?`, stamp(p.Bodies), pruneStep)
	if err != nil {
		return 0, err
	}
	return len(seqs), i.drop(ctx, tx, seqs, "inbox_payloads")
}

func (i *Inbox) pruneDeliveries(ctx context.Context, tx *sql.Tx, p inbox.Retention) (int, error) {
	old, err := i.isBefore(ctx, tx, `SELECT received_at FROM inbox_deliveries ORDER BY seq LIMIT 1`, stamp(p.IDs))
	if err != nil {
		return 0, err
	}
	var seqs []int64
	if old {
		seqs, err = i.choose(ctx, tx, `SELECT d.seq FROM inbox_deliveries d WHERE d.received_at < ? AND `+noOpenJob+` ORDER BY d.seq LIMIT ?`, stamp(p.IDs), pruneStep)
	} else {
		seqs, err = i.chooseExcess(ctx, tx, p.Most)
	}
	if err != nil {
		return 0, err
	}
	return len(seqs), i.drop(ctx, tx, seqs, "inbox_payloads", "inbox_jobs", "inbox_deliveries")
}

// chooseExcess lists the oldest of what is beyond the most.
func (i *Inbox) chooseExcess(ctx context.Context, tx *sql.Tx, most int) ([]int64, error) {
	var count int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM inbox_deliveries`).Scan(&count); err != nil || count <= most {
		return nil, err
	}
	return i.choose(ctx, tx, `SELECT d.seq FROM inbox_deliveries d WHERE `+noOpenJob+` ORDER BY d.seq LIMIT ?`, min(pruneStep, count-most))
}

// isBefore reports whether the oldest time, if there is one, is before.
func (i *Inbox) isBefore(ctx context.Context, tx *sql.Tx, oldest string, before int64) (bool, error) {
	var at int64
	err := tx.QueryRowContext(ctx, oldest).Scan(&at)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return at < before, err
}

func (i *Inbox) choose(ctx context.Context, tx *sql.Tx, statement string, args ...any) ([]int64, error) {
	rows, err := tx.QueryContext(ctx, i.dialect.rebind(statement), args...)
	if err != nil {
		return nil, err
	}
	return numbers(rows)
}

// drop deletes the rows of these deliveries.
func (i *Inbox) drop(ctx context.Context, tx *sql.Tx, seqs []int64, tables ...string) error {
	if len(seqs) == 0 {
		return nil
	}
	condition, args := list("seq", seqs)
	for _, table := range tables {
		if _, err := tx.ExecContext(ctx, i.dialect.rebind(`DELETE FROM `+table+` WHERE `+condition), args...); err != nil {
			return err
		}
	}
	return nil
}

// Stats counts what waits.
func (i *Inbox) Stats(ctx context.Context) (inbox.Stats, error) {
	var s inbox.Stats
	var oldest sql.NullInt64
	err := i.read.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM inbox_jobs WHERE state = 0), (SELECT count(*) FROM inbox_jobs WHERE state = 2),
		(SELECT received_at FROM inbox_deliveries WHERE seq = (SELECT min(seq) FROM inbox_jobs WHERE state = 0))`).Scan(&s.Open, &s.Dead, &oldest)
	s.Oldest = unstamp(oldest.Int64)
	return s, err
}
