package inboxstore

import (
	"context"
	"strings"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/inbox"
)

// noOpenJob excludes deliveries that are still to be sent.
const noOpenJob = `NOT EXISTS (SELECT 1 FROM inbox_jobs j WHERE j.seq = d.seq AND j.state = 0)`

// PrepareStorage creates partitions for the next deliveries.
func (i *Inbox) PrepareStorage(ctx context.Context, most int) error {
	if i.postgres == nil { // a single file has no partitions, see docs/adr/0025-partitions-of-the-inbox.md
		return nil
	}
	return i.postgres.prepare(ctx, i, most)
}

// maxExcess bounds the deliveries that FindExcess skips, and so its time.
const maxExcess = 1_000_000

// FindExcess counts the deliveries in an index and skips the oldest finished ones that are too
// many. If most is too large for counting, it estimates.
func (i *Inbox) FindExcess(ctx context.Context, most int) (int64, error) {
	if i.postgres != nil && most > i.maxExact {
		return i.estimateExcess(ctx, most)
	}
	finished, _, err := rawsql.One(ctx, i.read, rawsql.Integer[int], `SELECT (SELECT count(*) FROM inbox_deliveries) - (SELECT count(DISTINCT seq) FROM inbox_jobs WHERE state = 0)`)
	if err != nil || finished <= most {
		return 0, err
	}
	seq, _, err := rawsql.One(ctx, i.read, rawsql.Integer[int64],
		`SELECT d.seq FROM inbox_deliveries d WHERE `+noOpenJob+` ORDER BY d.seq LIMIT 1 OFFSET ?`,
		min(finished-most, maxExcess)-1)
	return seq, err
}

// PruneDeliveries deletes one batch of what exceeds the retention.
func (i *Inbox) PruneDeliveries(ctx context.Context, p inbox.Retention) (next inbox.Retention, more bool, err error) {
	if p.FromSeq == 0 && i.postgres != nil {
		if err := i.dropPartitions(ctx, p); err != nil {
			return p, false, err
		}
	}
	err = i.atomically(ctx, func(ctx context.Context, c rawsql.Conn) error {
		next, more = p, false
		next.FromSeq = max(p.FromSeq, 1)
		if first, err := c.TryAdvisoryLock(ctx, "inbox pruning"); err != nil || !first { // another process prunes
			return err
		}
		attempts, err := i.pruneAttempts(ctx, c, p)
		if err != nil {
			return err
		}
		payloads, err := i.prunePayloads(ctx, c, p, &next)
		if err != nil {
			return err
		}
		deliveries, err := i.pruneEnded(ctx, c, p, &next)
		if err != nil {
			return err
		}
		hashes, err := c.Exec(ctx, `DELETE FROM inbox_hashes WHERE hash IN (SELECT hash FROM inbox_hashes WHERE expires_at <= ? LIMIT ?)`, rawsql.Micros(p.Now), i.pruneBatch)
		if err != nil {
			return err
		}
		more = payloads || deliveries || max(attempts, int(hashes)) == i.pruneBatch
		return pruneRuleStates(ctx, c, p)
	})
	return next, more, err
}

// prunePayloads deletes a batch of expired payloads from each table. It reports only for the
// first table whether there may be more: if payloads expire faster, whole partitions of the
// others are dropped.
func (i *Inbox) prunePayloads(ctx context.Context, c rawsql.Conn, p inbox.Retention, next *inbox.Retention) (more bool, err error) {
	before := rawsql.Micros(p.PayloadsBefore)
	for n, table := range i.payloadTables(p.FromSeq == 0) {
		from := []int64{p.FromPosition, 0}[n]
		old, err := oldestIsBefore(ctx, c, `SELECT d.received_at FROM `+table+` p JOIN inbox_deliveries d ON d.seq = p.seq WHERE p.position >= ? ORDER BY p.position LIMIT 1`, before, from)
		if err != nil {
			return false, err
		}
		if !old {
			continue
		}
		batch, err := i.lockEnded(ctx, c, table+` p JOIN inbox_deliveries d ON d.seq = p.seq WHERE p.position >= ? AND `+noOpenJob+` ORDER BY p.position LIMIT ?`, from, i.pruneBatch)
		if err != nil {
			return false, err
		}
		expired := batch.filter(func(e ended) bool { return e.receivedAt < before })
		if err := i.deleteRows(ctx, c, "position", expired.positions(), table); err != nil {
			return false, err
		}
		if n == 0 && batch.full(i) && len(expired) > 0 {
			more, next.FromPosition = true, batch[len(batch)-1].position+1
		}
	}
	return more, nil
}

