package inboxstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/inbox"
)

// pruneBatch limits the rows that one step of PruneDeliveries deletes.
const pruneBatch = 200

// noOpenJob excludes deliveries that are still to be sent.
const noOpenJob = `NOT EXISTS (SELECT 1 FROM inbox_jobs j WHERE j.seq = d.seq AND j.state = 0)`

// PruneDeliveries deletes one batch of what exceeds the retention.
func (i *Inbox) PruneDeliveries(ctx context.Context, p inbox.Retention) (more bool, err error) {
	err = i.atomically(ctx, func(ctx context.Context, c rawsql.Conn) error {
		attempts, err := pruneAttempts(ctx, c, p)
		if err != nil {
			return err
		}
		bodies, err := prunePayloads(ctx, c, p)
		if err != nil {
			return err
		}
		ids, err := pruneDeliveries(ctx, c, p)
		if err != nil {
			return err
		}
		hashes, err := c.Exec(ctx, `DELETE FROM inbox_hashes WHERE hash IN (SELECT hash FROM inbox_hashes WHERE until <= ? LIMIT ?)`, rawsql.Micros(p.Now), pruneBatch)
		if err != nil {
			return err
		}
		more = max(attempts, bodies, ids, int(hashes)) == pruneBatch
		return pruneRuleAttempts(ctx, c, p.Now)
	})
	return more, err
}

func prunePayloads(ctx context.Context, c rawsql.Conn, p inbox.Retention) (int, error) {
	before := rawsql.Micros(p.PayloadsBefore)
	old, err := oldestIsBefore(ctx, c, `SELECT d.received_at FROM inbox_payloads b JOIN inbox_deliveries d ON d.seq = b.seq ORDER BY b.seq LIMIT 1`, before)
	if err != nil || !old {
		return 0, err
	}
	seqs, err := rawsql.Collect(ctx, c, rawsql.Integer[int64], `SELECT b.seq FROM inbox_payloads b JOIN inbox_deliveries d ON d.seq = b.seq
		WHERE d.received_at < ? AND `+noOpenJob+` ORDER BY b.seq LIMIT ?`, before, pruneBatch)
	if err != nil {
		return 0, err
	}
	return len(seqs), deleteRows(ctx, c, seqs, "inbox_payloads")
}

func pruneDeliveries(ctx context.Context, c rawsql.Conn, p inbox.Retention) (int, error) {
	before := rawsql.Micros(p.DeliveriesBefore)
	old, err := oldestIsBefore(ctx, c, `SELECT received_at FROM inbox_deliveries ORDER BY seq LIMIT 1`, before)
	if err != nil {
		return 0, err
	}
	var seqs []int64
	if old {
		seqs, err = rawsql.Collect(ctx, c, rawsql.Integer[int64], `SELECT d.seq FROM inbox_deliveries d WHERE d.received_at < ? AND `+noOpenJob+` ORDER BY d.seq LIMIT ?`, before, pruneBatch)
	} else {
		seqs, err = overCapacity(ctx, c, p.MaxDeliveries)
	}
	if err != nil || len(seqs) == 0 {
		return 0, err
	}
	if more, err := deleteAttempts(ctx, c, seqs); err != nil || more {
		return pruneBatch, err // the deliveries follow in a later step
	}
	return len(seqs), deleteRows(ctx, c, seqs, "inbox_payloads", "inbox_jobs", "inbox_deliveries")
}

// overCapacity lists the oldest deliveries beyond the limit.
func overCapacity(ctx context.Context, c rawsql.Conn, limit int) ([]int64, error) {
	count, _, err := rawsql.One(ctx, c, rawsql.Integer[int], `SELECT count(*) FROM inbox_deliveries`)
	if err != nil || count <= limit {
		return nil, err
	}
	return rawsql.Collect(ctx, c, rawsql.Integer[int64], `SELECT d.seq FROM inbox_deliveries d WHERE `+noOpenJob+` ORDER BY d.seq LIMIT ?`, min(pruneBatch, count-limit))
}

// oldestIsBefore reports whether the time that the statement selects, if any, is
// before. It spares the larger query when nothing is old enough.
func oldestIsBefore(ctx context.Context, c rawsql.Conn, statement string, before int64) (bool, error) {
	at, found, err := rawsql.One(ctx, c, rawsql.Integer[int64], statement)
	return found && at < before, err
}

// deleteRows deletes the rows of these deliveries.
func deleteRows(ctx context.Context, c rawsql.Conn, seqs []int64, tables ...string) error {
	if len(seqs) == 0 {
		return nil
	}
	condition, args := in("seq", seqs)
	for _, table := range tables {
		if _, err := c.Exec(ctx, `DELETE FROM `+table+` WHERE `+condition, args...); err != nil {
			return err
		}
	}
	return nil
}

// CountJobs counts the open and the dead jobs.
func (i *Inbox) CountJobs(ctx context.Context) (inbox.Stats, error) {
	s, _, err := rawsql.One(ctx, i.read, scanStats, `SELECT (SELECT count(*) FROM inbox_jobs WHERE state = 0), (SELECT count(*) FROM inbox_jobs WHERE state = 2),
		coalesce((SELECT received_at FROM inbox_deliveries WHERE seq = (SELECT min(seq) FROM inbox_jobs WHERE state = 0)), 0)`)
	return s, err
}

func scanStats() ([]any, func() inbox.Stats) {
	var s inbox.Stats
	var oldest int64
	return []any{&s.Open, &s.Dead, &oldest}, func() inbox.Stats { s.Oldest = rawsql.Time(oldest); return s }
}