// pruneEnded deletes a batch of deliveries and reports whether there may be more.
func (i *Inbox) pruneEnded(ctx context.Context, c rawsql.Conn, p inbox.Retention, next *inbox.Retention) (more bool, err error) {
	before := rawsql.Micros(p.DeliveriesBefore)
	old, err := oldestIsBefore(ctx, c, `SELECT received_at FROM inbox_deliveries WHERE seq >= ? ORDER BY seq LIMIT 1`, before, p.FromSeq)
	if err != nil || !old && p.UpTo < p.FromSeq {
		return false, err
	}
	batch, err := i.lockEnded(ctx, c, `inbox_deliveries d WHERE d.seq >= ? AND `+noOpenJob+` ORDER BY d.seq LIMIT ?`,
		p.FromSeq, i.pruneBatch)
	if err != nil {
		return false, err
	}
	over := batch.filter(func(e ended) bool { return e.receivedAt < before || e.seq <= p.UpTo })
	if len(over) == 0 {
		return false, nil
	}
	deletions, err := i.deletions(ctx, c, over, len(over) == i.pruneBatch)
	if err != nil {
		return false, err
	}
	for _, d := range deletions {
		if more, err := i.deleteSome(ctx, c, d); err != nil || more {
			return more, err // the deliveries follow in a later step
		}
	}
	next.FromSeq = batch[len(batch)-1].seq + 1
	return batch.full(i), i.deleteRows(ctx, c, "seq", over.seqs(), "inbox_jobs", "inbox_deliveries")
}

// oldestIsBefore reports whether the time that the statement selects, if any, is
// before. It saves the larger query when nothing is old enough.
func oldestIsBefore(ctx context.Context, c rawsql.Conn, statement string, before int64, args ...any) (bool, error) {
	at, found, err := rawsql.One(ctx, c, rawsql.Integer[int64], statement, args...)
	return found && at < before, err
}

// deletion names the rows to delete from a table, by the positions of their deliveries.
type deletion struct {
	table     string
	positions []int64
}

// maxPerDelivery bounds the rows that a step deletes from another table, for each of its
// deliveries on average.
const maxPerDelivery = 5

// deleteSome deletes a bounded number of rows and reports whether there may be more. Payloads
// need no bound, because a delivery has one; it may have MaxDeliveryAttempts attempts or more.
func (i *Inbox) deleteSome(ctx context.Context, c rawsql.Conn, d deletion) (more bool, err error) {
	if strings.HasPrefix(d.table, "inbox_payloads") || len(d.positions) == 0 {
		return false, i.deleteRows(ctx, c, "position", d.positions, d.table)
	}
	limit := maxPerDelivery * i.pruneBatch
	condition, args := i.anyOf("position", d.positions)
	ids := `SELECT id FROM ` + d.table + ` WHERE ` + condition + ` LIMIT ?` + c.Locking(rawsql.SkipLocked)
	n, err := c.Exec(ctx, `DELETE FROM `+d.table+` WHERE id IN (`+ids+`)`, append(args, limit)...)
	return int(n) == limit, err
}

// deleteRows deletes the rows with these numbers.
func (i *Inbox) deleteRows(ctx context.Context, c rawsql.Conn, column string, numbers []int64, tables ...string) error {
	if len(numbers) == 0 {
		return nil
	}
	condition, args := i.anyOf(column, numbers)
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
